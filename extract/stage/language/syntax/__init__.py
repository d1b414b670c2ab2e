"""Expressions and statements of the core tree, evaluated one after another.

Start with `statements` and `expressions`.
"""
