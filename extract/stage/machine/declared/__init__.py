"""Functions that rooms below ask for and rooms above give: calls and loops, the host, lists and tables.

Each is declared with `@forward` (see `values/generic`), so that no room imports one above it.
"""
