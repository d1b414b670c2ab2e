"""Python's own functions: builtins and the standard library.

A function is a lowering in `machine/registry`: known where its arguments are known, else operations, a program of the
library (`entries.run`), or a step on the host.  `numpy` does not see this room, nor this room `numpy`.

Imports the rooms from `values` to `host`.

Start with `builtins/builtins`.
"""
