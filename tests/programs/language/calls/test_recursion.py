"""Recursion: tail calls as loops, and recursion over structures that are known at extraction."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


def gcd(a: int, b: int) -> int:
    if b == 0:
        return a
    return gcd(b, a % b)


def factorial(n: int, product: int = 1) -> int:
    return product if n <= 1 else factorial(n - 1, product * n)


def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)


def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)


def total(x: Any, i: int = 0, found: Any = 0) -> Any:
    if i == len(x):
        return found
    return total(x, i + 1, found + x[i])


def search(x: Any, v: Any, low: int, high: int) -> int:
    if low > high:
        return -1
    middle = (low + high) // 2
    if x[middle] == v:
        return middle
    if x[middle] < v:
        return search(x, v, middle + 1, high)
    return search(x, v, low, middle - 1)


def search_all(x: Any, v: Any) -> int:
    return search(x, v, 0, len(x) - 1)


def bisect(f: Callable[[float], float], a: float, b: float, tolerance: float = 1e-6) -> float:
    middle = (a + b) / 2
    if b - a < tolerance:
        return middle
    if f(a) * f(middle) <= 0:
        return bisect(f, a, middle, tolerance)
    return bisect(f, middle, b, tolerance=tolerance)


def root_of_two(a: float, b: float) -> float:
    return bisect(lambda v: v * v - 2, a, b)


def fill(x: Any, i: int = 0) -> None:
    if i == len(x):
        return
    x[i] = i * 2
    fill(x, i + 1)


def increase(x: Any, i: int = 0) -> None:
    if i < len(x):
        x[i] += 1
        increase(x, i + 1)


def traced(f: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(f)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        result = f(*args, **keywords)
        return result  # noqa: RET504

    return wrapper


@traced
def decorated(x: Any, n: int) -> Any:
    if n == 0:
        return x
    return decorated(x + 1, n=n - 1)


class Power:
    def __init__(self, scale: Any):
        self.scale = scale

    def go(self, x: Any, n: int) -> Any:
        if n <= 0:
            return x
        return self.go(x * self.scale, n - 1)

    def __call__(self, x: Any, n: int) -> Any:
        return x if n <= 0 else self(x + self.scale, n=n - 1)


POWER = Power(3.0)


def methods(x: Any, n: int) -> Any:
    mine = Power(x)
    return POWER.go(x, n), POWER(x, n), mine.go(x, n), mine(x, n)


def closures(x: Any, n: int) -> Any:
    count = 0

    def go(k: int, found: Any) -> Any:
        nonlocal count
        count += k
        return found if k == 0 else go(k - 1, found * x + k)

    return go(n, 1.0), count


def collatz(n: int, steps: int = 0) -> int:
    if n == 1:
        return steps
    if n % 2 == 0:
        return collatz(n // 2, steps + 1)
    return collatz(3 * n + 1, steps + 1)


def newton(f: Any, df: Any, x: Any, tolerance: float = 1e-10, rounds: int = 50) -> Any:
    if rounds == 0:
        raise RuntimeError("no convergence")
    step = f(x) / df(x)
    if abs(step) < tolerance:
        return x
    return newton(f, df, x - step, rounds=rounds - 1, tolerance=tolerance)


def root(x: float) -> Any:
    return newton(lambda v: v * v - 2, lambda v: 2 * v, x)


def start(x: Any, i: int, k: int = 0) -> int:
    if i >= len(x):
        return k
    return rising(x, i + 1, k + 1) if x[i] > 0 else falling(x, i + 1, k)


def rising(x: Any, i: int, k: int) -> int:
    if i >= len(x):
        return k + 100
    if x[i] > 1:
        return rising(x, i + 1, k + 1)
    return start(x, i, k)


def falling(x: Any, i: int, k: int) -> int:
    if i >= len(x):
        return k + 1000
    return start(x, i + 1, k + 3)


def state_machine(x: Any) -> int:
    return start(x, 0)


def exchange(a: float, b: float, n: int) -> Any:
    if n == 0:
        return a, b
    return exchange(b, a, n - 1)


def in_a_loop(x: Any, n: int) -> Any:
    found: Any = 0
    for v in x:
        found += collatz(int(v)) + exchange(v, v * 2, n)[0]
    return found


def last_negative(x: Any, n: int) -> int:
    while n > 0:
        n -= 1
        if x[n] < 0:
            return last_negative(x, n)
    return n


def by_match(n: int, found: float) -> float:
    match n:
        case 0:
            return found
        case 1:
            return by_match(0, found + 1)
        case k if k > 5:
            return by_match(k - 2, found * 2)
        case _:
            return by_match(n - 1, found + n)


def grows(x: Any, n: int) -> Any:
    if n == 0:
        return x
    return grows(np.concatenate([x, x]), n - 1)


def contains_loop(x: Any, n: int) -> Any:
    found = 0.0
    for v in x:
        found += v
    if found > 100 or n == 0:
        return found
    return contains_loop(x * 2, n - 1)


def rows(x: Any, out: Any, i: int) -> Any:
    if i >= x.shape[0]:
        return out
    out[i] = x[i].sum()
    return rows(x, out, i + 1)


def row_sums(x: Any) -> Any:
    return rows(x, np.zeros(x.shape[0]), 0)


ROWS = np.array([[1.0, 2.0], [3.0, 4.0]])
THREE = np.array([1.0, -2.0, 3.0])
EMPTY = np.zeros(0)
LOOPS: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (gcd, [(12, 18), (7, 0), (0, 0)]),
    (factorial, [(5,), (0,)]),
    (even, [(5,), (4,), (0,)]),
    (total, [(ROWS,), (THREE,)]),
    (search_all, [(np.array([1, 3, 5, 7]), 5), (np.array([1, 3, 5, 7]), 4), (np.zeros(0, int), 4)]),
    (root_of_two, [(0.0, 2.0)]),
    (fill, [(THREE,), (EMPTY,)]),
    (increase, [(THREE,), (EMPTY,)]),
    (decorated, [(np.array([1.0]), 3), (np.array([1.0]), 0)]),
    (methods, [(2.0, 3), (2.0, 0)]),
    (closures, [(2.0, 3), (2.0, 0)]),
    (collatz, [(6,), (27,), (1,)]),
    (root, [(3.0,)]),
    (state_machine, [(np.array([1.0, 2, 3, -1, 2, 5, 0.5, 1]),), (np.array([-1.0]),), (np.array([1.0]),), (EMPTY,)]),
    (exchange, [(1.0, 2.0, 3), (1.0, 2.0, 0)]),
    (in_a_loop, [(np.array([4.0, 3.0]), 3)]),
    (last_negative, [(THREE, 3), (THREE, 1)]),
    (by_match, [(9, 1.0), (0, 1.0)]),
    (grows, [(THREE, 3), (THREE, 0)]),
    (contains_loop, [(np.array([1.0, 2.0]), 3), (np.array([40.0]), 7)]),
    (row_sums, [(ROWS,), (np.zeros((0, 2)),)]),
]


@pytest.mark.parametrize(("fn", "inputs"), LOOPS, ids=lambda v: getattr(v, "__name__", ""))
def test_tail_calls(fn: Any, inputs: list[tuple[Any, ...]]) -> None:
    check(fn, *inputs)


@pytest.mark.parametrize("n", [3, 2000])
def test_a_tail_call_is_a_round_of_a_loop(n: int) -> None:
    """Also where Python's own stack would not do."""
    assert graph_program(exchange)(1.0, 2.0, 2 * n) == (1.0, 2.0)


