"""Objects: instances that the program makes, captured ones whose attributes are state, tables of objects.

`construct` makes instances, `object_attributes` reads what an object and its class have, `captured_state` says which
captured objects are state, `object_tables` keeps objects of one class as rows, `live_reads` guards what is read of the
world outside; `structure_operators` has `+ == < in` of lists, tuples, dicts and instances.

Imports the rooms from `values` to `lists`.

Start with `construct`, then `object_attributes`, `captured_state` and `object_tables`.
"""
