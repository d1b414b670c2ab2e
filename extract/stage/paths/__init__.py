"""Paths of control: branches, blocks and their exits, what a test says of values, where an exception goes.

Start with `flow`, then `narrowing` and `raising`.
"""
