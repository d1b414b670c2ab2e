"""The type of one tensor: element type, class of the Python object, symbolic shape; NumPy's rules of these.

`tensor_type` is what the whole project means by a type.  `element_types` and `bfloat16` say which element
types a graph has, `promotion` what NumPy makes of several (asked of NumPy itself), `shape_arithmetic` how shapes
broadcast, are cut and reshaped for all sizes at once.  `rule_errors` is the exception of an operation that is
wrong for every value.

Imports `dims`.  Start with `tensor_type`.
"""
