"""Functions that fail; a file of its own, since pytest rewrites the asserts of test files."""


def inner(n):
    assert n > 3, "too small"
    return n


def outer(n):
    return inner(n) * 2
