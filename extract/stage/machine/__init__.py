"""What all parts of the evaluator share: the state, what is emitted, handlers, restarts, known functions.

A `Machine` has what is known at the point that is evaluated, and emits operations, checks and errors.  `registry` has
the lowerings of functions by the live object; `signals` what a restart decides; `inference` the solver of open types.
`entries` is the way up: what every room may ask of the language, of values in use and of the host, declared here and
given where it is done.

Imports `values`.

Start with `machine`, then `state`, `entries` and `signals`.
"""
