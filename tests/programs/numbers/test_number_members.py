"""Members of classes of numbers: IntEnum, IntFlag, float and str enums, in operators and NumPy's functions."""

# ruff: noqa: SIM300 - which side a member stands on matters

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np
import pytest

from graph_program import UnsupportedError, graph_program
from tests.programs.plain import check


class Tag(enum.IntEnum):
    PAD = 0
    DATA = 1
    END = 7


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2
    RUN = 8


class Rate(float, enum.Enum):
    LOW = 0.5
    HIGH = 2.25


class Unit(str, enum.Enum):  # noqa: UP042 - it is this older way that is tried
    METRE = "m"


class Color(enum.Enum):
    RED = 1
    BLUE = 2.5
    NONE = "none"


class Gain(float):
    """A float of the user's own."""


class Level(enum.IntEnum):
    """A member that compares in its own way."""

    LOW = 1
    HIGH = 2

    def __lt__(self, other: Any) -> Any:
        return self.value > other


OWN = Gain(1.5)
BYTES = [(np.array([v, 1, 0, 7], np.uint8),) for v in (0, 1, 7, 9, 255)]
NUMBERS = [(v,) for v in (0, 1, 2, 7, -1, 300)]
FLOATS = [(np.array([0.5, 2.25, -1.0], np.float32),), (np.array([], np.float32),)]


def test_comparison_with_a_python_number() -> None:
    def program(n: int) -> Any:
        return n == Tag.DATA, Tag.DATA == n, n != Tag.PAD, n < Tag.END, Tag.END <= n, n in (Tag.PAD, Tag.END)

    check(program, *NUMBERS)


def test_comparison_with_numpy_numbers_and_arrays() -> None:
    def program(x: Any) -> Any:
        return x == Tag.DATA, x[0] == Tag.PAD, Tag.END != x, x > Tag.DATA, Tag.END in x, x[0] in [Tag.PAD, Tag.END]

    check(program, *BYTES)


def test_arithmetic_widens_as_in_numpy() -> None:
    def program(x: Any) -> Any:
        return (
            x + Tag.DATA,
            x[0] + Tag.END,
            Tag.END - x[0],
            x * Rate.LOW,
            x[0] * Rate.HIGH,
            x & Access.READ,
            x // Tag.END,
        )

    check(program, *BYTES)


def test_arithmetic_of_python_numbers() -> None:
    def program(n: int, f: float) -> Any:
        return n + Tag.DATA, n * Rate.HIGH, f - Tag.END, Tag.END**n if n >= 0 else 0, n << Tag.DATA, f * OWN, -Tag.END

    check(program, (3, 1.5), (-2, 0.0), (7, math.inf))


def test_narrow_floats_widen_beside_a_float_member() -> None:
    def program(x: Any) -> Any:
        return x * Rate.LOW, x + Tag.DATA, x * OWN, np.maximum(x, Rate.LOW)

    check(program, *FLOATS)


def test_functions_of_numpy() -> None:
    def program(x: Any) -> Any:
        y = np.where(x == Tag.DATA, Tag.END, Tag.PAD)
        z = np.where(x > Tag.PAD, x, Tag.PAD)
        return y, z, np.add(x, Tag.DATA), np.clip(x, Tag.PAD, Tag.DATA), np.full(2, Tag.END), x.clip(max=Tag.DATA)

    check(program, *BYTES)


def test_making_arrays() -> None:
    def program(x: Any) -> Any:
        return (
            np.array([Tag.PAD, x[0]]),
            np.zeros(Tag.END),
            np.array([Tag.END, Tag.DATA], np.int16),
            np.full(Tag.END, Rate.LOW),
            np.float32(Tag.END),
            np.asarray(Tag.END) + x,
            np.arange(Tag.END),
            np.isin(x, [Tag.PAD, Tag.END]),
        )

    check(program, *BYTES)


def test_indices_sizes_and_axes() -> None:
    def program(x: Any) -> Any:
        pairs = x.reshape(2, 2)
        items = [x[0], x[1]]
        first = {0: x[0], 1: x[1]}[Tag.DATA]
        return x[Tag.DATA], x[Tag.DATA :], pairs[Tag.DATA, Tag.PAD], pairs.sum(axis=Tag.DATA), items[Tag.DATA], first

    check(program, *BYTES)


def test_writes() -> None:
    def program(x: Any) -> Any:
        x[0] = Tag.END
        x[x == Tag.DATA] = Tag.PAD
        x[Tag.DATA] += Tag.DATA
        return x

    check(program, *BYTES)


def test_match() -> None:
    def program(x: Any) -> Any:
        found = []
        for v in (x[0], int(x[1])):
            match v:
                case Tag.PAD:
                    found.append(10)
                case Tag.DATA | Tag.END:
                    found.append(20)
                case _:
                    found.append(30)
        return found

    check(program, *BYTES)


