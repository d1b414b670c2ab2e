"""Functions of NumPy that act on arrays, written in the language itself; `stage/numpy/programs` registers them."""
