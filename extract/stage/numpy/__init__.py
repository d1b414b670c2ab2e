"""Lowerings of NumPy's functions, methods and attributes; importing this fills the registry."""
