"""Functions of NumPy that act on arrays, written in the language itself; see `stage/numpy/array_programs`."""
