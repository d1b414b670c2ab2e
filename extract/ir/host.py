"""Host code: what Python runs beside the graph, one step at a time.

    obs = env.step(x.sum())         s = sum(x)
    total += obs[0]            ->   h1 = host[0](s)             # env.step(s)
                                    h2 = host[1](h1)            # h1[0]
                                    total = host[2](total, h2)  # total + h2

The graph decides what is reached; a `HostStep` is what Python does where it is.  An object that stays on
the host has a number there, and the graph carries the number: an int64 scalar like any other, which goes
through branches, loops and lists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.results import CapturedResult, Result
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

SEND, STEP, RECEIVE = "host_send", "host_step", "host_receive"
"""What the control flow graph has for a step; all take and the first two give the value that keeps them in order.

    host1 = host_send(host, value, step=, slot=)        hand over what a step is going to read
    host2 = host_step(host1, *objects, step=)           have it done
    value = host_receive(host2, step=, slot=)           what it tells
"""
EXCHANGE, START, WAIT, FAILED = "host_exchange", "host_start", "host_wait", "host_failed"
"""What the graph has, at the end: one operation for all of a step (see `slice/exchanges`), or two with other work
between them (see `slice/overlap`).

    host2, *told = host_exchange(host, *objects, *sent, step=)
    host2 = host_start(host, *objects, *sent, step=)
    *told = host_wait(host2, *behind, step=)            behind: what has to be done before
    failed = host_failed(host)                          whether the host has raised what ends the run
"""
HOST_OPS = frozenset([SEND, STEP, RECEIVE, EXCHANGE, START, WAIT, FAILED])
ERROR = "error"
"""The kind of a step that makes an exception of the graph's own on the host: nothing but that."""
HOST = "host"
"""The variable that all of them take, and the name of the input with its first value."""
NUMBER = TensorType(np.dtype(INT64), (), Kind.PYTHON)
"""The type of the number that stands for an object on the host."""


@dataclass(frozen=True)
class Variables:
    """What a step reads and writes, by the names of the residual program."""

    objects: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    receives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scope:
    """What has a name where a step begins; see `stage/host/steps/host_scopes`.

    Attributes
    ----------
    frames : frozenset of str
        The calls that are going on.
    present : frozenset of str
        The names, with their frames, that are known to have something; only those that have had an object.
    has : tuple of tuple of str
        The places that have objects, each with the variable of its number.
    """

    frames: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()
    has: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Lifetimes:
    """Which objects end behind a step; see `slice/lifetimes`.

    Attributes
    ----------
    groups : tuple of int
        The group of each new object; -1 where nobody reads it.
    ends : tuple of int
        The groups whose objects end there, but for the new ones and those that are kept.
    keeps : int
        How many objects, the last that the step is given, are there to be kept.
    over : tuple of int
        The groups of iterators that are left by then, and go before the step is done: generators have an end to run.
    """

    groups: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    keeps: int = 0
    over: tuple[int, ...] = ()


@dataclass(frozen=True)
class HostStep:
    """One thing that Python does on the host, or several in a row.

    Attributes
    ----------
    kind : str
        What it does: a key of the table in `backends/host/steps`, such as "call" or "item".
    args, keywords : tuple
        What it does it to.  The indices in them are places in `objects` (for an `ObjectResult`) and in
        the values that the graph sends (for all others).
    detail : str
        The operator, or the attribute.
    results : int
        How many new objects it makes that the graph gets numbers for.
    receives : tuple of TensorType
        The values that the graph gets of what it makes.
    sends : tuple of TensorType
        The values that the graph sends.
    tells : tuple of int
        Of which new object each value is that the graph gets, for those that are one; -1 for others.
    text : str
        The expression in the user's words, for messages.
    loc : Loc
    """

    kind: str
    args: tuple[Result, ...]
    keywords: tuple[tuple[str, Result], ...] = ()
    detail: str = ""
    results: int = 0
    receives: tuple[TensorType, ...] = ()
    sends: tuple[TensorType, ...] = ()
    text: str = ""
    loc: Loc = UNKNOWN
    changes: bool = True
    """Whether it may change what the program has captured: it runs code that is not known."""
    tells: tuple[int, ...] = ()
    explicit: bool = False
    """Whether the user asked for what crosses."""
    made: tuple[Any, ...] = ()
    """Where each value that crosses was made."""
    asked: frozenset[int] = frozenset()
    """Which of the values that the graph gets the user asked for."""
    truths: frozenset[int] = frozenset()
    """Which of the bools that the graph gets are only asked for their truth; see `slice/truths`."""
    variables: Variables = Variables()
    """The names of what it reads and writes; generated code is written with them."""
    parts: tuple[HostStep, ...] = ()
    """With the kind "run": what is done one after the other, with nothing of the graph between."""
    catches: tuple[tuple[type[BaseException], ...], ...] = ()
    """The classes of the handlers around it, the innermost first.  With these, the last new object is the exception
    that the step has raised, and the last thing that it tells is who takes it: 0 for none raised, else i + 1."""
    outside: tuple[int, ...] = ()
    """How many calls that were inlined are around each of these handlers: tracebacks begin where they are."""
    handled: int = -1
    """The place in `objects` of the exception that is being handled, as the code of the step can ask for; or none."""
    watched: tuple[int, ...] = ()
    """The arguments that may be, or hold, copies of objects of the program's, which it would not see changed."""
    copied: tuple[type, ...] | None = None
    """The classes of these objects; None where they may be of any."""
    lends: bool = False
    """Whether what it is given may be kept, while the program has it, too."""
    looks: bool = False
    """Whether something that a step before has lent may be changed by it."""
    scope: Scope = Scope()
    """What has a name when it begins."""
    holds: tuple[tuple[str, str], ...] = ()
    """The variables whose objects are held from here on, and for which place: see `slice/scopes`."""
    lets_go: tuple[tuple[str, str], ...] = ()
    """The places that no longer have an object when it begins, with its variable."""
    lifetimes: Lifetimes = Lifetimes()
    """Which objects end behind it; known when the program is otherwise done."""

    @property
    def is_array_of_list(self) -> bool:
        """Whether it is `np.array(items)`, which cannot see in an empty list what would be in it."""
        first = self.args[0] if self.kind == "call" and len(self.args) == 2 and not self.keywords else None
        return isinstance(first, CapturedResult) and first.value in (np.array, np.asarray)
