"""What all parts of the evaluator share: the state, what is emitted, handlers, restarts, known functions.

A `Machine` has what is known at the point that is evaluated, and emits operations, checks and errors.  `registry` has
the lowerings of functions by the live object; `signals` what a restart decides; `inference` the solver of open types.
`declared` is the way up: what every room may ask of the language, of values in use, of the host, of lists and tables.
`memory` knows what is inside arrays and objects and who else can reach them; `checks` are what a run may fail with.

Imports `values`.

Start with `machine`, then `state`, `declared/entries` and `signals`.
"""
