"""Operations that fail for all sizes, where not every run gets: the path ends with NumPy's error.

    if flag:                            if flag:
        y = a @ b          ->               raise ValueError("matmul: ...")

A program is refused only for what every run of it fails with.  Elsewhere the refusal is kept as a
finding, for a warning and for `graph-program check`, and the path raises what Python would.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import residual
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.machine import Machine, Unreachable

PYTHON = (ValueError, IndexError, TypeError)


def may_not_get_here(m: Machine) -> bool:
    """Whether a run may do without what is evaluated now."""
    if m.options.recovery is not None or m.inference is not None:
        return False
    return m.state is not None and not m.state.certain


def end_path(
    m: Machine,
    error: GraphProgramError,
    exception: type[Exception] | None = None,
    parts: Sequence[Any] = (),
) -> NoReturn:
    """Raise the Python exception of a refusal on the present path, and keep the refusal as a finding.

    `parts` is the message with its dims, which are shown as numbers when it is raised.
    """
    from graph_program.extract.stage.size_facts import Sizes

    found = error.diagnostic
    if all((f.diagnostic.message, f.diagnostic.loc) != (found.message, found.loc) for f in m.findings):
        m.findings.append(error)
    exception = exception or next(cls for cls in PYTHON if isinstance(error, cls))
    args: tuple[Operand, ...]
    number, args = m.error_number(exception, Sizes(m, ()).message(parts or (found.message,)))
    m.emit(residual.Raise(number, args, loc=m.loc))
    m.state = None
    raise Unreachable
