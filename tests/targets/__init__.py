"""Targets: the table of what runtimes take, and the exports that ask it."""
