"""Functions of NumPy that act on arrays, written in the language itself; `stage/numpy/array_programs` lists them."""
