"""NumPy's functions, methods and attributes: a lowering for each, in rooms by what they do.

What they share is here: start with `common`; `programs` has those that are written in the language itself.
"""
