"""A class with every kind of operator, as users write them for vectors."""

from __future__ import annotations

from typing import Any


class V:
    def __init__(self, x: Any, y: Any) -> Any:
        self.x = x
        self.y = y

    def __add__(self, o: Any) -> Any:
        return V(self.x + o.x, self.y + o.y) if isinstance(o, V) else NotImplemented

    def __mul__(self, k: Any) -> Any:
        if isinstance(k, V):
            return self.x * k.x + self.y * k.y
        return V(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __sub__(self, o: Any) -> Any:
        return V(self.x - o.x, self.y - o.y)

    def __neg__(self) -> Any:
        return V(-self.x, -self.y)

    def __abs__(self) -> Any:
        return (self.x**2 + self.y**2) ** 0.5

    def __eq__(self, o: Any) -> Any:
        return self.x == o.x and self.y == o.y

    def __hash__(self) -> Any:
        return hash((self.x, self.y))

    def __lt__(self, o: Any) -> Any:
        return abs(self) < abs(o)

    def __iter__(self) -> Any:
        yield self.x
        yield self.y

    def __len__(self) -> Any:
        return 2

    def __getitem__(self, i: Any) -> Any:
        return (self.x, self.y)[i]

    def __contains__(self, v: Any) -> Any:
        return v == self.x or v == self.y

    def __call__(self, t: Any) -> Any:
        return self.x + t * self.y

    def __iadd__(self, o: Any) -> Any:
        self.x += o.x
        self.y += o.y
        return self

    def __bool__(self) -> Any:
        return self.x != 0

    def __matmul__(self, o: Any) -> Any:
        return self.x * o.x + self.y * o.y

    def __rsub__(self, k: Any) -> Any:
        return V(k - self.x, k - self.y)

    def __float__(self) -> Any:
        return float(self.x)

    def __repr__(self) -> Any:
        return f"V({self.x}, {self.y})"

    def __round__(self, n: Any = 0) -> Any:
        return V(round(self.x, n), round(self.y, n))

    def __truediv__(self, k: Any) -> Any:
        return V(self.x / k, self.y / k)

    def __pow__(self, k: Any) -> Any:
        return V(self.x**k, self.y**k)
