"""What rooms ask of the host above them: steps there, objects handed over, and what the host tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.values.generic import forward, generic
from graph_program.extract.stage.values.values import Host, Ref, Tensor, Text, Value

if TYPE_CHECKING:
    from graph_program.extract.ir.paths import Path
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.stage.machine.signals import Needed


@forward
def step(
    m: Machine,
    kind: str,
    *args: Value,
    keywords: Mapping[str, Value] | None = None,
    detail: str = "",
    text: str = "",
    note: Any = None,
    harmless: bool = False,
) -> Host:
    """A step that makes one object; what is known of it, a number or array is told at once."""


@forward
def keep(m: Machine, value: Value) -> Host:
    """A value as an object on the host."""


@forward
def there(m: Machine, value: Value) -> Value:
    """A value that the host has, told where a test has said that it is there."""


def text(m: Machine, value: Value) -> Host:
    """A text as an object on the host."""
    return value if isinstance(value, Host) else step(m, "keep", value, text="a string", note=str)


def with_text_there(m: Machine, value: Value) -> Value:
    """A text with computed numbers in it as an object on the host; any other value as it is."""
    return text(m, value) if isinstance(value, Text) else value


@generic
def as_key(m: Machine, key: Value, holder: Value) -> Value:
    """An index into something that the graph has: what the host tells of the numbers in it."""
    return key


@forward
def item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]` of what is on the host, or where the key is."""


@forward
def attribute(m: Machine, value: Value, cls: type, name: str) -> Value | None:
    """An attribute that only the host knows of an array or number of a class; None where it knows none."""


@forward
def do(m: Machine, kind: str, *args: Value, detail: str = "") -> None:
    """A step that makes nothing: a write or a deletion."""


@forward
def call(
    m: Machine,
    function: Value,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    text: str,
    note: Any = None,
) -> Host:
    """`function(*args, **keywords)` on the host."""


@forward
def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`; identity and membership are truth values, which the graph is told."""


@forward
def require_equality(m: Machine, op: str, a: Value, b: Value) -> None:
    """Refuse to ask the host for an object of the program itself, which it has copies of.

    Raises
    ------
    UnsupportedError
        GP325.
    """


@forward
def stale(m: Machine, target: Tensor | Ref, owners: Sequence[Tensor | Ref]) -> GraphProgramError | None:
    """The refusal of a write to what a value on the host that may still be read has a copy of.

    `owners` are what is written and the lists that it is in.
    """


@forward
def known_key(m: Machine, holder: Value, key: Value) -> Any:
    """A key of a dict of the program, known at extraction.

    Raises
    ------
    Needed, StaticNeeded, DTypeError
        Where it is computed, and no loop can be unrolled for it: the dict is to be made on the host.
    """


@forward
def kept(m: Machine, value: Value) -> Value:
    """What goes into a dict on the host, which keeps it: later writes to it in the graph would not be seen there.

    An array that nothing else has is the host's own, which may be written there.
    """


@forward
def needed(m: Machine, holder: Value, error: GraphProgramError) -> Needed | None:
    """What has a dict made on the host, or left there where it is the caller's; None where that was no help."""


@forward
def made_set(m: Machine, cls: type, given: Sequence[Value]) -> Host:
    """A new set on the host."""


@forward
def captured_container(m: Machine, value: Any, path: Path) -> Host:
    """A captured deque, `defaultdict`, `Counter` or buffer: the host's, as it changes all the time."""


@forward
def operand(
    m: Machine, value: Value, what: str, other: Value | None = None, element: np.dtype[Any] | None = None
) -> Value:
    """What the graph has for a value: for one on the host what that tells of it.

    Parameters
    ----------
    what : str
        What it is of an operation, for the refusal.
    other : Value, optional
        The other operand, whose type may be what is meant.
    element : dtype, optional
        That of the array to whose elements it is assigned.

    Raises
    ------
    DTypeError
        GP520 where its type is not known.
    """


@forward
def call_there(m: Machine, value: Any, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A call of host code: made after the run if it can wait, else where it is reached."""


@forward
def no_graph_form(m: Machine, value: Any) -> diagnostics.GraphProgramError:
    """The refusal of a NumPy function that no operation stands for."""


@forward
def contents(m: Machine, value: Value) -> list[Tensor | Ref]:
    """The arrays and objects in a value of the program, but for itself."""


@forward
def each(m: Machine, iterable: Value, body: Callable[[Value], None], carried: frozenset[str]) -> None:
    """Run `body` for everything that the host goes through, in an expression."""


def refused_write(m: Machine, place: diagnostics.Loc, code: str, message: str, *, hint: str) -> GraphProgramError:
    """The refusal of a write to what the host has a copy of since it went there at a place."""
    label = diagnostics.Label(place, "it goes there here")
    return m.error(code, message, cls=diagnostics.ProgramValueError, labels=(label,), hint=hint)
