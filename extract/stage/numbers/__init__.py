"""Numbers: Python's own, which do not overflow and raise; complex ones; bfloat16; numbers that the host tells.

`arithmetic` has operators and comparisons of numbers and arrays, once their operands are such; what a program may write
between any two values is `operations/operators`, which ends here.  Operations on complex numbers and bfloat16 are made
of others (`emission.of_complex`, `emission.of_bfloat16`).

Imports `values` and `machine`.

Start with `arithmetic` and `python_numbers`.
"""
