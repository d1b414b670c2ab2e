"""What is known on several paths, merged where they meet and at the heads of loops: a file for each kind of value.

Start with `join`; `join_states` merges whole states.
"""
