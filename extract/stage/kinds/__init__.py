"""Kinds of Python values with behaviour of their own: iterators, ranges, dict views, texts, exceptions.

One file a kind; the values themselves are in `values`.  A file registers its kind's answers to the protocols of
`operations` (`@items.item.of(Range)`); else only operators and builtin functions name it.

Imports the rooms from `values` to `operations`.

Start with `range_values`, which is small, then `explicit_iterators`.
"""
