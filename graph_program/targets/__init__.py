"""Targets: what runtimes take and get right, probed by a command, and asked by `export(target=...)`.

Start with `support`; `verification/probe` is the command, and `probed` has what it found.
"""