@dataclasses.dataclass
class Node:
    feature: int = 0
    threshold: float = 0.0
    left: Any = None
    right: Any = None
    value: float = 0.0


TREE = Node(0, 0.5, Node(value=1.0), Node(1, 2.5, Node(value=2.0), Node(value=3.0)))


def predict(node: Node, x: Any) -> Any:
    if node.left is None:
        return node.value
    if x[node.feature] < node.threshold:
        return predict(node.left, x)
    return predict(node.right, x)


def decision_tree(x: Any) -> Any:
    return predict(TREE, x)


def apply(layers: Any, x: Any) -> Any:
    if not layers:
        return x
    return apply(layers[1:], layers[0](x))


def apply_by_number(layers: Any, x: Any, i: int = 0) -> Any:
    return x if i == len(layers) else apply_by_number(layers, layers[i](x), i + 1)


def layers(x: Any) -> Any:
    parts = (np.sin, np.cos, lambda v: v * 2)
    return apply(parts, x), apply_by_number(parts, x)


def fft_like(x: Any) -> Any:
    if x.shape[0] == 1:
        return x
    even_part, odd_part = fft_like(x[::2]), fft_like(x[1::2])
    return np.concatenate([even_part + odd_part, even_part - odd_part])


def transform(x: Any) -> Any:
    return fft_like(x.reshape(4))


