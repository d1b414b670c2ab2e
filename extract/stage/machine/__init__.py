"""What all parts of the evaluator share: the state, what is emitted, errors, restarts, known functions.

Imports `values`.  Start with `machine`, then `state` and `signals`.
"""
