"""Arrays: subscripts read and written, order in memory, and writing where others may share the memory.

Start with `alias`, then `index_writes` and `advanced_indexing`.
"""
