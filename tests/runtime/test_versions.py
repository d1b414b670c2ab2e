"""Models of each version of the standard operators, in onnxruntime against Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from graph_program import graph_program
from graph_program.backends.onnxruntime.versions import newest_ir_version, newest_opset
from graph_program.exports.feeds import feed_of
from graph_program.exports.for_model import extraction_for_model
from graph_program.tensor_api import random
from tests.benchmarks.models import EXAMPLES, encoder, network, operations
from tests.ops.test_onnx_ops import check

OPSETS = range(17, newest_opset() + 1)


def bits(x: Any, y: Any, small: Any) -> Any:
    """Bits of integers, which operators have since version 18."""
    return (
        x & y,
        x | y,
        x ^ -y,
        ~x,
        x // y,
        x % y,
        small & 7,
        small ^ 255,
        ~small,
        x >> 3,
        x << 2,
        small.max(),
        small.min(),
    )


def extremes(x: Any, half: Any) -> Any:
    """Reductions of several kinds, also of what is not a number."""
    low = x.min(axis=0, keepdims=True)
    return low, x.max(axis=(0, 1)), x.prod(axis=1), (x > low).any(axis=0), (x > 9).all(), np.isinf(half), half.max()


def fitted(x: Any, y: Any) -> Any:
    """A line through points, on the way to which there are lengths of columns."""
    slope, offset = np.linalg.lstsq(np.vstack([x, np.ones(len(x))]).T, y, rcond=None)[0]
    return slope, offset


def steps(x: Any, n: int) -> Any:
    """Loops, branches, lists, and an error."""
    found = []
    while n > 0:
        n = n // 2 if n % 2 == 0 else n - 1
        if n == 13:
            raise ValueError(f"{n} is unlucky")
        found.append(x[n % x.shape[0]] * n)
    return np.array(found), len(found), np.array(sorted(found))


def dice(seed: int) -> Any:
    return random.uniform(random.key(seed), (3,)), random.uniform(random.key(seed + 1), (2, 2))


PROGRAMS: dict[str, tuple[Any, Callable[[], tuple[Any, ...]]]] = {
    "encoder": (encoder, EXAMPLES["encoder"]),
    "network": (network, EXAMPLES["network"]),
    "operations": (operations, EXAMPLES["operations"]),
    "bits": (
        graph_program(bits),
        lambda: (np.array([5, -7, 2**62]), np.array([3, 2, -9]), np.array([0, 255, 129], np.uint8)),
    ),
    "extremes": (
        graph_program(extremes),
        lambda: (np.array([[1.0, np.nan], [2.0, -3.0]]), np.array([np.inf, 1], np.float16)),
    ),
    "fitted": (graph_program(fitted), lambda: (np.arange(4.0), np.array([-1.0, 0.2, 0.9, 2.1]))),
    "steps": (graph_program(steps), lambda: (np.array([1.5, -2.0, 0.25]), 100)),
    "dice": (graph_program(dice), lambda: (7,)),
}


def leaves(tree: Any) -> list[Any]:
    """Arrays and numbers of a result, in order."""
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves(part)]
    return [np.asarray(tree)]


def outputs_of(program: Any, args: tuple[Any, ...], model: onnx.ModelProto) -> dict[str, Any]:
    """What a session with default options gives."""
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    calls = program._ready()
    values = dict(zip(calls.parameters, args, strict=True))
    given = feed_of(calls.callee, extraction_for_model(calls, args, calls.options.dims).interface, values)
    wanted = {i.name for i in session.get_inputs()}
    found = session.run(None, {name: array for name, array in given.items() if name in wanted})
    return dict(zip([o.name for o in session.get_outputs()], found, strict=True))


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_version(name: str, opset: int) -> None:
    program, make = PROGRAMS[name]
    args = make()
    model = program.model(args, opset=opset)
    assert {entry.version for entry in model.opset_import if not entry.domain} == {opset}
    found = outputs_of(program, args, model)
    assert not found.pop("error", 0)
    results = [array for key, array in found.items() if not key.startswith("error")]
    expected = leaves(program.python(*args))
    for array, want in zip(results, expected, strict=False):
        np.testing.assert_allclose(array, want, rtol=1e-5)
        assert array.dtype == want.dtype


@pytest.mark.parametrize(
    "name", ["bitwise_and", "bitwise_xor", "floor_divide", "max", "all", "argmax", "isinf", "sort"]
)
def test_operations_in_older_words(name: str) -> None:
    check(name, opset=17, ir_version=8)


def test_versions_of_the_format() -> None:
    program = graph_program(bits)
    args = PROGRAMS["bits"][1]()
    versions = {opset: program.model(args, opset=opset).ir_version for opset in (None, 17, 19, 20, 21)}
    assert versions == {None: 10, 17: 8, 19: 9, 20: 10, 21: 10}
    for ir_version in range(8, newest_ir_version() + 1):
        model = program.model(args, ir_version=ir_version)
        assert model.ir_version == ir_version
        assert not outputs_of(program, args, model).get("error")
        node = model.graph.node[0]
        places = [node.doc_string] if ir_version < 10 else [p.value for p in node.metadata_props if p.key == "source"]
        assert places and places[0].partition(":")[0].endswith("test_versions.py")


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"opset": 16}, ValueError, "opset must be between 17 and"),
        ({"opset": 99}, ValueError, "share, not 99"),
        ({"opset": "20"}, TypeError, "opset must be an int, not '20'"),
        ({"ir_version": 7}, ValueError, "ir_version must be between 8 and"),
        ({"ir_version": True}, TypeError, "ir_version must be an int"),
    ],
)
def test_versions_that_there_are_not(options: Any, error: type[Exception], text: str, tmp_path: Path) -> None:
    program = graph_program(dice)
    with pytest.raises(error, match=text):
        program.model((1,), **options)
    with pytest.raises(error, match=text):
        program.export(tmp_path / "m.onnx", (1,), **options)
    assert not list(tmp_path.iterdir())


def every_node(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Nodes and those of inner graphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            yield from every_node(attribute.g.node)


def smoothed(x: Any, k: float) -> Any:
    if k > 1:
        x = np.tanh(x * k) + np.sin(x) * np.cos(x) - np.sqrt(np.abs(x) + k)
    return x


@graph_program
def described(x: Any, k: float) -> Any:
    """Smooth a signal.

    Several times, that is.
    """
    total = x
    for _ in range(3):
        total = total + smoothed(x, k) * smoothed(total, k + 1)
    return total, 3.5


@pytest.mark.parametrize("opset", [17, 20])
def test_models_say_where_they_come_from(opset: int) -> None:
    model = described.model((np.ones(3), 2.0), opset=opset)
    assert model.producer_name == "graph-program" and model.producer_version == version("graph-program")
    assert model.doc_string == "Smooth a signal.\n\nSeveral times, that is."
    assert model.functions and all("smoothed, from test_versions.py:" in f.doc_string for f in model.functions)
    nodes = [*every_node(model.graph.node), *(n for f in model.functions for n in every_node(f.node))]
    assert len(nodes) > 20
    for node in nodes:
        source = node.doc_string if opset < 20 else {p.key: p.value for p in node.metadata_props}["source"]
        assert source.startswith("test_versions.py:"), node
