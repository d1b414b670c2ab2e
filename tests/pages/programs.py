"""Programs that somebody would put on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graph_program import (
    Bool,
    Float16,
    Float32,
    Float64,
    Int16,
    Int32,
    Int64,
    Tensor,
    UInt8,
    UInt64,
    graph_program,
)


@graph_program
def threshold(photo: UInt8[Tensor, "h w"], level: int = 128) -> Any:
    """Which pixels are light. <b>Not bold</b> & "quoted"."""
    return photo > level


@graph_program
def histogram(photo: UInt8[Tensor, "h w 3"]) -> Any:
    """How many pixels have which level of grey."""
    counts = np.zeros(256, np.int64)
    grey = photo.astype(np.int64).sum(axis=2) // 3
    for row in grey:
        for level in row:
            counts[level] += 1
    return counts


@graph_program
def pitch(sound: Float32[Tensor, "n"], rate: int) -> Any:
    """The frequency of a tone, by where it crosses zero."""
    if len(sound) < 2:
        raise ValueError(f"a sound of {len(sound)} samples has no pitch")
    up = (sound[:-1] < 0) & (sound[1:] >= 0)
    return np.sum(up) * rate / len(sound)


@graph_program
def octets(level: float) -> Any:
    """What is below 0 is counted around."""
    return np.array([level, level * 2.0]).astype(np.uint8), np.array([level]).astype(np.int64).astype(np.uint8)


@graph_program
def low_pass(signal: Float64[Tensor, "n"], b0: float = 0.2, b1: float = 0.4, a1: float = -0.3) -> Any:
    filtered = np.zeros(len(signal))
    before, y = 0.0, 0.0
    for i in range(len(signal)):
        y = b0 * signal[i] + b1 * before - a1 * y
        before = signal[i]
        filtered[i] = y
    return filtered


@graph_program
def loud_parts(audio: Int16[Tensor, "n"], rate: float = 8000.0) -> Any:
    loud = np.nonzero(np.abs(audio.astype(np.float64)) > 8000)[0]
    return np.array([[loud[0], loud[-1]]])


@dataclass
class Length:
    value: float = 1.0
    inches: bool = False


@graph_program
def convert(length: Length) -> Any:
    """Metres to inches, and back."""
    if length.inches:
        return length.value * 0.0254, "m"
    return length.value / 0.0254, "in"


@graph_program
def main_colours(photo: UInt8[Tensor, "h w 3"], k: int = 3, rounds: int = 4) -> Any:
    """k-means of the colours of a picture."""
    points = photo.reshape(-1, 3).astype(np.float64)
    centres = points[np.arange(k) * (len(points) // k)]
    for _ in range(rounds):
        distances = ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)
        nearest = np.argmin(distances, axis=1)
        for j in range(k):
            mine = nearest == j
            if np.any(mine):
                centres[j] = points[mine].mean(axis=0)
    return centres.astype(np.uint8), nearest.reshape(photo.shape[0], photo.shape[1])


WEIGHTS = np.random.default_rng(0).normal(size=(784, 10)).astype(np.float32)


@graph_program
def digit(x: Float32[Tensor, "28 28"]) -> Any:
    scores = x.reshape(-1) @ WEIGHTS
    powers = np.exp(scores - scores.max())
    return {"digit": np.argmax(scores), "probabilities": powers / powers.sum()}


@graph_program
def bmi(kg: float, m: float) -> Any:
    if m <= 0:
        raise ValueError(f"a height of {m:.2f} m is none")
    value = kg / m**2
    return f"{value:.1f}", "high" if value > 25 else "fine"


class Counter:
    def __init__(self) -> None:
        self.count = 0
        self.seen = np.zeros(3)

    @graph_program
    def add(self, x: float = 1.0, where: int = 0) -> Any:
        self.count += 1
        self.seen[where] += x
        return self.seen.sum() / self.count


class Previous:
    def __init__(self) -> None:
        self.last = np.zeros(2)
        self.history = [0.0]
        self.falls = 0

    @graph_program
    def step(self, x: Float64[Tensor, "2"]) -> Any:
        moved = x - self.last
        self.last = x
        self.history.append(float(moved.sum()))
        self.falls = 0 if moved.sum() > 0 else self.falls + 1
        return moved, self.falls, len(self.history)

    @graph_program
    def itself(self, x: Float64[Tensor, "2"]) -> Any:
        self.last = x
        return self


@graph_program
def words(text: UInt8[Tensor, "n"]) -> Any:
    count, inside = 0, False
    for c in text:
        is_space = c == 32 or c == 10
        if not is_space and not inside:
            count += 1
        inside = not is_space
    return {"bytes": len(text), "words": count, "lines": np.sum(text == 10) + 1}


@graph_program
def backwards(text: Int32[Tensor, "n"]) -> Any:
    return {"message": text[::-1]}


class Box(NamedTuple):
    left: int
    top: int
    right: int
    bottom: int


@graph_program
def light_rows(image: UInt8[Tensor, "h w"], least: int = 250) -> Any:
    found = []
    for y in range(image.shape[0]):
        light = np.nonzero(image[y] > least)[0]
        if len(light) > 0:
            found.append(Box(int(light[0]), y, int(light[-1]) + 1, y + 1))
    return found, np.array([[1, 2, 10, 12], [5, 6, 30, 33]])


@graph_program
def narrow(x: Float16[Tensor, "n"], flag: Bool[Tensor, "n"], big: UInt64[Tensor, "n"]) -> Any:
    return np.where(flag, x, -x), big + np.uint64(1), x.sum()


@graph_program
def turned(z: complex, w: float = 1.0) -> Any:
    return z * 1j * w


@dataclass
class Item:
    price: float
    count: int


@graph_program
def total(items: list[Item]) -> Any:
    found = 0.0
    for item in items:
        found += item.price * item.count
    return found, items


@graph_program
def scaled(x: Float64[Tensor, "n"], k: int = 2) -> Any:
    x[:] = x * k
    return x


@graph_program
def root(x: float = 4.0) -> Any:
    if x > 0:
        return np.sqrt(x)
    return None


@graph_program
def lookup(n: int = 3) -> Any:
    if n > 3:
        raise KeyError(f"no <b>{n:>6,d}</b> 'here'")
    if n < 0:
        raise RuntimeError()
    try:
        if n == 0:
            raise ValueError("zero")
    except ValueError as e:
        raise TypeError("not that", n) from e
    return n


@graph_program
def negative(photo: Float32[Tensor, "1 3 h w"]) -> Any:
    return 1 - photo


@graph_program
def brighter(photo: Float32[Tensor, "h w"]) -> Any:
    return photo * np.float32(1.01)


@graph_program
def halved(image: UInt8[Tensor, "2*n 2*m"]) -> Any:
    height, width = image.shape
    return image.reshape(height // 2, 2, width // 2, 2).max(axis=(1, 3))


@graph_program
def matrix(x: Float32[Tensor, "n m"]) -> Any:
    return x * 2


@graph_program
def forever(n: int = 1) -> Any:
    while n != 0:
        n += 2
        if n > 10**15:
            n = 1
    return n


@graph_program
def named(__proto__: Float32[Tensor, "n"], constructor: float = 2.0, page: int = 1) -> Any:
    __proto__[0] = 7
    return {"__proto__": __proto__ * constructor, "toString": page}


@graph_program
def product(x: Float32[Tensor, "n n"], v: Float32[Tensor, "n"]) -> Any:
    return x @ v


BREAKING = "</script><img src=x onerror=\"document.title='broken'\"> <!-- {{script}} &lt; `'"


@graph_program
def breaking(naïve: float = 1.0, text: str = BREAKING) -> Any:
    """</script><script>document.title = 'broken'</script> <!-- {{script}} &lt;"""
    if naïve > 5:
        raise ValueError(f"</script><img src=x onerror=document.title='broken'> {naïve}")
    return {"</script><img src=x onerror=\"document.title='broken'\">": naïve, "it's": text}


@graph_program
def of_lists(xs: list[list[float]]) -> Any:
    found = 0.0
    for row in xs:
        for x in row:
            found += x
    return found


@graph_program
def counted(x: Int64[Tensor, "n"]) -> Any:
    return np.sum(x)


@dataclass
class Account:
    name: str
    balance: float
    history: list[float]


class Bank:
    def __init__(self) -> None:
        self.account = Account("eve", 100.0, [1.0])
        self.log = {"n": 0}

    @graph_program
    def pay(self, amount: float = 10.0) -> Any:
        self.account.balance -= amount
        self.account.history.append(amount)
        self.log["n"] += 1
        return self.account, self.log


@graph_program
def more_keys(names: list[int], table: dict[str, float]) -> Any:
    table["a"] = table["a"] + len(names)
    table["new"] = 2.0
    names.append(len(names))
    return table
