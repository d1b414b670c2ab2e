"""Every kind of parameter, through `load` on a device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import Float32, Tensor, graph_program, load
from graph_program.onnx_program.told import CallError
from tests.loading.agreement import Arguments, agree
from tests.loading.device import Device

F32 = np.float32


@graph_program
def numbers(i: int, f: float, b: bool, c: complex) -> Any:
    return i + 1 if b else i - 1, f * 2, not b, c * 1j, i / 2


@graph_program
def numpy_numbers(x: Any, n: Any, flag: Any) -> Any:
    return x * 2, n // 2, flag, x + n


@graph_program
def arrays(x: Any, y: Any, m: Any, z: Any) -> Any:
    return x @ y, x.sum(), m & (y[:, 0] > 0), z * 2, z.real


@graph_program
def annotated(x: Float32[Tensor, "n k"], w: Float32[Tensor, "k m"]) -> Any:
    return x @ w


@graph_program
def rank_zero(x: Any) -> Any:
    return x + 1, x.ndim, x


@graph_program
def tuples_and_lists(p: Any, xs: Any) -> Any:
    (a, b), c = p
    total = 0.0
    for x in xs:
        total = total + x.sum()
    return a + b, c, total, len(xs), p


@graph_program
def dicts(d: Any) -> Any:
    return {"sum": d["w"] + d["b"], 3: d[3], "keys": list(d)}


@dataclass
class Layer:
    w: Any
    b: Any


@dataclass(frozen=True)
class Net:
    first: Layer
    second: Layer
    name: str = "net"
    scale: float = field(default=1.0, kw_only=True)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass(slots=True)
class Slotted:
    x: Any
    n: int


@graph_program
def networks(net: Net, x: Any) -> Any:
    hidden = np.maximum(x @ net.first.w + net.first.b, 0)
    return net.scale * (hidden @ net.second.w + net.second.b), net.name, net.first


@graph_program
def points(p: Point, s: Slotted) -> Any:
    return Point(p.x + s.x, p.y * s.n), Slotted(p.x, s.n + 1), p


class Plain:
    def __init__(self, gain: Any, offset: Any):
        self.gain = gain
        self.offset = offset


@graph_program
def plain_objects(p: Layer, extra: Any) -> Any:
    return p.w * extra + p.b


class Mode(Enum):
    ADD = "add"
    SUB = 2


class Level(IntEnum):
    LOW = 1
    HIGH = 5


@graph_program
def statics(x: Any, mode: Mode, level: Level, name: str, nothing: None, kind: type, f: Callable[[Any], Any]) -> Any:
    y = x + level if mode is Mode.ADD else x - level
    return f(y).astype(kind), f"{name}: {mode.name}", nothing, mode, level.value


@graph_program
def defaults(x: Any, k: float = 2.0, *, shift: Any = 1, name: str = "y") -> Any:
    return x * k + shift, name


@graph_program
def positional_only(x: Any, y: Any = 3, /, z: int = 4) -> Any:
    return x * y + z


@graph_program
def starred(x: Any, *rest: Any) -> Any:
    for one in rest:
        x = x + one
    return x, len(rest)


@graph_program
def named_rest(x: Any, **named: Any) -> Any:
    return x * named["k"], list(named)


@graph_program
def slices(x: Any, s: slice) -> Any:
    return x[s]


@graph_program
def unread(x: Any, y: Any, name: str) -> Any:
    return x + 1


def doubled(x: Any) -> Any:
    return x * 2


class Options:
    """Something that only Python knows."""


@graph_program
def by_name(x: Any, f: Any = doubled, g: Any = len, options: Any = Options) -> Any:
    return f(x), g(x), options is Options


def layer(i: int, o: int) -> Layer:
    return Layer(np.linspace(-1, 1, i * o, dtype=F32).reshape(i, o), np.ones(o, F32))


def net(i: int, h: int, o: int, scale: float) -> Net:
    return Net(layer(i, h), layer(h, o), scale=scale)


CASES: dict[str, tuple[Any, list[Any]]] = {
    "numbers": (numbers, [(1, 2.5, True, 1j), (-4, -0.0, False, 2 - 1j), (2**62, float("inf"), True, 0j)]),
    "numpy numbers": (numpy_numbers, [(F32(1.5), np.int64(7), np.True_), (F32(-2), np.int64(-7), np.False_)]),
    "arrays": (
        arrays,
        [
            (np.ones((2, 3)), np.ones((3, 4)), np.array([True, False, True]), np.array([1 + 2j])),
            (np.ones((0, 2)), -np.ones((2, 1)), np.array([True, True]), np.zeros(0, complex)),
        ],
    ),
    "annotated": (
        annotated,
        [(np.ones((2, 3), F32), np.ones((3, 4), F32)), (np.ones((5, 1), F32), np.ones((1, 1), F32))],
    ),
    "rank 0": (rank_zero, [(np.array(3.0),), (np.array(-1.0),)]),
    "tuples and lists": (
        tuples_and_lists,
        [(((1, 2.0), np.ones(3)), [np.ones(2), np.zeros(4)]), (((5, -1.0), np.zeros(0)), [np.ones(0), np.ones(1)])],
    ),
    "dicts": (dicts, [({"w": np.ones(2), "b": 1.0, 3: True},), ({"w": np.zeros(5), "b": -2.0, 3: False},)]),
    "dataclasses": (networks, [(net(3, 4, 2, 0.5), np.ones((2, 3), F32)), (net(1, 7, 1, -2.0), np.ones((6, 1), F32))]),
    "named tuples and slots": (
        points,
        [(Point(np.ones(2), 3), Slotted(np.ones(2), 4)), (Point(np.ones(3), -3), Slotted(np.zeros(3), 0))],
    ),
    "static": (statics, [(np.ones(3), Mode.ADD, Level.HIGH, "n", None, float, np.tanh)] * 2),
    "defaults": (
        defaults,
        [
            (np.ones(2),),
            (np.zeros(3), 4.0),
            Arguments((np.ones(1),), {"shift": -2}),
            Arguments((), {"x": np.ones(4), "k": 0.0}),
        ],
    ),
    "positional only": (positional_only, [(np.ones(2),), (np.ones(2), 5), Arguments((np.ones(2), 5), {"z": 7})]),
    "starred": (starred, [(1, 2, 3.0), (-1, 5, 0.5)]),
    "named": (named_rest, [Arguments((1,), {"k": 2, "m": 2.0}), Arguments((5,), {"k": -2, "m": 0.0})]),
    "functions by name": (by_name, [(np.ones(3),), (np.zeros(0),)]),
    "slices": (slices, [(np.arange(9), slice(1, 7, 2)), (np.arange(4), slice(0, 100, 3))]),
    "unread": (unread, [(np.ones(2), np.ones((3, 3)), "name"), (np.zeros(5), np.ones((1, 0)), "name")]),
}


def test_a_function_is_known_by_its_name() -> None:
    program = load(by_name.model((np.ones(3),)).SerializeToString())
    assert program(np.ones(3), doubled, len)[1] == 3
    with pytest.raises(CallError, match=r"f: the model was exported for <.*\.doubled>, got <function layer"):
        program(np.ones(3), layer)


@pytest.mark.parametrize("name", CASES)
def test_parameters(name: str, device: Device) -> None:
    program, calls = CASES[name]
    agree(device, program, calls)
