"""Objects: instances that the program makes, captured ones whose attributes are state, tables of objects.

Start with `construct`, then `captured_state` and `object_tables`.
"""
