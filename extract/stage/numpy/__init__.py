"""NumPy's functions, methods and attributes: a lowering for each, in rooms by what they do.

What lowerings share is in `arrays/lowering_arguments`.  Programs of the library, written in the language itself, are
the first choice for a new one: `array_programs` says how one stands for a function, and has the tables.

Imports the rooms from `values` to `host`.

Start with `array_programs` and `elementwise/ufuncs`.
"""
