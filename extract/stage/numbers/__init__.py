"""Numbers: Python's own, which do not overflow and raise; complex ones; bfloat16; members of number classes.

Start with `python_numbers` and `conversions`.
"""
