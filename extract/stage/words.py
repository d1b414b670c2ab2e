"""The functions that a program calls to talk about its own extraction.

The front door marks them (`__graph_program_word__`), so that the extractor need not import it.
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.stage.join import MAX_UNROLL
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.structure import describe
from graph_program.extract.stage.use import settled, static
from graph_program.extract.stage.values import Static, Tuple, Value

Word = Callable[[Machine, list[Value], dict[str, Value]], Value]


def unchanged(m: Machine, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`to_host(x)`, `to_device(x)`: where no host code is, nothing is copied."""
    return [*args, *keywords.values()][0]


def static_range(m: Machine, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`static_range(...)`: a sequence that is gone through one by one."""
    numbers = range(*(static(m, a, "a bound of static_range") for a in args))
    if len(numbers) > MAX_UNROLL:
        raise m.error(
            "GP358",
            f"static_range of {len(numbers)} rounds; a loop is unrolled up to {MAX_UNROLL}",
            hint="use range, which makes a loop of the graph",
        )
    return Tuple(tuple(Static(i) for i in numbers))


def reveal(m: Machine, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`reveal(x)`: the type found for a value, noted for `explain` and `check`."""
    value = settled(m, args[0])
    m.notes.append(f"{m.loc}: revealed type is {describe(value)}")
    return value


WORDS: dict[str, Word] = {
    "to_host": unchanged,
    "to_device": unchanged,
    "static_range": static_range,
    "reveal": reveal,
}
