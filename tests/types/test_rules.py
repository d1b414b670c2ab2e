"""Type rules against NumPy: shapes and dtypes on concrete inputs, constant and symbolic, and messages."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from graph_program.extract.types.dims import Dim, dim, symbol
from graph_program.extract.types.rules.type_rules import RULES, infer
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType
from graph_program.tensor_api.opdef import OPS

BIG, SMALL = 2**63 - 1, -(2**63)
SIZED_BY_VALUES = {"nonzero"}
SHAPES = [(), (3,), (1,), (0,), (2, 3), (3, 1), (4, 2, 3), (2, 0, 3)]


def array(shape: tuple[int, ...], dtype: str = "f4") -> np.ndarray:
    return (np.arange(int(np.prod(shape))) % 5 + 1).reshape(shape).astype(dtype)


def elementwise_dtype(name: str) -> str:
    return "i4" if "bitwise" in name or "shift" in name or name == "invert" else "f4"


Row = tuple[str, list[Any], dict[str, Any]]
"""(operation, operands, attributes); Python ints are size operands."""


def elementwise() -> list[Row]:
    table: list[Row] = []
    for name, op in OPS.items():
        if op.family in ("elementwise", "predicate"):
            dtype = elementwise_dtype(name)
            pairs = itertools.product(SHAPES, repeat=len(op.operands))
            table += [(name, [array(s, dtype) for s in shapes], {}) for shapes in pairs]
    return table


def of_shape(shape: tuple[int, ...]) -> list[Row]:
    """Operations of an array of some shape."""
    table: list[Row] = []
    x, rank = array(shape), len(shape)
    table.append(("cast", [x], {"dtype": np.dtype("i8")}))
    table.append(("where", [array(shape, "?"), x, array((3,))], {}))
    table.append(("transpose", [x], {"perm": tuple(reversed(range(rank)))}))
    table.append(("expand_dims", [x], {"axes": (0,)}))
    table.append(("expand_dims", [x], {"axes": (0, rank + 1)}))
    table.append(("squeeze", [x], {"axes": tuple(i for i, n in enumerate(shape) if n == 1)}))
    table.append(("reshape", [x, -1], {}))
    table.append(("reshape", [x, *reversed(shape)], {}))
    table.append(("reshape", [x, x.size], {}))
    table.append(("reshape", [x, 2, -1], {}))
    table.append(("broadcast_to", [x, 5, *shape], {}))
    table.append(("broadcast_to", [x, 2, 2, 3], {}))
    table.append(("full", [array(()), *shape], {}))
    for axis in range(rank):
        table += [(n, [x], {"axis": axis}) for n in ("cumsum", "cumprod", "sort", "argsort", "dim")]
        table += [(n, [x], {"axis": axis, "keepdims": k}) for n in ("argmax", "argmin") for k in (0, 1)]
        table.append(("concatenate", [x, x, x], {"axis": axis}))
        if shape[axis]:
            table.append(("take", [x, np.zeros((2, 2), np.int64)], {"axis": axis}))
            table.append(("take", [x, np.int64(0)], {"axis": axis}))
    for other in SHAPES:
        table.append(("matmul", [x, array(other)], {}))
    return table


def reductions(shape: tuple[int, ...]) -> list[Row]:
    table: list[Row] = []
    x, rank = array(shape), len(shape)
    for keepdims in (True, False):
        for name in ("sum", "prod", "max", "min"):
            for axes in [(), (0,), (0, 1), tuple(range(rank))]:
                if len(axes) <= rank:
                    table.append((name, [x], {"axes": axes, "keepdims": keepdims}))
        table.append(("all", [array(shape, "?")], {"axes": (), "keepdims": keepdims}))
        table.append(("any", [array(shape, "?")], {"axes": tuple(range(rank)), "keepdims": keepdims}))
    return table


def chosen() -> list[Row]:
    """Shapes that fit, and such as do not, written one by one."""
    x, i = array((4, 2, 3)), np.array([0, 1])
    return [
        ("iota", [4], {}),
        ("iota", [-4], {}),
        ("concatenate", [array((2, 3)), array((4, 3))], {"axis": 0}),
        ("concatenate", [array((2, 3)), array((4, 3)), array((2, 4))], {"axis": 1}),
        ("einsum", [array((2, 3)), array((3, 4))], {"equation": "ij,jk->ik"}),
        ("einsum", [array((2, 3)), array((1, 4))], {"equation": "ij,jk->kij"}),
        ("einsum", [array((2, 3)), array((4, 4))], {"equation": "ij,jk->ik"}),
        ("einsum", [array((2, 3))], {"equation": "ij->"}),
        ("nonzero", [np.array([[True, False], [True, True]])], {}),
        ("gather_nd", [x, i], {"axis": 0}),
        ("gather_nd", [x, i, i, i], {"axis": 0}),
        ("gather_nd", [x, i, i, i, i], {"axis": 0}),
        ("gather_nd", [x, i, np.array([0, 1, 1])], {"axis": 0}),
        ("gather_nd", [x, i, i], {"axis": 1}),
        ("gather_nd", [x, i, i, i], {"axis": 1}),
        ("scatter_nd", [x, array((4, 2)), i, i], {"axis": 1, "unique": False}),
        ("scatter_add", [array((3,)), array((4,)), np.array([0, 2, 0, -1])], {}),
        ("slice", [x, 1, 0, -1, BIG], {"axes": (0, 2), "steps": (1, 2)}),
        ("slice", [x, BIG, SMALL], {"axes": (1,), "steps": (-1,)}),
        ("set_slice", [x, array((3,)), 1, BIG], {"axes": (0,), "steps": (1,)}),
        ("set_slice", [x, array((1, 1, 2, 2, 1)), 0, 2], {"axes": (0,), "steps": (1,)}),
        ("set_slice", [x, array((2, 3, 3)), 0, 2], {"axes": (0,), "steps": (1,)}),
        ("set_index", [x, array((3,)), 1, 0], {}),
        ("set_index", [x, array(()), 1, 0, -1], {}),
        ("set_index", [x, array((2,)), 1, 0], {}),
        ("scatter_nd", [x, array((2, 1, 1)), i], {"axis": 0, "unique": False}),
        ("scatter_nd", [x, array((5,)), i], {"axis": 0, "unique": False}),
        ("matmul", [array((5, 2, 3)), array((5, 3, 4))], {}),
        ("matmul", [array((5, 2, 3)), array((3, 4))], {}),
        ("matmul", [array((7, 1, 2, 3)), array((5, 3, 4))], {}),
        ("matmul", [array((2, 2, 3)), array((5, 3, 4))], {}),
        ("matmul", [array((3,)), array((5, 3, 4))], {}),
        ("matmul", [array((3,)), array((3,))], {}),
        ("gemm", [array((2, 3)), array((3, 4))], {"negative": ""}),
        ("dft", [array((2, 3))], {}),
        ("dft", [array((5, 2, 4)), array((5, 2, 4))], {}),
        ("gemm", [array((2, 3)), array((3, 4)), array((4,))], {"negative": ""}),
        ("gemm", [array((2, 3)), array((3, 4)), array((2, 1))], {"negative": ""}),
    ]


def neural() -> list[Row]:
    """The fused operators, which take float32 only."""
    x, w = array((2, 4, 7, 6)), array((6, 2, 3, 2))
    step = {"strides": (2, 1), "pads": (1, 0, 0, 1)}
    conv = {**step, "dilations": (1, 2), "groups": 2}
    spread = {**conv, "output_padding": (1, 0)}
    pool = {**step, "taps": (3, 2)}
    plain = {"strides": (1,), "pads": (0, 0), "dilations": (1,), "groups": 1}
    return [
        ("conv", [x, w], conv),
        ("conv", [x, w, array((6,))], conv),
        ("conv", [array((2, 3, 5)), array((4, 3, 2))], plain),
        ("conv_transpose", [array((2, 6, 7, 6)), w], spread),
        ("conv_transpose", [array((2, 6, 7, 6)), w, array((4,))], spread),
        ("max_pool", [x], {**pool, "dilations": (1, 2)}),
        ("average_pool", [x], pool),
        ("softmax", [x], {"axis": -1}),
        ("log_softmax", [x], {"axis": 1}),
        ("top_k", [x], {"k": 2}),
        ("resize", [x], {"sizes": (3, 8), "align_corners": 0}),
        ("lstm", [array(s) for s in ((5, 2, 3), (16, 3), (16, 4), (32,), (2, 4), (2, 4))], {"units": 4}),
        ("lstm_memory", [array(s) for s in ((5, 2, 3), (16, 3), (16, 4), (32,), (2, 4), (2, 4))], {"units": 4}),
        ("gru", [array(s) for s in ((5, 2, 3), (12, 3), (12, 4), (24,), (2, 4))], {"units": 4, "behind": 1}),
        ("gelu", [x], {"approximate": "tanh"}),
        ("erf", [x], {}),
        ("erf", [array(())], {}),
        ("layer_norm", [x, array((6,)), array((6,))], {"axis": -1, "epsilon": 1e-5}),
        ("layer_norm", [x, array((7, 6)), array((7, 6))], {"axis": -2, "epsilon": 1e-5}),
        ("instance_norm", [x, array((4,)), array((4,))], {"epsilon": 1e-5}),
    ]


def cases() -> list[Row]:
    """All rows."""
    of_shapes = [row for shape in SHAPES for row in (*of_shape(shape), *reductions(shape))]
    return [*elementwise(), *of_shapes, *chosen(), *neural()]


def by_name() -> dict[str, list[tuple[list[Any], dict[str, Any]]]]:
    grouped: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {}
    for name, operands, attrs in cases():
        grouped.setdefault(name, []).append((operands, attrs))
    return grouped


CASES = by_name()


class World:
    """Symbols made for sizes, with their values."""

    def __init__(self, mode: str):
        self.mode = mode
        self.values: dict[str, int] = {}
        self.fresh_count = 0

    def dim(self, size: int, place: str) -> Dim:
        if self.mode == "constant" or (self.mode == "mixed" and len(self.values) % 2):
            return dim(size)
        name = f"n{size}" if self.mode == "shared" else place
        self.values[name] = size
        return symbol(name)

    def size(self, value: int, place: str) -> Dim | None:
        if self.mode == "unknown":
            return None
        if value < 0 or value > 100:
            return dim(value)
        return self.dim(value, place)

    def fresh(self) -> Dim:
        self.fresh_count += 1
        return symbol(f"?{self.fresh_count}")


def infer_in(world: World, name: str, operands: list[Any], attrs: dict[str, Any]) -> TensorType:
    types, sizes = [], []
    for i, x in enumerate(operands):
        if isinstance(x, int):
            types.append(PY_INT)
            sizes.append(world.size(x, f"k{i}"))
        else:
            shape = tuple(world.dim(n, f"a{i}_{axis}") for axis, n in enumerate(np.shape(x)))
            types.append(TensorType(np.asarray(x).dtype, shape))
            sizes.append(None)
    return infer(name, types, attrs, sizes, world.fresh)


def outcome(name: str, operands: list[Any], attrs: dict[str, Any]) -> np.ndarray | Exception:
    with np.errstate(all="ignore"):
        try:
            return np.asarray(OPS[name].reference(*operands, **attrs))
        except (ValueError, TypeError, IndexError) as error:
            return error


def test_every_family_has_a_rule() -> None:
    assert {op.family for op in OPS.values()} == set(RULES)


def test_every_operation_has_a_case() -> None:
    assert not OPS.keys() - CASES.keys()


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("mode", ["constant", "shared", "own", "mixed", "unknown"])
def test_infer_agrees_with_numpy(name: str, mode: str) -> None:
    for operands, attrs in CASES[name]:
        expected = outcome(name, operands, attrs)
        if isinstance(expected, Exception):
            continue
        world = World(mode)
        result = infer_in(world, name, operands, attrs)
        what = f"{name} {[np.shape(x) or x for x in operands]} {attrs} in {world.values}: {result}"
        assert result.dtype == expected.dtype, what
        assert result.rank == expected.ndim, what
        for d, n in zip(result.shape, expected.shape, strict=True):
            if not any(s.startswith("?") for s in d.symbols):
                assert d.evaluate(world.values) == n, what
        if mode == "constant" and name not in SIZED_BY_VALUES:
            assert not world.fresh_count, what


@pytest.mark.parametrize("name", sorted(CASES))
def test_infer_refuses_with_numpys_words(name: str) -> None:
    for operands, attrs in CASES[name]:
        expected = outcome(name, operands, attrs)
        if isinstance(expected, Exception):
            with pytest.raises(TypeRuleError) as caught:
                infer_in(World("constant"), name, operands, attrs)
            assert caught.value.message.split() == str(expected).split(), (operands, attrs)
            assert isinstance(expected, caught.value.python_class)


N, M, K = symbol("n"), symbol("m"), symbol("k")


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
def test_slice_lengths_are_exact_for_all_sizes(step: int) -> None:
    """Bounds: left out, constants of both signs, a symbol, its negative, and n minus a constant."""
    bounds = [dim(b) for b in (0, 1, 3, -1, -2, -4, BIG, SMALL)] + [K, -K - 1, N - 1, N - 2, N + 1, K + 2]
    exact = 0
    for start, stop in itertools.product(bounds, repeat=2):
        world = World("constant")
        types = [TensorType(np.dtype("f4"), (N,)), PY_INT, PY_INT]
        attrs = {"axes": (0,), "steps": (step,)}
        (length,) = infer("slice", types, attrs, [None, start, stop], world.fresh).shape
        if world.fresh_count:
            continue
        exact += 1
        for n, k in itertools.product(range(7), range(5)):
            sizes = {"n": n, "k": k}
            first, last = start.evaluate(sizes), stop.evaluate(sizes)
            piece = slice(first, None if step < 0 and last == SMALL else last, step)
            assert length.evaluate(sizes) == len(range(n)[piece]), (start, stop, step, length, sizes)
    assert exact > 90


@pytest.mark.parametrize(
    ("start", "stop", "step", "text"),
    [
        (1, -1, 1, "max(0,n-2)"),
        (0, BIG, 2, "(n+1)//2"),
        (BIG, SMALL, -1, "n"),
        (0, K, 1, "min(k,n)"),
        (0, N, 1, "n"),
        (0, N - 1, 1, "max(0,n-1)"),
        (-3, BIG, 1, "min(3,n)"),
        (2, BIG, 1, "max(0,n-2)"),
        (0, 0, 1, "0"),
    ],
)
def test_slice_lengths_read_well(start: Any, stop: Any, step: int, text: str) -> None:
    types = [TensorType(np.dtype("f4"), (N,)), PY_INT, PY_INT]
    sizes = [None, dim(start), dim(stop)]
    (length,) = infer("slice", types, {"axes": (0,), "steps": (step,)}, sizes).shape
    assert str(length) == text


def reshape(shape: tuple[Any, ...], *dims: Any) -> str:
    types = [TensorType(np.dtype("f4"), tuple(map(dim, shape))), *[PY_INT] * len(dims)]
    sizes = [None, *(None if d is None else dim(d) for d in dims)]
    return str(infer("reshape", types, {}, sizes, lambda: symbol("?")))


@pytest.mark.parametrize(
    ("shape", "dims", "text"),
    [
        ((N, 4), (-1,), "float32 [4*n]"),
        ((N, 4), (-1, 2), "float32 [2*n, 2]"),
        ((N, 4), (N, -1), "float32 [n, 4]"),
        ((N, 4), (N, 2, None), "float32 [n, 2, ?]"),
        ((N, 4), (2, None), "float32 [2, 2*n]"),
        ((N, M), (-1, 3), "float32 [(m*n)//3, 3]"),
        ((N + 1, M + 1), (-1, M + 1), "float32 [n+1, m+1]"),
        ((N, N), (None, None), "float32 [?, ?]"),
        ((N,), (N - 1,), "float32 [n]"),
    ],
)
def test_reshape_is_as_precise_as_can_be(shape: Any, dims: Any, text: str) -> None:
    assert reshape(shape, *dims) == text


@pytest.mark.parametrize(
    ("shape", "dims"), [((6,), (4, 2)), ((N + 1,), (0,)), ((N * 2 + 1,), (-1, 2)), ((N * 2 + 1,), (0, -1))]
)
def test_reshape_refuses_what_never_fits(shape: Any, dims: Any) -> None:
    with pytest.raises(TypeRuleError, match="cannot reshape array of size"):
        reshape(shape, *dims)


def added(a: Any, b: Any) -> str:
    types = [TensorType(np.dtype("f4"), (dim(d),)) for d in (a, b)]
    return str(infer("add", types, {}, (), lambda: symbol("?")).shape[0])


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [(N, 3, "3"), (N, N, "n"), (N, M, "m&n"), (N, 1, "n"), (N, 0, "0"), (N + 2, M, "n+2"), (N, N + 1, "n&(n+1)")],
)
def test_broadcasting_keeps_the_more_precise_side(a: Any, b: Any, text: str) -> None:
    assert added(a, b) == added(b, a) == text


@pytest.mark.parametrize(("a", "b"), [(3, 4), (N + 2, N + 3), (N + 5, 4), (0, 2)])
def test_broadcasting_refuses_what_never_fits(a: Any, b: Any) -> None:
    with pytest.raises(TypeRuleError, match="operands could not be broadcast together with shapes"):
        added(a, b)


def test_element_types_must_be_those_numpy_computes_in() -> None:
    whole, real = TensorType(np.dtype("i8")), TensorType(np.dtype("f8"))
    for op, types in [("sqrt", [whole]), ("add", [whole, real]), ("bitwise_and", [real, real])]:
        with pytest.raises(TypeRuleError) as caught:
            infer(op, types, {})
        assert caught.value.kind == "dtype"


def test_weak_numbers_are_ordinary_operands() -> None:
    assert infer("add", [PY_INT, TensorType(np.dtype("i8"), (N,))], {}).shape == (N,)
    assert infer("add", [PY_INT, PY_INT], {}) == TensorType(np.dtype("i8"))
