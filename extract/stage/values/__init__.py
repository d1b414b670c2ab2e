"""What a value of the evaluator is: kinds and forms, their parts, what they are called.

Data only: nothing here emits an operation.  Imports nothing of the evaluator at run time.
Start with `values`.
"""
