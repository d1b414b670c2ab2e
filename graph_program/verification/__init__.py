"""Verification: a file is run in every runtime that is installed, and compared with Python, or with a plain run.

Start with `of_program` and `of_file`; `runtimes` is the table of runtimes, `first_difference` finds the operation at
which one goes wrong.
"""
