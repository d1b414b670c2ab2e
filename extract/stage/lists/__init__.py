"""Lists of computed length: their columns, how elements are laid out, what Python does with such lists.

A list whose length only a run knows is a column for each number or array in its elements (`values/layouts`).  `columns`
and `list_columns` make and read them, `growing_joins` merges them where paths meet, `element_writes` writes through an
element that was read, `positions` reads known and computed lists at positions.

Imports the rooms from `values` to `arrays`.

Start with `growing_lists`, then `columns` and `common_layouts`.
"""
