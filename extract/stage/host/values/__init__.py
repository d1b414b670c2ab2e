"""Objects on the host: what is known of them, what they hold, who else has them.

Start with `host_types` and `host_contents`.
"""
