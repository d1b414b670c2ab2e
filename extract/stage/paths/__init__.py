"""Paths of control: branches, blocks and their exits, what a test says of values, where an exception goes.

`flow` has branches, and blocks and leaving them, `joins` what is merged where paths meet, `several` what is asked
of each thing that a value may be, `loop_heads` what a loop carries.  `raising` says where an exception goes and
catalogues it; checks of sizes with NumPy's messages are in `size_messages`.

Imports `values`, `machine` and `numbers`.

Start with `flow`, then `narrowing`, `joins/join` and `raising`.
"""
