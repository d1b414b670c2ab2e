"""The language: what each expression and statement of the core tree does.

`syntax` has expressions, targets and statements, `loops` loops of known and unknown length, `calls` who takes which
callable, and inlining.  What rooms below ask of it is declared in `machine/declared/entries` and given here.

Imports all rooms below.

Start with `syntax/statements`, `syntax/expressions` and `calls/calls`.
"""
