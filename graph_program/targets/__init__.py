"""Targets: what runtimes take and get right, as it was probed, or read in documents; `export(target=...)` asks it.

Start with `support`; `verification/probe` is the command, and `probed` has what it found.  `documented` has what was
read.
"""
