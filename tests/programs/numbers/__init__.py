"""Programs about numbers: Python's, NumPy's scalars, complex ones, bfloat16, those of classes."""
