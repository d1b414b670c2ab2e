"""Arrays: subscripts read and written, attributes, order in memory, and writing where others may share the memory.

`indices` has subscripts; `alias` who may see a write; `layout` the order of elements in memory; `lowering_arguments`
what every lowering of NumPy does with its arguments; `operation_checks` what operations that may fail raise.

Imports the rooms from `values` to `kinds`.

Start with `indices/indexing`, then `alias` and `lowering_arguments`.
"""
