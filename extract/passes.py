"""What a pass is, and how a list of passes is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field

from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.records import dataclass

Hook = Callable[[str, GraphProgram], None]
"""Called as `hook(name, program)` behind each pass: to dump, to verify, to time."""


@dataclass(frozen=True)
class Pass:
    """One rewriting of a graph program, in place.

    Attributes
    ----------
    name : str
        What it is called in `explain` and where passes are disabled.
    run : callable
        Changes the program that it is given.
    requires, ensures : frozenset of str
        Properties of the program before and behind it, by name.
    """

    name: str
    run: Callable[[GraphProgram], None]
    requires: frozenset[str] = field(default=frozenset())
    ensures: frozenset[str] = field(default=frozenset())


class PassError(RuntimeError):
    """A pass that fails; the message names the passes that ran before it."""


def run_passes(
    program: GraphProgram,
    passes: Iterable[Pass],
    disabled: frozenset[str] = frozenset(),
    hook: Hook = lambda name, program: None,
) -> None:
    """Run passes in order, in place, but for the disabled ones.

    Raises
    ------
    PassError
        If a pass fails, or one runs whose requirements no pass before it ensures.
    """
    done: list[str] = []
    ensured: set[str] = set()
    for item in passes:
        if item.name in disabled:
            continue
        if not item.requires <= ensured:
            missing = ", ".join(sorted(item.requires - ensured))
            raise PassError(f"pass {item.name} requires {missing}; ran before: {', '.join(done)}")
        try:
            item.run(program)
            hook(item.name, program)
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            raise PassError(f"pass {item.name} failed; ran before: {', '.join(done) or 'none'}") from error
        done.append(item.name)
        ensured |= item.ensures
