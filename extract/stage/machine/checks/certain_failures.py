"""Operations that fail for all sizes, where not every run gets: the path ends with NumPy's error.

    if flag:                            if flag:
        y = a @ b          ->               raise ValueError("matmul: ...")

A program is refused only for what every run of it fails with.  Elsewhere the refusal is kept as a
finding, for a warning and for `graph-program check`, and the path raises what Python would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError
from graph_program.extract.stage.machine import handlers
from graph_program.extract.stage.machine.checks.size_facts import Sizes, given_parts
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.values import exception_values
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Static, Value

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine

PYTHON: dict[type[Exception], type[Exception]] = {
    diagnostics.ProgramAxisError: np.exceptions.AxisError,
    ValueError: ValueError,
    IndexError: IndexError,
    TypeError: TypeError,
    NameError: NameError,
    AttributeError: AttributeError,
}
"""What a refusal of this class is where the program raises it; the first that fits."""
RAISED = frozenset({"GP301", "GP303", "GP304", "GP306"})
"""Refusals of what Python raises, too."""
CATCHABLE = frozenset({"GP302", "GP307", "GP315", "GP320"})
"""Refusals with Python's own text, which a `try` around may be there for."""
SOMETIMES = "not every run gets here; one that does raises this"
WRONG: dict[type[Exception], type[GraphProgramError]] = {
    LookupError: diagnostics.ProgramIndexError,
    ValueError: diagnostics.ProgramValueError,
    ZeroDivisionError: diagnostics.ProgramValueError,
}
"""What a mistake raises, and what it is told as."""


def note_failure(m: Machine, exception: type[BaseException], message: Sequence[Any]) -> None:
    """Note an index, a key or a value that is wrong whenever the program gets here.

    Of a number that is wrong where it is of one class, as the sum of an empty list is an integer, none is noted: the
    program may have asked for it before.
    An extraction that goes on after refusals goes on after this one, too.
    """
    cls = next((ours for theirs, ours in WRONG.items() if issubclass(exception, theirs)), None)
    if cls is None or m.inference is not None or m.state is None or _is_split(m) or m.choices.classes:
        return
    text = "".join(part if isinstance(part, str) else "..." for part in exception_values.spelled(message))
    if issubclass(exception, KeyError):
        key = known_value(message[0], text)
        text = f"there is no key {key!r}"
    error = cls(Diagnostic("GP303", text, m.loc))
    if m.options.recovery is not None:
        raise error
    _note(m, error)


def _is_split(m: Machine) -> bool:
    """Whether a statement is evaluated for one of the things that a value may be, which perhaps no run gets to."""
    return m.choices.splitting > 0 or m.choices.splits > 0


def _note(m: Machine, error: GraphProgramError) -> None:
    """Keep a finding, once; what no run of a library's code gets to is none."""
    found, always = error.diagnostic, m.state is None or m.state.certain
    if m.loc.is_library and not always:
        return
    notes = (*found.notes, *(() if always else (SOMETIMES,)))
    if all((f.diagnostic.message, f.diagnostic.loc) != (found.message, found.loc) for f in m.report.findings):
        m.report.findings.append(type(error)(replace(found, notes=notes)))


def may_not_get_here(m: Machine) -> bool:
    """Whether a run may do without what is evaluated now."""
    if m.options.recovery is not None or m.inference is not None:
        return False
    return m.state is not None and not m.state.certain


def may_be_raised(m: Machine, error: GraphProgramError, raised: bool) -> bool:
    """Whether a refusal ends the path only: where not every run gets, and where the program catches it.

    A statement that is evaluated for each thing that a value may be fails as Python does for the one that it is.
    """
    code = error.diagnostic.code
    if raised or code in RAISED:
        return may_not_get_here(m) or handlers.is_caught(m, python_class(error))
    split = _is_split(m) and may_not_get_here(m)
    return code in CATCHABLE and (split or handlers.is_caught(m, python_class(error)))


def python_class(error: GraphProgramError) -> type[Exception]:
    """What Python raises where a program is refused with this."""
    if error.diagnostic.code == "GP306":
        return UnboundLocalError if error.diagnostic.message.startswith("cannot access local") else NameError
    return next(theirs for ours, theirs in PYTHON.items() if isinstance(error, ours))


def end_path(
    m: Machine,
    error: GraphProgramError,
    exception: type[Exception] | None = None,
    parts: Sequence[Any] = (),
    arguments: Sequence[Any] = (),
    operands: Sequence[Value] = (),
) -> NoReturn:
    """Raise the Python exception of a refusal on the present path, and keep the refusal as a finding.

    `parts` is the message with its dims, which are shown as numbers when it is raised, found in the arguments
    of the program and the `operands`; `arguments` those of the exception, where they are not its message.
    """
    exception = exception or python_class(error)
    if not handlers.is_caught(m, exception) and not _is_split(m):
        _note(m, error)
    if arguments:
        entries.fail(m, exception_values.ExceptionObject(exception, tuple(map(Static, arguments))))
    message = Sizes(m, operands).message(given_parts(parts, operands) or (error.diagnostic.message,))
    entries.fail(m, exception_values.with_message(exception, message))
