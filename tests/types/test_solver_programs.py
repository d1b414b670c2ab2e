"""Random programs through the solver: what it infers of open types agrees with what NumPy computes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program.extract.diagnostics import UNKNOWN
from graph_program.extract.types.dims import Dim, dim, maximum, minimum, symbol
from graph_program.extract.types.notation.shape_language import parse_signature
from graph_program.extract.types.notation.terms import DTypeTerm, Promoted, RankVar, ShapeTerm, TypeTerm, Weak
from graph_program.extract.types.solving.solver import Origin, Solver
from graph_program.tensor_api import ops
from graph_program.tensor_api.opdef import OPS

assert ops
SIGNATURES = {name: parse_signature(f"{name}: {op.signature}") for name, op in OPS.items()}
HERE = Origin(UNKNOWN, "here")


def concrete(x: Any) -> TypeTerm:
    """The type of an array."""
    return TypeTerm(np.asarray(x).dtype, tuple(map(dim, np.shape(x))))


# ---------------------------------------------------------------- programs that run


def axes_of(r: random.Random, rank: int) -> tuple[int, ...]:
    """Some axes, each counted from either end."""
    chosen = r.sample(range(rank), r.randint(0, rank))
    return tuple(a - rank if r.random() < 0.5 else a for a in sorted(chosen))


Step = Callable[[random.Random, list[Any]], tuple[str, list[Any], dict[str, Any], Any]]


def _binary(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x, y = r.choice(pool), r.choice(pool)
    return "add", [x, y], {}, x + y


def _matmul(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x, y = (r.choice([p for p in pool if p.ndim > 1]) for _ in range(2))
    return "matmul", [x, y], {}, x @ y


def _sum(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x = r.choice(pool)
    attrs: dict[str, Any] = {"axes": axes_of(r, x.ndim), "keepdims": r.random() < 0.5}
    return "sum", [x], attrs, np.sum(x, axis=attrs["axes"], keepdims=attrs["keepdims"], dtype=x.dtype)


def _expand(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x = r.choice(pool)
    axes = (r.choice([0, -1]),)
    return "expand_dims", [x], {"axes": axes}, np.expand_dims(x, axes)


def _squeeze(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x = r.choice([p for p in pool if 1 in p.shape])
    axes = (x.shape.index(1) - (x.ndim if r.random() < 0.5 else 0),)
    return "squeeze", [x], {"axes": axes}, np.squeeze(x, axes)


def _transpose(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x = r.choice(pool)
    perm = tuple(r.sample(range(x.ndim), x.ndim))
    return "transpose", [x], {"perm": perm}, np.transpose(x, perm)


def _concatenate(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    first = r.choice([p for p in pool if p.ndim])
    parts = [first, *(p for p in pool if p.shape == first.shape and p.dtype == first.dtype)][:3]
    axis = r.randrange(first.ndim)
    return "concatenate", parts, {"axis": axis}, np.concatenate(parts, axis=axis)


def _take(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x = r.choice([p for p in pool if p.ndim and 0 not in p.shape])
    axis = r.randrange(x.ndim)
    indices = np.zeros(r.choice([(), (2,), (1, 3)]), np.int64)
    return "take", [x, indices], {"axis": axis}, np.take(x, indices, axis=axis)


def _reshape(r: random.Random, pool: list[Any]) -> tuple[str, list[Any], dict[str, Any], Any]:
    x = r.choice([p for p in pool if p.size])
    sizes = r.choice([[-1], [x.size], [*x.shape, 1], [-1, x.shape[-1] if x.ndim else 1]])
    operands = [x, *(np.int64(s) for s in sizes)]
    return "reshape", operands, {"dims": [dim(s) for s in sizes]}, x.reshape(sizes)


STEPS: list[Step] = [_binary, _binary, _matmul, _sum, _expand, _squeeze, _transpose, _concatenate, _take, _reshape]


@pytest.mark.parametrize("seed", range(120))
def test_programs_of_open_types(seed: int) -> None:
    """Types of inputs become known last, in any order; then every value has the type NumPy gave it."""
    r = random.Random(seed)
    sizes = [1, 2, 3]
    dtypes = [np.float32, np.float64, np.int32]
    inputs = [np.zeros(r.choices(sizes, k=r.randint(0, 3)), r.choice(dtypes)) for _ in range(3)]
    solver = Solver()
    pool, terms = list(inputs), [solver.fresh_type(f"x{i}_") for i in range(3)]
    made = dict(zip(map(id, pool), terms, strict=True))
    for _ in range(8):
        try:
            name, operands, attrs, value = r.choice(STEPS)(r, pool)
        except (ValueError, IndexError):
            continue  # this operation does not fit the values there are
        types = [made.get(id(x)) or concrete(x) for x in operands]
        (result,) = solver.apply(SIGNATURES[name], types, HERE, attrs)
        value = np.asarray(value).copy()
        pool.append(value)
        made[id(value)] = result
    order = list(zip(terms, inputs, strict=True))
    r.shuffle(order)
    for term, x in order:
        solver.equal_types(term, concrete(x), HERE)
    for value in pool:
        assert str(solver.resolve(made[id(value)])) == str(concrete(value))
    assert not [text for text, _ in solver.pending() if "/" in text]


# ---------------------------------------------------------------- constraints without sense


class Nonsense:
    """Random constraints, most of which contradict each other."""

    def __init__(self, seed: int):
        self.r = random.Random(seed)
        self.solver = Solver()
        self.types = [self.solver.fresh_type() for _ in range(4)]
        self.dims = [*map(symbol, "abc"), *(self.solver.fresh_dim() for _ in range(3))]
        self.runs = [RankVar("s"), RankVar("r"), *(self.solver.fresh_rank() for _ in range(3))]

    def dim(self) -> Dim:
        a, b = self.r.choice(self.dims), self.r.choice([*self.dims, dim(self.r.randint(0, 4))])
        made: list[Callable[[], Dim]] = [
            *[lambda: a] * 6,
            lambda: b,
            lambda: a + b,
            lambda: a * b,
            lambda: a - b,
            lambda: a // 2,
            lambda: maximum(0, a - 2),
            lambda: minimum(a, b),
            lambda: a & b,
        ]
        return self.r.choice(made)()

    def shape(self) -> ShapeTerm:
        length = self.r.randint(0, 4)
        return tuple(self.r.choice(self.runs) if self.r.random() < 0.3 else self.dim() for _ in range(length))

    def dtype(self) -> DTypeTerm:
        t, u = (self.r.choice(self.types).dtype for _ in range(2))
        return self.r.choice([t, Weak(float), Weak(int), np.dtype("f4"), np.dtype("i8"), Promoted((t, u))])

    def attrs(self, name: str) -> dict[str, Any]:
        r = self.r
        axes = tuple(r.choices([-2, -1, 0, 1, 2], k=r.randint(0, 2)))
        spatial = r.choice([1, 2])
        choices: dict[str, Any] = {
            "axes": axes,
            "axis": r.choice([0, 1, 2]),
            "keepdims": r.random() < 0.5,
            "perm": r.choice([(1, 0), (0, 2, 1)]),
            "steps": (1,) * len(axes),
            "unique": False,
            "equation": r.choice(["ij,jk->ik", "i,i->", "ab->ba"]),
            "dtype": np.dtype("f4"),
            **dict.fromkeys(["strides", "dilations", "taps"], (r.choice([1, 2]),) * spatial),
            "pads": (1,) * (2 * spatial),
            "output_padding": (0,) * spatial,
            "groups": r.choice([1, 2]),
            "sizes": (2, 3),
            "epsilon": 1e-5,
            "align_corners": False,
            "k": r.choice([0, 2]),
            "units": r.choice([1, 2]),
            "behind": r.choice([0, 1]),
            "negative": r.choice(["", "product"]),
            "approximate": r.choice(["none", "tanh"]),
        }
        return {attr: choices[attr] for attr in OPS[name].attrs}

    def constrain(self) -> None:
        r, solver = self.r, self.solver
        kind = r.choices(["apply", "types", "shapes", "runs", "broadcast", "dtypes"], [5, 1, 2, 1, 1, 1])[0]
        some = r.choice(self.types)
        if kind == "apply":
            name = r.choice(list(OPS))
            signature = SIGNATURES[name]
            count = len(signature.operands) + (r.randint(-1, 2) if signature.variadic else 0)
            operands = r.choices(self.types, k=count)
            self.types += solver.apply(signature, operands, HERE, self.attrs(name))
        elif kind == "types":
            solver.equal_types(some, r.choice(self.types), HERE)
        elif kind == "shapes":
            solver.equal_shapes(some.shape, self.shape(), HERE)
        elif kind == "runs":
            solver.equal_shapes(self.shape(), self.shape(), HERE)
        elif kind == "broadcast":
            solver.equal_shapes(solver.broadcast([self.shape(), some.shape], HERE), self.shape(), HERE)
        else:
            solver.equal_dtypes(some.dtype, self.dtype(), HERE)


@pytest.mark.parametrize("seed", range(60))
def test_any_constraints_end_in_a_solution_or_an_error(seed: int) -> None:
    nonsense = Nonsense(seed)
    for _ in range(40):
        before = [nonsense.solver.resolve(t) for t in nonsense.types]
        with nonsense.solver.trial() as trial:
            nonsense.constrain()
        if trial.error is not None:
            assert trial.error.message
            assert [nonsense.solver.resolve(t) for t in nonsense.types] == before
    nonsense.solver.solve()
    assert len(nonsense.solver.principal(nonsense.types).types) == len(nonsense.types)
    assert all(text for text, _ in nonsense.solver.pending())
