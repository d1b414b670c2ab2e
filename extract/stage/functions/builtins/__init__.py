"""Python's builtin functions and the methods of its sequences.

Each is a lowering under `@lowers_builtin`; start with `builtins`.
"""
