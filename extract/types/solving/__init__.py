"""The constraint solver of shapes and element types, for programs without annotations.

`solver` is its face: fresh variables, signatures applied to operands, principal types.  `store` keeps what is
known, with a trail that undoes it.  `unification` has equality of dims and shapes; NumPy's broadcasting and
promotion are relations that wait for the variables they depend on (`broadcast_relations`, `dtype_relations`);
`signature_instances` and `computed_shapes` turn signatures of operations into constraints, and
`principal_types` shows what came out.

Imports `dims`, `tensors` and `notation`.  Start with `solver`; decisions are in ADRs 7 to 9.
"""
