"""Arrays whose types are inferred from their uses: what the evaluator does with an `Open` value.

A parameter without an annotation starts as an `Open`: an element type, a rank and sizes that are
variables of the solver.  Operators, subscripts and NumPy functions on it give constraints instead of
operations, and results that are open in turn.  When the function has been evaluated, the solver knows
the types of parameters and results as far as the program determines them.

Imports the rooms from `values` to `objects`.

Start with `subscripts`, then `operators` and `schemes`.
"""
