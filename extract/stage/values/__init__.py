"""What a value of the evaluator is: kinds and forms, their parts, what they are called, how lists lay out elements.

Data, and questions that a value answers without a machine: nothing here emits an operation.  `generic` has the two
forms in which a room asks what rooms above it know: `forward` (one file gives the function) and `generic` (each kind of
value gives its answer).  `choices` has values that are one of several, `sharing` which arrays may be the same memory.

Imports nothing of the evaluator at run time.

Start with `values`, then `generic`; `column_data` and `layouts` are about lists of computed length.
"""
