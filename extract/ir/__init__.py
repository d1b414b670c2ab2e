"""The forms that a program has on its way, as data: core tree, residual program, graph.

`tree` is what `source` makes of the text, `residual` what the evaluator leaves, `graph` the functional form;
`printer`, `tree_printer` and `verifier` print and check them.  How a call meets a graph is `interface`, with `specs`
of the arguments, `results`, and `paths` to what is in either; `host` is what Python runs beside it.

Imports `types` and `diagnostics`.  Start with `graph`, then `interface`.
"""
