"""Lines that nothing needs go, whatever fields and comments are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Tensor, UInt8, graph_program
from graph_program.backends.c.unused import names_in, without_unused
from tests.native.compilers import needs_compiler

LOOP = ["GP_APART", "for (int64_t i = 0; i < 3; i++) {", "    /* z.py:3 */", "    v[i] = x[w[i]];", "}"]


def test_fields_and_comments_read_no_variable() -> None:
    lines = ["const double *value_1;", "value_1 = x;", "error->value_1 = n;", "/* value_1.py:3 */"]
    assert without_unused(lines) == lines[2:]
    assert names_in("block.data = y[2] * 1.0f; /* z.py:1 */") == ["block", "y"]


def test_arrays_that_are_only_written_go_with_their_loops() -> None:
    for declared in ("double v[3];", "double *v = workspace->v;"):
        assert without_unused(["int32_t w[3];", "w[0] = n;", declared, *LOOP, "y = n;"]) == ["y = n;"]


def test_arrays_that_something_else_reads_stay() -> None:
    others = (
        ["double *v = y;", *LOOP],  # the memory of another one
        ["double v[3];", *LOOP, "memcpy(y, v, 3);"],
        ["double v[3];", *LOOP, "y[0] = v[n];"],
        ["double v[3];", "v[n++] = 1.0;", "*result = n;"],
        ["double v[3];", "double *a = v;", *LOOP, "y[0] = a[0];"],
    )
    for lines in others:
        assert without_unused(lines) == lines


def decided_by_types(x: UInt8[Tensor, "2 3"]) -> Any:
    """What is made for operations whose operands say nothing that their types do not."""
    turned, ordered = np.einsum("ij->ji", x), np.sort(x, axis=1)
    sums = np.einsum("ij->ji", np.cumsum(x, axis=0))
    return np.isnan(turned), ordered <= 255, np.isfinite(sums).all(), sums == sums


@needs_compiler
def test_what_types_decide_is_not_made(tmp_path: Path) -> None:
    summary = graph_program(decided_by_types).export(
        tmp_path / "decided.c", (np.array([[3, 1, 2], [0, 9, 255]], np.uint8),)
    )
    text = (tmp_path / "decided.c").read_text()
    assert "compiled without warnings" in str(summary)
    assert "turned" not in text and "sums" not in text
