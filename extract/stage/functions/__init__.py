"""Python's own functions: builtins and the standard library."""
