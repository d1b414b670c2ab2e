"""Profiles of programs: onnxruntime's own times of operations, told for the lines of the source.

`measured` runs a model with onnxruntime's profiler and reads what it has written, `overhead` takes the profiler's own
time out of it, `nodes` finds the source places of what ran, `profile` adds up what `listing` and `speedscope` show.
"""
