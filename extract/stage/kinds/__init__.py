"""Kinds of Python values with behaviour of their own: iterators, ranges, dict views, texts, exceptions.

One file a kind; the values themselves are in `values`.
"""
