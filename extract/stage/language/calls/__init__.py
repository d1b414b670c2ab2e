"""Calls: who takes which callable, arguments given to parameters, inlining, recursion.

Start with `calls`, then `recursion`.
"""
