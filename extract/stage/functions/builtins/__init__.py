"""Python's builtin functions and the methods of its sequences.

Each function is a lowering under `@lowers_builtin`, each method one under `@method(cls)` in `sequence_methods`; start
with `builtins`.
"""