def test_a_state_machine_of_members() -> None:
    def program(x: Any) -> Any:
        state, counts = Tag.PAD, np.zeros(8, np.int64)
        total = 0
        for v in x:
            if state == Tag.PAD and v > 1:
                state = Tag.END
            elif state == 7 and v == Tag.PAD:
                state = Tag.DATA
            counts[state] += 1
            total += state * 2
            if state:
                total -= 1
        return state, counts, total, state + 1, int(state), float(state), abs(state), x + state

    check(program, *BYTES)


def test_the_member_of_a_computed_value() -> None:
    def program(x: Any) -> Any:
        tag = Tag(x[0])
        return tag, tag == Tag.PAD, tag.name, tag.value, tag is Tag.END, Tag(int(x[1]))

    check(program, *BYTES)


def test_no_member_is_caught() -> None:
    def program(x: Any) -> Any:
        try:
            return Tag(x[0] - 1.5)
        except ValueError as error:
            return str(error)

    check(program, *FLOATS[:1], *BYTES)


def test_the_member_of_a_plain_enum() -> None:
    def program(v: float) -> Any:
        return Color(v) is Color.RED

    check(program, (1.0,), (2.5,), (3.0,), (math.nan,))


def test_flags() -> None:
    def program(n: int, x: Any) -> Any:
        count = 0
        if n & Access.READ:
            count += 1
        if Access.WRITE & n:
            count += 10
        both = (n & (Access.READ | Access.RUN)) == Access.READ | Access.RUN
        return (
            count,
            both,
            n & Access.RUN,
            (n & Access.WRITE) == 2,
            bool(x[0] & Access.RUN),
            x | Access.WRITE,
            n >> Access.READ,
        )

    check(program, *[(n, np.array([n & 255], np.uint8)) for n in (0, 1, 2, 3, 9, 15, -1)])


def test_a_flag_that_is_not_known_is_refused() -> None:
    def program(n: int) -> Any:
        return n | Access.READ

    with pytest.raises(UnsupportedError, match="GP490"):
        graph_program(program)(3)


def test_known_flags() -> None:
    def program(x: Any) -> Any:
        allowed = Access.READ | Access.RUN
        return allowed, Access.RUN in allowed, x & allowed, ~Access.READ

    check(program, *BYTES)


def test_strings() -> None:
    def program(x: Any) -> Any:
        unit = "m" if x[0] > 1 else "s"
        return unit == Unit.METRE, unit in (Unit.METRE,), Unit.METRE + "/s"

    check(program, *BYTES)


def test_functions_of_python() -> None:
    def program(n: int) -> Any:
        return (
            int(Tag.END) * n,
            range(Tag.END)[n % 7],
            divmod(n, Tag.END),
            math.hypot(n, Tag.END),
            round(n * Rate.LOW),
            n in range(Tag.END),
        )

    check(program, *NUMBERS)


def test_extremes() -> None:
    def program(n: int, x: Any) -> Any:
        return max(n, int(Tag.DATA)), sum([n, Tag.DATA, Tag.END]), np.minimum(x, Tag.DATA), Tag.DATA in range(n)

    check(program, *[(n, np.array([n & 255], np.uint8)) for n in (0, 1, 2, -1)])


def test_the_own_comparison_of_a_member() -> None:
    def program(n: int) -> Any:
        return Level.LOW < n, Level.HIGH == n, Level.HIGH > n

    check(program, *NUMBERS)


def test_texts() -> None:
    def program(x: Any) -> Any:
        return f"{Tag.END}", f"{Tag.END:>4d} {x[0]}", f"{Tag.END:d} {x[0]}"

    check(program, *BYTES)


def test_a_table_by_member() -> None:
    def program(x: Any) -> Any:
        table = {Tag.PAD: 0, Tag.DATA: 0}
        names = [0, 0]
        state = Tag.PAD
        for v in x:
            if v == 1:
                state = Tag.DATA
            table[state] += 1
            names[state] += 2
        return table, names, table[state]

    check(program, *BYTES)


def test_the_key_of_an_exception() -> None:
    rates = {4: 1.0, (1, 2): 2.0, "a": 3.0}

    def program(x: Any, key: Any, own: dict[Any, Any]) -> Any:
        try:
            return x * rates[key], x * own.pop(key)
        except KeyError as error:
            if key == 9:
                raise
            return x, error.args[0], str(error)

    for key in (4, 5, "a", "b", (1, 2), (1, 3), True, None, 9, 2.5):
        check(program, (np.ones(2), key, {"a": 1.0, 5: 2.0}))


def test_texts_of_one_of_several_members() -> None:
    def program(x: Any) -> Any:
        tag = Tag.END if x[0] > 1 else Tag.PAD
        word = "far" if x[0] > 1 else "near"
        if x[0] == 9:
            raise ValueError(f"{tag!r} {tag.name:>6} {word!r}")
        return f"{tag} {tag!r:>20} {tag.name}", f"{word:*^8}"

    check(program, *BYTES)
