"""Python's protocols of numbers: conversions, members of number classes, `__int__`, `__index__` and `__float__`.

Start with `conversions`.
"""
