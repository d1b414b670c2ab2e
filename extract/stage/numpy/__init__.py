"""NumPy's functions, methods and attributes: a lowering for each, in rooms by what they do.

What lowerings share is in `arrays/lowering_arguments`.  Programs of the library, written in the language itself, are
the first choice for a new one: `programs` says how one stands for a function, `array_programs`, `linear_algebra` and
`fourier` have the tables.

Imports the rooms from `values` to `host`.

Start with `programs`, `array_programs` and `elementwise/ufuncs`.
"""
