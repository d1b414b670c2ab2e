"""The host code that random programs call, as source text; all that it is given is written down.

One of the calls of some programs fails: the one that `FAIL_AT` counts.
"""

HOST_IMPORTS = """\
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jaxtyping import Float64

from graph_program import graph_program, host_function, to_device, to_host
"""

HOST_TEXTS = """
LOG = []


FAIL_AT = 0


def noted(*entry):
    LOG.append(copy.deepcopy(entry))
    if len(LOG) == FAIL_AT:
        raise OSError("no answer", len(LOG))


@host_function
def seen(*values):
    noted("seen", *values)


@host_function
def reading(k) -> float:
    noted("reading", k)
    return 0.5 * (k % 7) - 1.0


@host_function
def counted(x) -> int:
    noted("counted", x)
    return len(LOG)


@host_function
def decided(x) -> bool:
    noted("decided", x)
    return len(LOG) % 3 != 0


@host_function
def frame(k) -> Float64[np.ndarray, "3"]:
    noted("frame", k)
    return np.array([0.5, 1.0, -1.0]) * (k % 5)


@host_function
def cut(v) -> Float64[np.ndarray, "n"]:
    noted("cut", v)
    return np.array(v, np.float64)[: len(LOG) % 4]


@host_function
def measured(v) -> tuple[float, int]:
    noted("measured", v)
    return 0.25 * len(LOG), len(LOG)


@host_function
def words(k) -> Any:
    noted("words", k)
    return "one two three four five".split()[: k % 5]


@host_function
def label(k) -> Any:
    noted("label", k)
    return ("idle", "run", "stop")[k % 3]


@host_function
def table(k) -> Any:
    noted("table", k)
    return dict(zip("abc"[: k % 4], (1, 2.5, -1)))


@host_function
def ticks(n) -> Iterator[float]:
    for i in range(n % 4):
        noted("tick", i)
        yield i * 0.5


@host_function
def frames(n) -> Iterator[Float64[np.ndarray, "3"]]:
    for i in range(n % 4):
        noted("frame", i)
        yield np.full(3, i - 0.5)


@host_function
def samples(n) -> Iterator[tuple[float, int]]:
    for i in range(n % 5):
        if i == 3:
            raise ValueError("no more samples")
        noted("sample", i)
        yield 0.5 * i, i


@host_function
def strict(x) -> float:
    noted("strict", x)
    if x > 2:
        raise ValueError("too much")
    return 0.5


@host_function
def flaky(k) -> float:
    noted("flaky", k)
    if len(LOG) % 3 == 0:
        raise (OSError, KeyError, Failure)[len(LOG) % 2 + k % 2](f"attempt {k}")
    return 1.5


@graph_program(copies="ignore")
def inner_program(v, n):
    total = 0.0
    for k in range(n % 3):
        total += reading(k) * v[0]
    return total


@host_function
def nested(v, n) -> float:
    noted("nested", n)
    return float(inner_program(np.array(v), int(n)))


def generated(n):
    for i in range(n % 4):
        noted("generated", i)
        yield i


@contextmanager
def timer(name):
    noted("timer", name)
    try:
        yield 0.5
    finally:
        noted("timed", name)


class Span:
    def __init__(self, name, swallows):
        self.name = name
        self.swallows = swallows

    def __enter__(self):
        noted("enter", self.name)
        return len(LOG)

    def __exit__(self, cls, error, place):
        noted("exit", self.name, None if cls is None else (cls.__name__, str(error)))
        return cls is not None and issubclass(cls, self.swallows)


@host_function
def span(name, *swallows) -> Any:
    return Span(name, swallows)


class Device:
    def __init__(self):
        self.level = 0.5
        self.rounds = 0

    def __eq__(self, other):
        return vars(self) == vars(other)

    def poll(self, x):
        noted("poll", x)
        self.level += 0.25
        return self.level

    def pair(self, x, *, by=1):
        noted("pair", x, by)
        return self.level, self.rounds + by

    def more(self):
        self.rounds += 1
        noted("more", self.rounds)
        return self.rounds % 4 != 0

    @property
    def ready(self):
        noted("ready")
        return self.level > 1


@host_function
def device() -> Any:
    noted("device")
    return Device()


class Gauge:
    def __init__(self, value):
        self.value = value
        self.items = []

    def __eq__(self, other):
        return self.value == other.value and list(map(repr, self.items)) == list(map(repr, other.items))

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(list(self.items))

    def __getitem__(self, i):
        noted("item", i)
        return self.items[i]

    def read(self) -> float:
        noted("read", self.value)
        self.value += 0.5
        return self.value

    def keep(self, x) -> int:
        self.items.append(copy.deepcopy(x))
        noted("keep", x)
        return len(self.items)

    def image(self, k) -> Float64[np.ndarray, "3"]:
        noted("image", k)
        return np.full(3, self.value) * k

    @property
    def count(self) -> int:
        noted("count")
        return len(self.items)


@host_function
def gauge(k) -> Gauge:
    noted("gauge", k)
    return Gauge(k * 0.5)


@dataclass
class Monitor:
    total: float
    count: int

    def add(self, value):
        self.total += value * reading(self.count)
        self.count += 1
        seen("monitor", self.total)
        return self.total

    def all(self, values):
        for value in values:
            if value > 3.0:
                return self.count
            self.add(value)
        return -1
"""