def continuation(n: int, then: Any) -> Any:
    return then(1) if n == 0 else continuation(n - 1, lambda v: then(v * n))


def continuations(x: Any) -> Any:
    return continuation(4, lambda v: v * x)


def power(x: Any, n: int) -> Any:
    return 1.0 if n == 0 else x * power(x, n - 1)


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def numbers(x: Any) -> Any:
    return power(x, 3) + fibonacci(7) * ackermann(1, 2)


def tree_map(f: Any, tree: Any) -> Any:
    if isinstance(tree, dict):
        return {k: tree_map(f, v) for k, v in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(tree_map(f, v) for v in tree)
    return f(tree)


def trees(x: Any) -> Any:
    return tree_map(lambda v: v * 2, {"a": x, "b": [x, (x, 1.0)]})


def add_up(xs: Any) -> Any:
    if not xs:
        return 0
    head, *tail = xs
    return head + add_up(tail)


def lists(x: Any) -> Any:
    return add_up([x, x * 2, 3.0])


def refine(f: Any, a: float, b: float, depth: int) -> float:
    middle = (a + b) / 2
    whole = (b - a) * f(middle)
    if depth == 0:
        return whole
    left, right = (middle - a) * f((a + middle) / 2), (b - middle) * f((middle + b) / 2)
    if abs(left + right - whole) < 1e-3:
        return left + right
    return refine(f, a, middle, depth - 1) + refine(f, middle, b, depth - 1)


def adaptive(a: float, b: float) -> float:
    return refine(math_exp, a, b, 4)


def math_exp(v: float) -> float:
    return float(np.exp(v))


def permutations(xs: Any, done: Any = ()) -> Any:
    if not xs:
        return [done]
    found: list[Any] = []
    for i, v in enumerate(xs):
        found += permutations(xs[:i] + xs[i + 1 :], (*done, v))
    return found


def orders(a: float, b: float, c: float) -> Any:
    return permutations((a, b, c))


STRUCTURES: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (decision_tree, [(np.array([0.1, 3.0]),), (np.array([0.9, 3.0]),), (np.array([0.9, 2.0]),)]),
    (layers, [(THREE,)]),
    (transform, [(np.array([1.0, 2.0, 3.0, 4.0]),)]),
    (continuations, [(THREE,)]),
    (numbers, [(THREE,)]),
    (trees, [(THREE,)]),
    (lists, [(THREE,)]),
    (adaptive, [(0.0, 2.0)]),
    (orders, [(1.0, 2.0, 3.0)]),
]


@pytest.mark.parametrize(("fn", "inputs"), STRUCTURES, ids=lambda v: getattr(v, "__name__", ""))
def test_over_what_is_known_at_extraction(fn: Any, inputs: list[tuple[Any, ...]]) -> None:
    check(fn, *inputs)


@pytest.mark.parametrize(
    ("fn", "args", "cycle"),
    [
        (fibonacci, (5,), "fibonacci -> fibonacci"),
        (power, (2.0, 3), "power -> power"),
        (ackermann, (2, 2), "ackermann -> ackermann"),
    ],
)
def test_other_recursion_is_refused_with_its_cycle(fn: Any, args: tuple[Any, ...], cycle: str) -> None:
    with pytest.raises(GraphProgramError, match=cycle):
        graph_program(fn)(*args)


def test_functions_that_call_each_other_are_one_loop() -> None:
    program = graph_program(even)
    program(5)
    assert program.explain("stage").count("loop:") == 1
