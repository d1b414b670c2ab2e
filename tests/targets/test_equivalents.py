"""What a target does not take is written in other words, where there are any: the same results, to the bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program, load_onnx
from graph_program.backends.models.walks import nodes_of
from graph_program.backends.onnx.avoided import (
    ADDED,
    BYTES,
    CAST_CHAINS,
    CASTS,
    CONSTANT_SIDE,
    DIVIDENDS,
    EMPTY,
    LARGE,
    LAST_PLACES,
    LOG_SUMS,
    LOOPS,
    MAGNITUDES,
    MEAN_SQUARES,
    NANS,
    OPEN_RESULTS,
    OPEN_SIDES,
    OTHER_SIDES,
    OUTER_WRITES,
    QUANTIZED_SOFTMAX,
    REMAINDERS,
    ROUND_SIZES,
    SHORTS,
    SIZES,
    SMALL_CASTS,
    SQUARES,
    STRETCHED,
    TIES,
    TO_NUMBERS,
    TWO_BRANCHES,
    VECTORS,
    WIDE_SUMS,
)
from graph_program.backends.onnx.equivalents import EQUIVALENTS
from graph_program.exports import export, options
from graph_program.targets.support import REFUSED, RIGHT, WRONG, Support, targets
from graph_program.verification.forms import form_models
from graph_program.verification.runtimes import RUNTIMES
from tests.benchmarks.portable.runtimes import is_there
from tests.programs.plain import differs

A = np.array
HALVES = A([0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, -0.25, -0.0, 0.0, 1e300, np.inf, -np.inf, np.nan])
DTYPES = {"f": "float64", "b": "bool", "i": "int64", "u": "uint8"}


def toy(*forms: str) -> Support:
    """A target that takes nothing for which there are other words, and none of some forms."""
    operators = {operator: {DTYPES[kind]: REFUSED, "float32": RIGHT, "int32": RIGHT} for operator, kind in EQUIVALENTS}
    return Support("toy", "1.2", True, operators, forms=dict.fromkeys(forms, WRONG))


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    def use(*forms: str) -> None:
        for module in (export, options):
            monkeypatch.setattr(module, "targets", lambda: {"toy": toy(*forms)})

    return use


def not_numbers(x: Any) -> Any:
    return np.isnan(x), np.isinf(x), np.isfinite(x)


def whole(x: Any) -> Any:
    return np.round(x)


def largest(x: Any) -> Any:
    return x[x > 0].max(), x.max(), x.min(), x.argmax()


def truths(x: Any) -> Any:
    return (x > 0).any(), (x > 0).all(), (x[:, None] > x[None, :]).any(axis=1)


def marked(x: Any) -> Any:
    return (x > 0).argmax(), (x > 0).argmin(), x[x > 0], x.var()


def whole_numbers(x: Any) -> Any:
    k = x.astype(np.int64)
    return k % -3, k * k, len(x) % -4


def branches(x: Any) -> Any:
    total, is_far = x[0], False
    if x[0] < 1.0:
        total, is_far = np.float64(2.0), True
    else:
        for v in x:
            total += v
    return total, is_far, 1 if is_far else 2


def nested(x: Any) -> Any:
    """Sizes decide some of the branches, and elements those in them."""
    total = 0.0
    for letter, row, number in zip("abc", x, x[:, 0], strict=False):
        total = total * 10 + row[0] * number
        if total > 1e6:
            return letter, total
    return letter, total


def signs(x: Any) -> Any:
    """Zeros with a sign on both sides of a branch."""
    if x[0] > 0:
        below, k, above = np.full(2, -0.0), 1, np.full(2, x[0])
    else:
        below, k, above = np.full(2, x[0]), 2, np.full(2, -0.0)
    return 1 / below, k, 1 / above


def matched(x: Any) -> Any:
    return (x[:2] @ x[1:]) * 2.0, x[0] > 0


def small(x: Any) -> Any:
    few = x.astype(np.int16)
    wide = x.astype(np.int64)
    return x.astype(np.uint8), x.astype(np.int8), x.astype(np.uint32), few * few, wide.astype(np.uint8), wide


def written_at_the_end(x: Any) -> Any:
    y, z = x.copy(), np.outer(x, x)
    y[-1] = y[-2] = 7.0
    z[-1, 0] = z[1, -2] = 8.0
    z[[0, -1]] = 9.0
    return y, z


def of_bytes(x: Any) -> Any:
    """What wraps at eight bits."""
    whole = x.astype(np.int64)
    u, i = whole.astype(np.uint8), whole.astype(np.int8)
    unsigned = u + u, u - np.uint8(250), u * u, -u, u >> np.uint8(1), u << np.uint8(3), u << np.uint8(7)
    return *unsigned, i + i, i * i, -i, abs(i), i >> np.int8(1), i << np.int8(2), i - np.int8(100)


def of_shorts(x: Any) -> Any:
    """What wraps at 16 bits, and is computed with."""
    whole = x.astype(np.int64) * 9001
    u, i = whole.astype(np.uint16), whole.astype(np.int16)
    unsigned = [u + u, u - np.uint16(40000), u * u, -u, ~u, u << np.uint16(3), i.astype(np.uint16)]
    signed = [i + i, i * i, -i, abs(i - np.int16(30000)), ~i, i << np.int16(2), u.astype(np.int16)]
    return [v.astype(np.int32) for v in unsigned], [v > 5 for v in signed], [v.astype(np.float32) / 2 for v in signed]


def of_nothing(x: Any) -> Any:
    """What is NaN in places."""
    y = np.log(x)
    found = np.maximum(y, 0.5), np.minimum(y, 0.5), np.maximum(y, y[::-1]), np.minimum(y[::-1], y), np.maximum(y, 0)
    return found, (
        np.clip(y, -1, 1),
        np.exp(y),
        np.expm1(y),
        np.hypot(y, 1.0),
        np.clip(y, y[::-1], 4.0),
        np.tanh(y),
        y.astype(bool),
    )


def remainders(x: Any) -> Any:
    """Constants and sizes divided by an array whose sizes are known."""
    whole = x[[2, 0, 1]].astype(np.int64)
    return 10 % whole, 10 // whole, 7.5 % x[:3], divmod(len(x), whole), 17 % x, 100 % whole[0]


def stretched(x: Any) -> Any:
    """Products of arrays that are one number, or one row, several times."""
    square = np.outer(x, x) + np.eye(len(x))
    same, rows = np.full((2, 3), x[0]), np.broadcast_to(x, (2, 3))
    column = np.broadcast_to(x[:, None], (3, 3))
    return same @ square, rows @ square, (1 - column) @ x, column.T @ square, np.broadcast_to(square, (2, 3, 3)) @ x


def contracted(x: Any) -> Any:
    square = np.outer(x, x)
    return np.einsum("ij,jk->ik", square[:, :1], square), np.einsum("ij,j->i", square, x[:1])


def less_products(x: Any) -> Any:
    square = np.outer(x, x)
    return square @ square - np.eye(3), np.ones((3, 3)) - square.T @ square, square @ square.T - x


def of_two_vectors(x: Float64[Tensor, "3"]) -> Any:
    return x @ x, np.einsum("i,i->", x, x + 1), np.vdot(x, x), (np.outer(x, x) @ x) @ x


def sums(x: Any) -> Any:
    """Whole numbers whose sums have 64 bits."""
    whole = x.astype(np.int64) * 2**60
    table, small = np.stack((whole, whole * 3)), np.stack((x, -x)).astype(np.int32) * 400_000_000
    return whole.sum(), table.sum(axis=0), table.sum(axis=1), table.sum(), small.sum(), small.sum(axis=1, keepdims=True)


def spread(x: Any) -> Any:
    table = np.stack((x, x * 0.1))
    of_all = (table * table).mean(keepdims=True), ((x - x.mean()) ** 2).mean(), np.linalg.norm(x)
    return table.var(axis=1, keepdims=True), table.std(axis=0, keepdims=True), table.var(), of_all


def products(x: Any) -> Any:
    whole = x.astype(np.int64) * 2**31
    table = np.stack((whole, whole + 1, whole * 3))
    stack = np.stack((table, table + 1))
    return whole @ whole, table @ whole, whole @ table, table @ table, stack @ table, stack @ whole, whole @ stack


def squares(x: Any) -> Any:
    whole = x.astype(np.int64) * 60_000
    u16, u32, u64 = whole.astype(np.uint16), whole.astype(np.uint32), whole.astype(np.uint64)
    return u16 * u16, u32 * u32, u64**2, whole.astype(np.int32) ** 2


def triangle(x: Any) -> Any:
    """In the rounds of a loop an array is begun with that the loop does not change."""
    found = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for k in range(i, len(x)):
            found[i, k] = 1
    return found


def serpentine(x: Any) -> Any:
    """A branch gives the range of a loop, and so whether it begins."""
    h, w = len(x), len(x) + 1
    found = np.zeros((h, w))
    for y in range(h):
        for k in range(w - 1, -1, -1) if y % 2 else range(w):
            found[y, k] = x[y] + k
    return found


NUMBERS = [(A([3.0, 5.0, -4.0]),), (A([-0.5, np.inf, 2.0]),), (A([np.nan, 1.0, 2.0]),)]
CASES: list[tuple[Callable[..., Any], tuple[str, ...], list[tuple[Any, ...]]]] = [
    (not_numbers, (), [(HALVES,), (A([1.0, 2.0]),)]),
    (whole, (), [(HALVES,)]),
    (largest, (), NUMBERS),
    (truths, (), NUMBERS),
    (marked, (), [NUMBERS[0], NUMBERS[2]]),
    (whole_numbers, (CASTS, SIZES, SQUARES), [(A([3.0, -5.0, 4.0]),), (np.zeros(0),)]),
    (small, (CASTS, SMALL_CASTS, SQUARES), [(A([3.0, -5.0, 300.5, -70000.0]),), (np.zeros(0),)]),
    (small, (CAST_CHAINS, SMALL_CASTS), [(A([3.0, -5.0, 300.5, -70000.0]),), (np.zeros(0),)]),
    (written_at_the_end, (LAST_PLACES, SIZES), [(A([3.0, -5.0, 4.0]),), (A([1.0, 2.0]),)]),
    (of_bytes, (BYTES,), [(A([3.0, -5.0, 200.0, -128.0, 127.0, 255.0]),), (np.zeros(0),)]),
    (of_shorts, (SHORTS,), [(A([3.0, -5.0, 200.0, -128.0, 127.0, 255.0]),), (np.zeros(0),)]),
    (of_nothing, (NANS,), [(A([3.0, -5.0, 0.0, np.inf]),), (A([np.nan]),)]),
    (remainders, (DIVIDENDS, CASTS, SIZES), [(A([3.0, 5.0, -4.0]),), (A([2.0, 11.0, 7.0, -1.0, 0.5]),)]),
    (stretched, (STRETCHED,), [(A([3.0, -5.0, 4.0]),)]),
    (contracted, (SIZES, STRETCHED), [(A([3.0, -5.0, 4.0]),), (A([2.0]),)]),
    (less_products, (ADDED,), [(A([3.0, -5.0, 4.0]),)]),
    (of_two_vectors, (VECTORS,), [(A([3.0, -5.0, 4.0]),)]),
    (sums, (WIDE_SUMS, CASTS, SIZES), [(A([3.0, -5.0, 4.0]),), (A([5.0]),)]),
    (spread, (MEAN_SQUARES,), [(A([3.0, -5.0, 4.0]),), (A([1e-9]),)]),
    (products, (WIDE_SUMS, CASTS, SIZES), [(A([3.0, -5.0, 4.0]),)]),
    (squares, (CASTS, SQUARES), [(A([3.0, 5.0, 4.0]),), (A([1e6]),), (np.zeros(0),)]),
    (triangle, (OUTER_WRITES,), [(A([3.0, 5.0, -4.0]),), (A([1.0]),), (np.zeros(0),)]),
    (serpentine, (OUTER_WRITES,), [(A([3.0, 5.0, -4.0]),), (A([1.0]),)]),
    (branches, (CONSTANT_SIDE,), [(A([3.0, 5.0, -4.0]),), (A([0.0, 1.0]),)]),
    (nested, (CONSTANT_SIDE, SIZES), [(np.ones((2, 3)),), (np.ones((1, 3)),), (np.full((4, 2), 1e4),)]),
    (matched, (OTHER_SIDES, SIZES), [(A([3.0, 5.0, -4.0]),)]),
]


@pytest.mark.parametrize(("function", "forms", "calls"), CASES, ids=[case[0].__name__ for case in CASES])
def test_other_words_give_the_same(
    function: Callable[..., Any],
    forms: tuple[str, ...],
    calls: list[tuple[Any, ...]],
    target: Callable[..., None],
    tmp_path: Path,
) -> None:
    target(*forms)
    program = graph_program(function)
    program.export(tmp_path / "m.onnx", calls[0], target="toy")
    found = {node.op_type for node in nodes_of(onnx.load(tmp_path / "m.onnx"))}
    assert not found & {"Round", "IsInf"}
    from graph_program import load

    loaded = load(tmp_path / "m.onnx")
    with np.errstate(all="ignore"):
        for args in calls:
            assert not differs(loaded(*args), function(*args)), args


def test_zeros_keep_their_sign(target: Callable[..., None], tmp_path: Path) -> None:
    target()
    graph_program(whole).export(tmp_path / "m.onnx", (HALVES,), target="toy")
    (found,) = RUNTIMES["onnxruntime"].load(tmp_path / "m.onnx")({"x": HALVES}).values()
    assert np.array_equal(np.signbit(found), np.signbit(np.round(HALVES)))


def test_portable_files_are_for_all_targets(tmp_path: Path) -> None:
    found = {node.op_type for node in nodes_of(graph_program(not_numbers).model((HALVES,), portable=True))}
    assert "IsInf" not in found and "IsNaN" in found
    plain = {node.op_type for node in nodes_of(graph_program(not_numbers).model((HALVES,)))}
    assert "IsInf" in plain


def test_names_of_sizes_stand_at_inputs_and_outputs() -> None:
    model = ir.from_proto(graph_program(matched).model((A([3.0, 5.0, -4.0]),), portable=True))
    ends = {*model.graph.inputs, *model.graph.outputs}
    inner = [value for node in model.graph.all_nodes() for value in node.outputs if value not in ends]
    assert all(size.value is None for value in inner for size in value.shape or () if not isinstance(size, int))
    assert [str(size) for size in model.graph.inputs[0].shape or ()] == ["x_0"]


def two_branches(x: Any) -> Any:
    first = second = 0.0
    if x[0] > 1.0:
        for v in x:
            first += np.sin(v)
    if x[1] > 1.0:
        for v in x:
            second += np.cos(v)
    return first, second  # after both


def other_sizes(x: Any) -> Any:
    if x[0] > 1.0:
        return np.concatenate([x, x])  # one size
    return np.sort(x)


def one_place_or_two(x: Any) -> Any:
    """Where x has no elements, `[0]` stands for the result that is not there; it is no `np.array([0])` of a path."""
    return np.array([0]) if x[0] > 1.0 else np.array([0, 1])


def counted(x: Any) -> Any:
    found = np.zeros(len(x), np.int64)
    for k in range(len(x)):
        found[k] = np.flatnonzero(x > x[k]).size  # of as many as there are
    return found


def scrambled(x: Any) -> Any:
    seed, found = 3, np.zeros(len(x))
    for k in range(len(x)):
        seed = (seed * 5 + 7) % 11
        found[k] = x[k] + seed
    return found


def scaled(x: Any) -> Any:
    """A remainder of what does not go from round to round."""
    weight, found = 3.0, np.zeros(len(x))
    for k in range(len(x)):
        weight = weight * 0.5 + 7.0
        found[k] = x[k] * weight + k % 2
    return found


@pytest.mark.parametrize(
    ("function", "forms", "words"),
    [
        (two_branches, [TWO_BRANCHES], "toy gets wrong two branches side by side"),
        (other_sizes, [OTHER_SIDES], "toy gets wrong a branch whose sides give arrays of other sizes"),
        (one_place_or_two, [OTHER_SIDES], "toy gets wrong a branch whose sides give arrays of other sizes"),
        (counted, [LOOPS, ROUND_SIZES], "toy gets wrong the size, in a round, of an array"),
    ],
)
def test_forms_without_other_words_are_refused(
    function: Callable[..., Any], forms: list[str], words: str, target: Callable[..., None], tmp_path: Path
) -> None:
    target(*forms)
    with pytest.raises(GraphProgramError, match=words) as caught:
        graph_program(function).export(tmp_path / "m.onnx", (A([3.0, 5.0, -4.0]),), target="toy")
    assert caught.value.code == "GP547" and caught.value.loc.line > function.__code__.co_firstlineno
    target(*forms[:-1])
    graph_program(function).export(tmp_path / "m.onnx", (A([3.0, 5.0, -4.0]),), target="toy")


def test_remainders_in_rounds(target: Callable[..., None], tmp_path: Path) -> None:
    """Those of a program have other words; those of a network that has a `Scan` itself have not."""
    target(LOOPS, REMAINDERS)
    graph_program(scrambled).export(tmp_path / "m.onnx", (A([3.0, 5.0, -4.0]),), target="toy")
    for name, model, _, _ in form_models():
        if name == REMAINDERS:
            onnx.save(model, tmp_path / "net.onnx")
    net = load_onnx(tmp_path / "net.onnx")

    def program(x: Any) -> Any:
        return net(x)[1]

    with pytest.raises(GraphProgramError, match="toy gets wrong the remainder of a whole number that goes from round"):
        graph_program(program).export(tmp_path / "m.onnx", (A([3.0, 5.0, -4.0]),), target="toy")


def test_rounds_that_a_scan_does_as_well(target: Callable[..., None], tmp_path: Path) -> None:
    target(LOOPS, ROUND_SIZES, REMAINDERS)
    graph_program(scaled).export(tmp_path / "m.onnx", (A([3.0, 5.0, -4.0]),), target="toy")
    assert "Scan" in {node.op_type for node in nodes_of(onnx.load(tmp_path / "m.onnx"))}


def first_of(x: Any, k: int) -> Any:
    return x[:k] * 2.0


def but_the_last(x: Any) -> Any:
    return x[: len(x) // 2] * 2.0


def test_what_a_run_decides_and_what_sizes_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A slice is taken where its ends are known beforehand."""
    support = Support(
        "toy",
        "1.2",
        True,
        {"Slice": {"float64": "partly"}},
        {"Slice": {"float64": RIGHT}},
        {"Slice": {"float64": REFUSED}},
    )
    for module in (export, options):
        monkeypatch.setattr(module, "targets", lambda: {"toy": support})
    graph_program(but_the_last).export(tmp_path / "m.onnx", (A([3.0, 5.0, -4.0]),), target="toy")
    with pytest.raises(GraphProgramError, match="toy does not take ONNX's Slice of float64"):
        graph_program(first_of).export(tmp_path / "n.onnx", (A([3.0, 5.0, -4.0]), 2), target="toy")


