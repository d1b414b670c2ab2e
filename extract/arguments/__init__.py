"""What a program takes: the types of the arguments of a call, and of parameters that only have annotations.

`argument_specs` makes the spec of each argument (`ir.specs`), from its value and its annotation; `row_specs`
says which lists may have any length, `open_specs` what is left open to be inferred.  `call_sizes` checks
that a dim's name means the same size everywhere, once in full and once compiled for each call; `spec_dims` has
the names of dims in specs, and puts sizes in their places.

Imports `types` and `ir`: a spec is a part of a program's interface.  The evaluator and the front door import
from here.  Start with `argument_specs`.
"""
