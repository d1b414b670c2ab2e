"""What is told of a program on the way: refusals that the evaluation goes on after, revealed types, kept promises.

Start with `recovery`.
"""
