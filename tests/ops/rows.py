"""One row per operation: the operands to try, and how close the result must be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.tensor_api.opdef import OPS
from tests.ops import neural_rows
from tests.ops.row import DTYPES, FLOATS, MOVED, Case, Row, edges, sample

MAX, MIN = 2**63 - 1, -(2**63)


def unary(dtype: np.dtype) -> Iterator[Case]:
    values = edges(dtype)
    if dtype.kind == "f":
        rng = np.random.default_rng(1)
        spread = [
            rng.normal(size=200),
            rng.uniform(-1, 1, 200),
            10.0 ** rng.uniform(-6, 4, 200),
            -(2.0 ** np.arange(9)),
        ]
        values = np.concatenate([values, *(s.astype(dtype) for s in spread), (2.0 ** np.arange(-9, 15)).astype(dtype)])
    yield Case((values,))
    yield Case((values[1],))
    yield Case((sample(dtype, 2, 1, 3),))
    yield Case((sample(dtype, 0, 3),))


def reciprocals(dtype: np.dtype) -> Iterator[Case]:
    """NumPy's 1 / 0 of integers is undefined."""
    for case in unary(dtype):
        if dtype.kind == "f" or np.all(case.operands[0]):
            yield case
    yield Case((edges(dtype)[edges(dtype) != 0],))


def binary(dtype: np.dtype) -> Iterator[Case]:
    values = edges(dtype)
    yield Case((values[:, None], values[None, :]))
    for value in (values[-1], values[1], *(np.array(3).astype(dtype), np.array(2).astype(dtype))):
        yield Case((values, np.asarray(value)))
    yield Case((np.asarray(values[1]), np.asarray(values[1])))
    yield from broadcasts(dtype)


def broadcasts(dtype: np.dtype) -> Iterator[Case]:
    for a, b in [((2, 3), (3,)), ((3, 1), (2, 1, 4)), ((0, 3), (3,)), ((2, 3), ()), ((), (0,))]:
        yield Case((sample(dtype, *a), np.abs(sample(dtype, *b, seed=5))))


def powers(dtype: np.dtype) -> Iterator[Case]:
    if dtype.kind == "b":
        return
    if dtype.kind == "f":
        yield from binary(dtype)
        return
    values = edges(dtype)
    exponents = np.array([v for v in [0, 1, 2, 3, 7, 31, 62, 63, 64, 100] if v <= np.iinfo(dtype).max], dtype)
    yield Case((values[:, None], exponents))
    for exponent in exponents[:6]:
        yield Case((values, np.asarray(exponent)))
    yield Case((np.asarray(values[3]), exponents))
    yield Case((np.asarray(values[3]), exponents[3]))
    yield from broadcasts(dtype)


def shifts(dtype: np.dtype) -> Iterator[Case]:
    values, width = edges(dtype), 8 * dtype.itemsize
    counts = np.array([0, 1, 2, width - 1, width, width + 1, 100], dtype)
    yield Case((values[:, None], counts))
    for count in counts:
        yield Case((values, np.asarray(count)))
    yield from broadcasts(dtype)


def selections(dtype: np.dtype) -> Iterator[Case]:
    values = edges(dtype)
    yield Case((np.arange(len(values)) % 2 == 0, values, values[::-1].copy()))
    yield Case((np.array(True), values, values[::-1].copy()))
    for shapes in [((2, 1), (3,), ()), ((), (), ()), ((0, 1), (3,), (1,)), ((2, 3), (2, 3), (2, 3))]:
        condition, *values = (sample(dtype, *shape, seed=seed) for seed, shape in enumerate(shapes))
        yield Case((condition > 0, *values))


