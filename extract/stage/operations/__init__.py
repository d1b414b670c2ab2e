"""Python's protocols: operators, truth, identity, items, attributes, iteration, texts, for values of every kind.

Start with `operators`, `known_and_truth` and `iteration`.
"""
