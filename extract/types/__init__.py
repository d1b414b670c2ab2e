"""Types of tensors: symbolic sizes, how types are written, what operations make of them, what is inferred of them.

Rooms from the bottom up; each imports from those before it, and `rules` and `solving` do not see each other:

dims      symbolic sizes: polynomials in a normal form, and what is provable of them
tensors   the type of one tensor; NumPy's element types and their promotion; shape arithmetic
notation  types as text: terms with variables, the shape language, annotations
rules     the type rule of every primitive operation, and what it requires of sizes
solving   the constraint solver, for types that are inferred

Of the layers above, a type sees none: it imports `diagnostics` alone.  What types the arguments of a call
have is the layer `arguments`.
"""