def casts(dtype: np.dtype) -> Iterator[Case]:
    values = edges(dtype)
    for target in DTYPES:
        x = values
        if dtype.kind == "f" and target.kind in "iu":
            info = np.iinfo(target)
            with np.errstate(all="ignore"):
                wide = np.trunc(values.astype(np.float64))
            x = values[np.isfinite(wide) & (wide >= info.min) & (wide < float(info.max))]
        yield Case((x,), {"dtype": target})
        yield Case((x[0],), {"dtype": target})
        yield Case((x[:0].reshape(0, 2),), {"dtype": target})


def _axes(rank: int) -> Iterator[tuple[int, ...]]:
    for length in range(rank + 1):
        yield from itertools.combinations(range(rank), length)


def reductions(dtype: np.dtype) -> Iterator[Case]:
    for shape in [(), (4,), (2, 3), (2, 3, 2), (0, 3), (0,), (3, 1), (1, 1)]:
        for axes in _axes(len(shape)):
            keepdims = len(axes) % 2 == 0 if len(shape) < 3 else len(axes) % 2 == 1
            yield Case((sample(dtype, *shape),), {"axes": axes, "keepdims": keepdims})
            yield Case((sample(dtype, *shape),), {"axes": axes, "keepdims": not keepdims})
    if dtype.kind in "iu":
        table = np.stack([edges(dtype), edges(dtype)[::-1]])
        for axes in _axes(2):
            yield Case((table,), {"axes": axes, "keepdims": False})


def extremes(dtype: np.dtype) -> Iterator[Case]:
    yield from reductions(dtype)
    values = edges(dtype)
    table = np.stack([np.roll(values, shift) for shift in range(5)])
    for axis in (0, 1):
        yield Case((table,), {"axes": (axis,), "keepdims": False})
    yield Case((values,), {"axes": (0,), "keepdims": True})


def truths(dtype: np.dtype) -> Iterator[Case]:
    if dtype.kind == "b":
        yield from reductions(dtype)
        yield Case((np.ones((3, 2), bool),), {"axes": (0,), "keepdims": False})
        yield Case((np.zeros((3, 2), bool),), {"axes": (1,), "keepdims": False})


def positions(dtype: np.dtype) -> Iterator[Case]:
    values = edges(dtype)
    table = np.stack([np.roll(values, shift) for shift in range(6)])
    arrays = [
        table,
        table[::-1].copy(),
        values,
        sample(dtype, 2, 3, 4),
        sample(dtype, 3, 0),
        sample(dtype, 1),
        sample(dtype, 0, 3),
    ]
    if dtype.kind == "f":
        arrays.append(np.array([[1, np.inf, np.nan], [np.nan, -np.inf, np.inf], [np.inf, 2, np.inf]]).astype(dtype))
    for x in arrays:
        for axis in range(x.ndim):
            yield Case((x,), {"axis": axis, "keepdims": axis == 0})
            yield Case((x,), {"axis": axis, "keepdims": axis != 0})


def along(dtype: np.dtype) -> Iterator[Case]:
    """Running sums and products."""
    for shape in [(4,), (2, 3), (3, 2, 2), (0,), (0, 3), (3, 0), (1,)]:
        for axis in range(len(shape)):
            yield Case((sample(dtype, *shape),), {"axis": axis})
    extreme = edges(dtype)
    yield Case((extreme[np.isfinite(extreme)][:4],), {"axis": 0})


def sorts(dtype: np.dtype) -> Iterator[Case]:
    for case in positions(dtype):
        if case.attrs["keepdims"]:
            yield Case(case.operands, {"axis": case.attrs["axis"]})
    x = sample(dtype, 3, 40)
    yield Case((x,), {"axis": 1})
    yield Case((x,), {"axis": 0})


def products(dtype: np.dtype) -> Iterator[Case]:
    shapes = [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((4, 2, 3), (3, 2)), ((3,), (4, 3, 2))]
    shapes += [((5, 1, 2, 3), (4, 3, 2)), ((2, 0), (0, 3)), ((0,), (0,)), ((0, 2), (2, 3)), ((4, 2, 3), (3,))]
    shapes += [((0, 3), (3,)), ((2, 0, 3), (3,)), ((3, 0), (0,)), ((3,), (3, 0)), ((0,), (0, 3))]
    for a, b in shapes:
        yield Case((sample(dtype, *a), sample(dtype, *b, seed=3)))
    if dtype.kind in "iu":
        yield Case((edges(dtype)[None, :], edges(dtype)[:, None]))


