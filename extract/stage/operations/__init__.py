"""Python's protocols, for values of every kind: a file for each, and in it what is common to all kinds.

A protocol deals with the forms of a value first (one of several, perhaps absent, on the host, of a class of the user's)
and then asks its kind, by a generic function: `attributes.attribute`, `items.item` and `write_item`,
`iteration.source`, `classes.python_class`, `known_and_truth.truth` and `as_operand`, `operator_slots`.  The answers
stand with the kinds, in the rooms above.

Imports the rooms from `values` to `paths`.

Start with `known_and_truth` and `items`; `operators` and `iteration` are the largest.
"""
