"""NumPy's functions, methods and attributes: a lowering for each, in rooms by what they do.

What lowerings share is in `arrays/lowering_arguments`; `programs` has those that are programs of the library, written
in the language itself, which is the first choice for a new one.

Imports the rooms from `values` to `host`.

Start with `programs` and `elementwise/ufuncs`.
"""
