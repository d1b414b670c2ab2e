"""The type rule of every primitive operation: operand types in, result type out, with what may fail at run time.

`type_rules` has the table and `infer`, which asks it; families with much to say have files of their own
(`indexing`, `products`, `neural`).  A rule sees a `Site`.  What it cannot decide for all sizes it requires
(`requirements`), as clauses over dims; `facts` are such clauses once they are known, and say what follows.

Imports `dims` and `tensors`; how types are written and inferred is nothing to a rule.
Start with `type_rules`, then `facts`.
"""
