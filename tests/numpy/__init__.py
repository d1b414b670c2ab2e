"""Differential tests of NumPy's functions, methods and attributes: plain NumPy against the graph."""
