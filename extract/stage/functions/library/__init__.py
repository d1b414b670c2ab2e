"""Modules of Python's standard library that have a graph form: `math`, `functools`, `dataclasses`, `copy`.

Each function is a lowering under `@lowers_other`.
"""
