"""The evaluator: a live function and the types of its arguments in, a residual program out.

Names, attributes and calls can only be resolved with values in hand, so that static evaluation, inlining,
scalarization and the inference of types are one walk over the core tree.  The rooms, from the bottom up, each of which
imports from those before it:

    values      what a value of the evaluator is
    machine     the state, what is emitted, checks of what may fail
    numbers     Python's numbers, complex numbers, bfloat16
    paths       branches, what is merged where they meet, what a test says
    operations  Python's operators, items, attributes, iteration, texts
    kinds       dict views, ranges, iterators, exceptions, texts
    arrays      indexing, writing, who shares memory
    lists       lists of computed length
    objects     instances, captured state, tables of objects
    opened      types that are being inferred
    host        what only Python can do: objects there, steps, signatures of libraries
    functions   Python's builtins and its standard library
    numpy       NumPy's functions
    language    expressions, statements, loops, calls
    program     arguments, results, restarts, the entry

Start with `program/evaluate`, then `language/syntax/statements` and `values/values`.
"""
