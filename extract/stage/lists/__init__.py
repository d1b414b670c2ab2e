"""Lists of computed length: their columns, how elements are laid out, what Python does with such lists.

Start with `growing_lists`, then `layouts`.
"""
