"""Steps on the host: what a program sends there, when it is done, what comes back.

Start with `host_code`.
"""
