"""What a function of the program's own says that it returns is known of what it has from the host."""

from __future__ import annotations

import collections
import copy
import itertools
import json
import math
import queue
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import differs, outcome

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]


def numbers() -> list[float]:
    return json.loads("[1.0, 2.0, 4.0]")


def wholes() -> list[int]:
    return json.loads("[3, 1, 3]")


def nested() -> list[list[float]]:
    return json.loads("[[3.0], [5.0]]")


def readings() -> Iterator[float]:
    return iter(json.loads("[1.0, 2.0, 4.0]"))


def table() -> dict[str, float]:
    return json.loads('{"a": 1.5, "b": 2.5}')


def waiting() -> queue.Queue[float]:
    made = queue.Queue()
    made.put(4.5)
    return made


def tallies() -> collections.Counter[str]:
    return collections.Counter(json.loads('["a", "b", "a"]'))


def gain(name: str) -> float:
    if name == "a":
        return json.loads("0.5")
    return json.loads("1.5")


def weights(n: int) -> Float64[np.ndarray, "n"]:
    return np.array(json.loads(f"[{', '.join(['2.0'] * n)}]"))


def labelled() -> tuple[str, float]:
    return json.loads('"a"'), json.loads("2.5")


def perhaps(n: int) -> float | None:
    return json.loads("null") if n > 2 else json.loads("0.25")


@dataclass
class Settings:
    text: str

    @property
    def rate(self) -> float:
        return json.loads(self.text)["rate"]

    def steps(self) -> int:
        return json.loads(self.text)["steps"]


SETTINGS = Settings('{"rate": 0.125, "steps": 3}')


def parts(x):
    d = table()
    return x * numbers()[1] + numbers()[:2][0] + d["b"] + sum(d.values()) + max(numbers()) + tallies()["a"]


def more_parts(x):
    return x * waiting().get() + tallies().most_common(1)[0][1] + copy.copy(numbers())[0] + len(wholes())


def scalars(x):
    name, level = labelled()
    return x * gain("a") + gain("b") * level, name


def an_array(x):
    return x @ weights(len(x)) + weights(2).sum()


def of_an_object(x):
    for _ in range(SETTINGS.steps()):
        x = x * SETTINGS.rate
    return x


def a_local_function(x):
    def scale() -> float:
        return json.loads("3.5")

    return x * scale()


def not_always_there(x, n):
    v = perhaps(n)
    return x if v is None else x * v


def gone_through(x):
    total = 0.0
    for v in itertools.islice(readings(), 2):
        total += v
    for before, after in itertools.pairwise(numbers()):
        x = x + before * after
    for v in itertools.chain(numbers(), readings()):
        x = x + v
    for a, b in itertools.product(numbers(), wholes()):
        x = x + a * b
    return x * total


def with_functions(x):
    up = next(filter(lambda v: v > 1, readings())) + next(itertools.takewhile(lambda v: v < 3, readings()))
    up += next(itertools.accumulate(numbers())) + next(itertools.chain.from_iterable(nested()))
    up += statistics.stdev(wholes()) + statistics.pvariance(numbers()) + statistics.mode(wholes())
    return x * up + next(map(float, wholes())) + next(itertools.cycle(numbers())) + math.prod(wholes())


def pairs_of_three(x):
    for a, b in itertools.combinations(wholes(), 2):
        x = x + a * b
    return x


@pytest.mark.parametrize(
    ("program", "numbers_given"),
    [
        *((program, ()) for program in (parts, more_parts, scalars, an_array, of_an_object, a_local_function)),
        *((program, ()) for program in (gone_through, with_functions, pairs_of_three)),
        (not_always_there, (1,)),
        (not_always_there, (5,)),
    ],
)
def test_it_is_known(program, numbers_given):
    x = np.array([1.0, 2.0, 3.0])
    want = outcome(program, (x.copy(), *numbers_given))
    compiled = graph_program(program)
    for _ in range(2):
        got = outcome(compiled, (x.copy(), *numbers_given))
        assert not differs(want, got)


def test_what_does_not_hold_names_the_host_call():
    def program(x):
        return x * wrong()

    with pytest.raises(TypeError, match=r"loads\(\.\.\.\)"):
        graph_program(program)(np.ones(2))


def wrong() -> float:
    return json.loads('"no number"')


def untyped():
    yield from json.loads("[1.0, 2.0]")


class Camera:
    def frames(self):
        yield from json.loads("[1.0, 2.0]")


CAMERA = Camera()


def of_a_generator(x):
    for frame in untyped():
        x = x + frame
    return x


def of_a_method(x):
    for _, frame in enumerate(CAMERA.frames()):
        x = x + frame
    return x


def of_an_item(x):
    return x * json.loads("[1.0, 2.0]")[1]


def of_a_part(x):
    _, b = json.loads("[1.0, 2.0]")
    return x * b


def of_a_bound(x):
    y = x[: json.loads("[2]").pop()]
    return y * 2


def of_a_name(x):
    y = json.loads("2.0")
    return x * y


def of_a_default(x):
    return x * next(readings(), 0)


@pytest.mark.parametrize(
    ("program", "advice"),
    [
        (of_a_generator, 'def untyped(...) -> Iterator[Float64[np.ndarray, "n"]]'),
        (of_a_method, "to_device(frame, "),
        (of_an_item, 'to_device(json.loads("[1.0, 2.0]")[1], '),
        (of_a_part, "to_device(b, "),
        (of_a_bound, 'to_device(json.loads("[2]").pop(), '),
        (of_a_name, "y: float = ...`"),
        (of_a_default, "to_device(next(readings(), 0), float)"),
    ],
)
def test_what_to_write_where_it_is_not(program, advice):
    with pytest.raises(GraphProgramError) as refused:
        graph_program(program)(np.ones(2))
    assert refused.value.code == "GP520"
    assert "say what it is: `" in str(refused.value) and f"`{advice}" in str(refused.value)