def products_and_sums(dtype: np.dtype) -> Iterator[Case]:
    for n, k, m in [(2, 3, 4), (1, 1, 1), (0, 3, 2), (2, 3, 0), (5, 1, 3)]:
        pair = sample(dtype, n, k), sample(dtype, k, m, seed=3)
        yield Case(pair, {"negative": ""})
        for shape, negative in [((m,), ""), ((1, m), "added"), ((n, m), "product"), ((n, 1), ""), ((), "product")]:
            yield Case((*pair, sample(dtype, *shape, seed=4)), {"negative": negative})


def contractions(dtype: np.dtype) -> Iterator[Case]:
    table: list[tuple[str, list[tuple[int, ...]]]] = [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij->ji", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("i,i->", [(3,), (3,)]),
        ("i,j->ij", [(3,), (2,)]),
        ("bij,bjk->bik", [(2, 2, 3), (2, 3, 1)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
        ("ij,jk->ik", [(2, 0), (0, 3)]),
        (",i->i", [(), (3,)]),
        ("ijk->k", [(2, 3, 4)]),
        ("aB, Bc -> ca", [(2, 3), (3, 2)]),
        ("ij,ij->", [(2, 3), (2, 3)]),
        ("ij,kj->ki", [(2, 3), (4, 3)]),
        ("ij,j->i", [(0, 3), (3,)]),
        ("ij,j->i", [(3, 0), (0,)]),
        ("i,ij->j", [(2,), (2, 3)]),
        ("abcd,bcde->ae", [(2, 3, 1, 2), (3, 1, 2, 4)]),
        ("abx,ax->ab", [(2, 3, 4), (2, 4)]),
        ("abij,abjk->baik", [(2, 3, 2, 2), (2, 3, 2, 1)]),
        ("ij,ij->ij", [(2, 3), (2, 3)]),
        ("ij,kl->", [(2, 3), (2, 2)]),
        ("ijk,k,j->i", [(2, 3, 4), (4,), (3,)]),
        ("ij,j->i", [(2, 0), (0,)]),
    ]
    for equation, shapes in table:
        operands = tuple(sample(dtype, *s, seed=i) for i, s in enumerate(shapes))
        yield Case(operands, {"equation": equation})


def sizes(*values: int) -> tuple[np.ndarray, ...]:
    """Int64 scalars."""
    return tuple(np.array(v, np.int64) for v in values)


def reshapes(dtype: np.dtype) -> Iterator[Case]:
    table: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((2, 3), (3, 2)),
        ((2, 3), (6,)),
        ((2, 3), (-1,)),
        ((2, 3), (3, -1)),
        ((0, 3), (3, 0)),
        ((0, 3), (-1, 3)),
        ((1, 1), ()),
        ((), (1, 1)),
        ((4,), (2, 1, 2)),
        ((0,), (0,)),
    ]
    for shape, target in table:
        yield Case((sample(dtype, *shape), *sizes(*target)))


def broadcast_shapes(dtype: np.dtype) -> Iterator[Case]:
    for shape, target in [((3,), (2, 3)), ((2, 1), (2, 4)), ((), (2, 2)), ((1,), (0,)), ((2, 3), (2, 3)), ((), ())]:
        yield Case((sample(dtype, *shape), *sizes(*target)))


def transposes(dtype: np.dtype) -> Iterator[Case]:
    for shape in [(), (3,), (2, 3), (2, 0, 3)]:
        for perm in itertools.permutations(range(len(shape))):
            yield Case((sample(dtype, *shape),), {"perm": perm})


def insertions(dtype: np.dtype) -> Iterator[Case]:
    for shape, axes in [((), (0,)), ((3,), (0,)), ((3,), (1,)), ((2, 3), (0, 2)), ((2, 3), ()), ((0,), (0, 1))]:
        yield Case((sample(dtype, *shape),), {"axes": axes})


def removals(dtype: np.dtype) -> Iterator[Case]:
    for shape, axes in [((1,), (0,)), ((3, 1), (1,)), ((1, 3, 1), (0, 2)), ((2, 3), ()), ((1, 0), (0,))]:
        yield Case((sample(dtype, *shape),), {"axes": axes})


def concatenations(dtype: np.dtype) -> Iterator[Case]:
    for shapes, axis in [([(2,), (3,)], 0), ([(2, 1), (2, 3), (2, 0)], 1), ([(2, 3)], 0), ([(0,), (0,)], 0)]:
        yield Case(tuple(sample(dtype, *s, seed=i) for i, s in enumerate(shapes)), {"axis": axis})


def fills(dtype: np.dtype) -> Iterator[Case]:
    for target in [(2, 3), (), (0,), (4,), (3, 0)]:
        for value in (edges(dtype)[-1], edges(dtype)[0]):
            yield Case((np.asarray(value), *sizes(*target)))


def ranges(dtype: np.dtype) -> Iterator[Case]:
    if dtype == np.int64:
        for n in (5, 1, 0, -3):
            yield Case(sizes(n))


def measures(dtype: np.dtype) -> Iterator[Case]:
    for shape in [(3,), (2, 0), (2, 3, 4)]:
        for axis in range(-len(shape), len(shape)):
            yield Case((sample(dtype, *shape),), {"axis": axis})


_BOUNDS = [(0, MAX), (1, 3), (-2, MAX), (0, -1), (1, -1), (3, 1), (-1, -3), (-100, 100), (2, 2), (MIN, MAX), (7, 9)]
_BACKWARD = [(MAX, MIN), (-2, MIN), (3, 0), (3, -100), (-100, MIN), (1, 3), (-1, -3), (100, 1)]


def _cuts() -> Iterator[tuple[tuple[int, ...], tuple[np.ndarray, ...], dict[str, Any]]]:
    """Shape of x, bounds, attributes."""
    for step, bounds in [(1, _BOUNDS), (2, _BOUNDS), (3, _BOUNDS[:4]), (-1, _BACKWARD), (-2, _BACKWARD)]:
        for start, stop in bounds:
            yield (5,), sizes(start, stop), {"axes": (0,), "steps": (step,)}
            yield (3, 5), sizes(start, stop), {"axes": (1,), "steps": (step,)}
    for start, stop in _BOUNDS:
        yield (0,), sizes(start, stop), {"axes": (0,), "steps": (1,)}
        yield (1,), sizes(start, stop), {"axes": (0,), "steps": (1,)}
        yield (4, 5), sizes(1, start, -1, stop), {"axes": (0, 1), "steps": (1, 1)}
    yield (4, 5), sizes(0, MAX, MAX, MIN), {"axes": (0, 1), "steps": (2, -1)}
    yield (4, 5, 3), sizes(-1, 1, 1, MIN, 4, -1), {"axes": (0, 1, 2), "steps": (-2, 2, 1)}
    yield (4, 5), (), {"axes": (), "steps": ()}


def slices(dtype: np.dtype) -> Iterator[Case]:
    for shape, bounds, attrs in _cuts():
        yield Case((sample(dtype, *shape), *bounds), attrs)


def slice_writes(dtype: np.dtype) -> Iterator[Case]:
    for number, (shape, bounds, attrs) in enumerate(_cuts()):
        x = sample(dtype, *shape)
        region = OPS["slice"].reference(x, *bounds, **attrs).shape
        others = [region[1:], (), (1, *region), tuple(1 for _ in region)]
        for value_shape in (region, others[number % 4]):
            yield Case((x, sample(dtype, *value_shape, seed=9), *bounds), attrs)


def takes(dtype: np.dtype) -> Iterator[Case]:
    for shape, axis in [((5,), 0), ((3, 5), 1), ((5, 3), 0)]:
        for indices in (2, -1, [0, -5, 4], [[1, 2], [3, 0]], np.zeros((0,))):
            yield Case((sample(dtype, *shape), np.asarray(indices, np.int64)), {"axis": axis})


def _index_tuples() -> Iterator[tuple[tuple[int, ...], tuple[np.ndarray, ...], int]]:
    """Shapes, index tensors, and the first axis that they are for."""
    for shape in [(5,), (3, 5), (3, 5, 2)]:
        for count in range(1, len(shape) + 1):
            for axis in range(len(shape) - count + 1):
                for indices in ([0, -1, 1], [[1, -2]], np.zeros((0,)), 1, [1, 1, 1]):
                    yield shape, tuple(np.asarray(indices, np.int64) for _ in range(count)), axis
    yield (3, 5, 2), (np.asarray([[0], [2]]), np.asarray([1, -1, 4])), 0
    yield (3, 5, 2), (np.asarray([[0], [2]]), np.asarray(1)), 1


def transforms(dtype: np.dtype) -> Iterator[Case]:
    for shape in [(1,), (2,), (4,), (8,), (64,), (3, 16), (2, 3, 32), (0, 4), (2, 0), (256,)]:
        parts = sample(dtype, *shape), sample(dtype, *shape, seed=9)
        yield from (Case(parts[:1]), Case(parts))


def masks(dtype: np.dtype) -> Iterator[Case]:
    if dtype == np.bool_:
        for shape in [(0,), (5,), (3, 4), (2, 0, 3), (2, 3, 2)]:
            yield Case((sample(dtype, *shape),))


def gathers(dtype: np.dtype) -> Iterator[Case]:
    for shape, indices, axis in _index_tuples():
        yield Case((sample(dtype, *shape), *indices), {"axis": axis})


def scatters(dtype: np.dtype) -> Iterator[Case]:
    for shape, indices, axis in _index_tuples():
        selected = np.broadcast_shapes(*(i.shape for i in indices))
        region = shape[:axis] + selected + shape[axis + len(indices) :]
        for value_shape in {region, region[1:], (), (1, *region)}:
            operands = (sample(dtype, *shape), sample(dtype, *value_shape, seed=9), *indices)
            yield Case(operands, {"axis": axis, "unique": False})
    last = (sample(dtype, 4, 2), sample(dtype, 4, 1, seed=9), np.array([1, -1, 1, 3]))
    yield Case(last, {"axis": 0, "unique": False})
    yield Case((*last[:2], np.array([1, 3, 0, 2])), {"axis": 0, "unique": True})


def additions(dtype: np.dtype) -> Iterator[Case]:
    for places in ([1, 3, 1, 0, 1], [-1, 4, 2], []):
        yield Case((sample(dtype, 5), sample(dtype, len(places), seed=9), np.array(places, np.int64)))
    yield Case((sample(dtype, 0), sample(dtype, 0), np.zeros(0, np.int64)))


def element_writes(dtype: np.dtype) -> Iterator[Case]:
    for shape in [(5,), (3, 5), (3, 5, 2)]:
        for count in range(len(shape) + 1):
            rest = shape[count:]
            for value_shape in {rest, rest[1:], (), (1, *rest)}:
                yield Case((sample(dtype, *shape), sample(dtype, *value_shape, seed=9), *sizes(*(1, -2, -1)[:count])))


def _names(text: str) -> list[str]:
    return text.split()


_ELEMENTWISE = {
    **dict.fromkeys(["negative", "absolute", "sign", "floor", "ceil", "trunc", "rint", "sqrt", "invert"], Row(unary)),
    **dict.fromkeys(_names("exp exp2 log log2 log10 arcsin arccos arctan cbrt"), Row(unary, ulps=4)),
    **dict.fromkeys(_names("sinh cosh arcsinh arccosh arctanh expm1 log1p"), Row(unary, ulps=6)),
    **dict.fromkeys(_names("sin cos"), Row(unary, ulps=4, absolute=3)),
    "reciprocal": Row(reciprocals),
    "tanh": Row(unary, ulps=32),
    "tan": Row(unary, ulps=4),
    **dict.fromkeys(_names("isnan isinf isfinite signbit"), Row(unary)),
    **dict.fromkeys(_names("add subtract multiply divide fmod copysign"), Row(binary)),
    **dict.fromkeys(_names("floor_divide remainder"), Row(binary)),
    **dict.fromkeys(_names("maximum minimum fmax fmin"), Row(binary, signed_zeros=False)),
    **dict.fromkeys(_names("arctan2 hypot"), Row(binary, ulps=4)),
    "logaddexp": Row(binary, ulps=4, absolute=1),
    **dict.fromkeys(_names("bitwise_and bitwise_or bitwise_xor"), Row(binary)),
    **dict.fromkeys(_names("equal not_equal less less_equal greater greater_equal"), Row(binary)),
    **dict.fromkeys(_names("left_shift right_shift"), Row(shifts)),
    "power": Row(powers, ulps=2),
    "where": Row(selections, signed_zeros=False),
    "cast": Row(casts),
}
_REDUCTION = {
    "sum": Row(reductions, ulps=8, absolute=64, signed_zeros=False),
    "prod": Row(reductions, ulps=16, signed_zeros=False),
    "max": Row(extremes, signed_zeros=False),
    "min": Row(extremes, signed_zeros=False),
    "all": Row(truths),
    "any": Row(truths),
    "argmax": Row(positions),
    "argmin": Row(positions),
    "cumsum": Row(along, ulps=8, absolute=64, signed_zeros=False),
    "cumprod": Row(along, ulps=8, signed_zeros=False),
    "sort": Row(sorts, signed_zeros=False),
    "argsort": Row(sorts),
}
ROWS: dict[str, Row] = {
    **_ELEMENTWISE,
    **_REDUCTION,
    "matmul": Row(products, ulps=8, absolute=200, signed_zeros=False),
    "gemm": Row(products_and_sums, ulps=8, absolute=200, signed_zeros=False, dtypes=FLOATS),
    "einsum": Row(contractions, ulps=16, absolute=400, signed_zeros=False),
    "dft": Row(transforms, ulps=16, absolute=2000, signed_zeros=False, dtypes=FLOATS),
    "reshape": Row(reshapes, dtypes=MOVED),
    "transpose": Row(transposes, dtypes=MOVED),
    "expand_dims": Row(insertions, dtypes=MOVED),
    "squeeze": Row(removals, dtypes=MOVED),
    "broadcast_to": Row(broadcast_shapes, dtypes=MOVED),
    "concatenate": Row(concatenations, dtypes=MOVED),
    "full": Row(fills, dtypes=MOVED),
    "iota": Row(ranges),
    "dim": Row(measures, dtypes=MOVED),
    "slice": Row(slices, dtypes=MOVED),
    "take": Row(takes, dtypes=MOVED),
    "gather_nd": Row(gathers, dtypes=MOVED),
    "nonzero": Row(masks, dtypes=MOVED),
    "set_slice": Row(slice_writes, dtypes=MOVED[::2]),
    "set_index": Row(element_writes, dtypes=MOVED),
    "scatter_nd": Row(scatters, dtypes=MOVED),
    "scatter_add": Row(additions, ulps=1, signed_zeros=False, dtypes=[d for d in DTYPES if d.kind != "b"]),
    **neural_rows.ROWS,
}
"""Rows by operation name."""

__all__ = ["ROWS", "Case", "Row"]