@pytest.mark.parametrize(("function", "forms", "calls"), CASES, ids=[case[0].__name__ for case in CASES])
@pytest.mark.parametrize("runtime", ["openvino", "tract"])
def test_in_the_runtimes_that_are_there(
    runtime: str, function: Callable[..., Any], forms: Any, calls: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    if not is_there(runtime):
        pytest.skip(f"{runtime} is not installed")
    program = graph_program(function)
    try:
        program.export(tmp_path / "m.onnx", calls[0], target=runtime)
    except GraphProgramError as refusal:
        assert refusal.code == "GP547"
        return
    precision = max(RUNTIMES[runtime].precision, 1e-12)
    model = onnx.load(tmp_path / "m.onnx")
    for (x,) in calls:
        if not np.isfinite(x).all() and runtime == "openvino":
            continue  # infinity is a number there
        found = RUNTIMES[runtime].load(tmp_path / "m.onnx")({"x": x})
        wanted = RUNTIMES["onnxruntime"].load(tmp_path / "m.onnx")({"x": x})
        for output in model.graph.output:
            if not output.name.startswith("error_arg"):
                np.testing.assert_allclose(found[output.name], wanted[output.name], rtol=4 * precision, equal_nan=True)


def test_zeros_of_sides_keep_their_sign(target: Callable[..., None], tmp_path: Path) -> None:
    from graph_program import load

    target(CONSTANT_SIDE)
    graph_program(signs).export(tmp_path / "m.onnx", (A([1.0]),), target="toy")
    loaded = load(tmp_path / "m.onnx")
    with np.errstate(divide="ignore"):
        for x in (A([1.0]), A([-1.0])):
            assert not differs(loaded(x), signs(x))


def test_forms_are_probed() -> None:
    for support in (each for each in targets().values() if not each.document):
        assert support.forms.keys() == {
            ADDED,
            BYTES,
            CAST_CHAINS,
            CASTS,
            CONSTANT_SIDE,
            DIVIDENDS,
            EMPTY,
            LARGE,
            LAST_PLACES,
            LOG_SUMS,
            LOOPS,
            MAGNITUDES,
            MEAN_SQUARES,
            NANS,
            OPEN_RESULTS,
            OPEN_SIDES,
            OTHER_SIDES,
            OUTER_WRITES,
            QUANTIZED_SOFTMAX,
            REMAINDERS,
            ROUND_SIZES,
            SHORTS,
            SIZES,
            SMALL_CASTS,
            SQUARES,
            STRETCHED,
            TIES,
            TO_NUMBERS,
            TWO_BRANCHES,
            VECTORS,
            WIDE_SUMS,
        }
    assert set(targets()["onnxruntime"].forms.values()) == {RIGHT}
    wrong = (BYTES, LARGE, MAGNITUDES, NANS, OPEN_RESULTS, OUTER_WRITES, TIES)
    assert {targets()["openvino"].forms[form] for form in wrong} == {WRONG}
    assert targets()["tract"].forms[LOOPS] == REFUSED
