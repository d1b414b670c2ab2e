"""Paths of control: branches, blocks and their exits, what a test says of values, where an exception goes.

`flow` has branches, and blocks and leaving them, `joins` what is merged where paths meet, `several` what is asked
of each thing that a value may be, `loop_heads` what a loop carries.  `raising` says where an exception goes and
catalogues it, and what NumPy says of sizes that do not fit.

Imports `values`, `machine` and `numbers`.

Start with `flow`, then `narrowing`, `joins/join` and `raising`.
"""
