"""From a Python function to a functional graph.

Layers from the bottom up; each imports from those before it:

types      types of tensors: symbolic sizes, how types are written, what operations make of them
ir         the forms that a program has on its way: core tree, residual program, graph; how a call meets them
arguments  the types of what a program takes
source     text to core tree
library    parts of Python's and NumPy's libraries, written in the language
stage      core tree to residual program: the evaluator
control    residual program to graph
transform  graph to graph: passes
slice      what the host does: cut out of residual programs and graphs

Above them, `pipeline` says in which order all of this is done; below them are `diagnostics` and `own_modules`.
Start with `pipeline`.
"""
