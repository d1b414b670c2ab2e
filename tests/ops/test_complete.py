"""No operation is without a lowering, a row of tests, or a line of documentation."""

from __future__ import annotations

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.backends.onnx.rules import RULES
from graph_program.tensor_api.opdef import OPS
from tests.ops.rows import ROWS


def test_every_operation_has_a_lowering() -> None:
    assert sorted(RULES) == sorted(OPS)


def test_every_operation_has_a_row() -> None:
    assert sorted(ROWS) == sorted(OPS)


def test_every_operation_is_documented() -> None:
    assert [name for name, op in OPS.items() if not op.doc or not op.signature] == []
