"""Functions of each element: NumPy's ufuncs, choices, rounding."""
