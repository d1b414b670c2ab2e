"""How types are written, and read: terms with variables, the shape language, annotations of functions.

`terms` are types and shapes in which something is a variable; each prints itself in the shape language,
which `shape_language` reads.  An annotation object becomes a description (`annotations`) by
`annotation_reading`: jaxtyping's, whose strings `dims_strings` reads; ours, which `shaped` makes and reads; Python's
own.  `evaluated_annotations` finds the objects of annotations that are text.  `declared_dims` are the bounds of
`dims={"n": (1, 8)}`, imported where programs are decorated: it loads nothing else.

Imports `dims` and `tensors`.  Start with `terms`, then `annotations`.
"""
