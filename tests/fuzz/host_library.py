"""The host code that random programs call, as source text; all that it is given is written down."""

HOST_IMPORTS = """\
import copy
from collections.abc import Iterator
from typing import Any

from jaxtyping import Float64

from graph_program import host_function, to_device, to_host
"""

HOST_TEXTS = """
LOG = []


@host_function
def seen(*values):
    LOG.append(("seen", copy.deepcopy(values)))


@host_function
def reading(k) -> float:
    LOG.append(("reading", k))
    return 0.5 * (k % 7) - 1.0


@host_function
def counted(x) -> int:
    LOG.append(("counted", x))
    return len(LOG)


@host_function
def decided(x) -> bool:
    LOG.append(("decided", x))
    return len(LOG) % 3 != 0


@host_function
def frame(k) -> Float64[np.ndarray, "3"]:
    LOG.append(("frame", k))
    return np.array([0.5, 1.0, -1.0]) * (k % 5)


@host_function
def measured(v) -> tuple[float, int]:
    LOG.append(("measured", copy.deepcopy(v)))
    return 0.25 * len(LOG), len(LOG)


@host_function
def words(k) -> Any:
    LOG.append(("words", k))
    return "one two three four five".split()[: k % 5]


@host_function
def ticks(n) -> Iterator[float]:
    for i in range(n % 4):
        LOG.append(("tick", i))
        yield i * 0.5


@host_function
def frames(n) -> Iterator[Float64[np.ndarray, "3"]]:
    for i in range(n % 4):
        LOG.append(("frame", i))
        yield np.full(3, i - 0.5)


@host_function
def strict(x) -> float:
    LOG.append(("strict", x))
    if x > 2:
        raise ValueError("too much")
    return 0.5


class Device:
    def __init__(self):
        self.level = 0.5
        self.rounds = 0

    def poll(self, x):
        LOG.append(("poll", x))
        self.level += 0.25
        return self.level

    def pair(self, x, *, by=1):
        LOG.append(("pair", x, by))
        return self.level, self.rounds + by

    def more(self):
        self.rounds += 1
        LOG.append(("more", self.rounds))
        return self.rounds % 4 != 0

    @property
    def ready(self):
        LOG.append("ready")
        return self.level > 1


@host_function
def device() -> Any:
    LOG.append("device")
    return Device()
"""
