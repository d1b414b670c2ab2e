"""Lines that nothing needs go, whatever fields and comments are called."""

from __future__ import annotations

from graph_program.backends.c.unused import names_in, without_unused


def test_fields_and_comments_read_no_variable() -> None:
    lines = ["const double *value_1;", "value_1 = x;", "error->value_1 = n;", "/* value_1.py:3 */"]
    assert without_unused(lines) == lines[2:]
    assert names_in("block.data = y[2] * 1.0f; /* z.py:1 */") == ["block", "y"]
