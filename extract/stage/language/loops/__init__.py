"""Loops: the stable state at a loop's head, unrolling, peeling.

Start with `loops`.
"""
