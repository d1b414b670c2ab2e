"""Subscripts of arrays: basic and advanced indices, read and written.

Basic indices (integers, slices, `...`, `None`) give views; integer arrays and masks give
copies.  Start with `indexing`.
"""
