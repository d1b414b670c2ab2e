"""Programs with NumPy's functions."""
