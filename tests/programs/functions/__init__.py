"""Programs with Python's builtins and its standard library."""
