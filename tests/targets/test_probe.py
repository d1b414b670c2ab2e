"""The probe: cases of one operator, in other types and with constants, asked in a process of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from graph_program.targets.verdicts import ELSEWHERE, PARTLY, REFUSED, RIGHT, WRONG
from graph_program.verification.asked import verdict
from graph_program.verification.casts import TYPES
from graph_program.verification.probe import (
    Case,
    cast_cases,
    in_other_types,
    keep,
    learned_cases,
    main,
    probe,
    together,
    with_constants,
)
from graph_program.verification.runtimes import RUNTIMES
from graph_program.verification.web import crossing


def case(operator: str = "Add", domain: str = "") -> Case:
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("a", "b", "c")]
    node = helper.make_node(operator, ["a", "b"], ["c"], domain=domain)
    graph = helper.make_graph([node], "g", ports[:2], ports[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    a, b = np.array([1, 2], np.float32), np.array([0.5, -1], np.float32)
    return Case("test", operator, "float32", model, {"a": a, "b": b}, {"c": a + b})


def test_verdicts() -> None:
    right = case()
    wrong = replace(case("Mul"), outputs={"c": np.array([0.5, 2], np.float32)})
    refused = case("Multiply")
    partly = [case("Sub"), replace(case("Sub"), outputs={"c": np.array([0.5, 3], np.float32)})]
    found = probe("onnxruntime", [right, wrong, refused, *partly])
    assert found["operators"] == {
        "Add": {"float32": "right"},
        "Mul": {"float32": "wrong"},
        "Multiply": {"float32": "refused"},
        "Sub": {"float32": "partly"},
    }


@pytest.mark.parametrize("runtime", [name for name, runtime in RUNTIMES.items() if runtime.many])
def test_many_at_once(runtime: str) -> None:
    missing = RUNTIMES[runtime].missing()
    if missing:
        pytest.skip(missing)
    wrong = replace(case("Mul"), outputs={"c": np.array([0.5, 2], np.float32)})
    found = probe(runtime, [case(), wrong, case("Multiply"), case("Sub")])
    assert found["version"] and found["operators"] == {
        "Add": {"float32": "right"},
        "Mul": {"float32": "wrong"},
        "Multiply": {"float32": "refused"},
        "Sub": {"float32": "wrong"},
    }


def test_cases_that_end_a_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found by halves, and the others are asked all the same."""
    asked: list[int] = []

    def many(questions: Sequence[tuple[Path, Any]]) -> list[dict[str, Any]]:
        asked.append(len(questions))
        if any("Multiply" in onnx.load(path).graph.node[0].op_type for path, _ in questions):
            raise RuntimeError("ended")
        return [{"outputs": [{"c": crossing(feeds[0]["a"] + feeds[0]["b"])}]} for _, feeds in questions]

    monkeypatch.setitem(RUNTIMES, "toy", replace(RUNTIMES["onnxruntime"], many=many))
    found = probe("toy", [case(), case("Sum"), case("Multiply"), case("Mul")])
    assert {name: types["float32"] for name, types in found["operators"].items()} == {
        "Add": "right",
        "Mul": "right",
        "Multiply": "refused",
        "Sum": "right",
    }
    assert asked == [4, 2, 2, 1, 1]


def test_what_the_cpu_does(tmp_path: Path) -> None:
    """A runtime that leaves some operators to another one says so, where what comes out is right."""

    def alone(path: Path) -> Any:
        if onnx.load(path).graph.node[0].op_type == "Mul":
            raise RuntimeError("Mul is assigned to the CPU")

    product, other = np.array([0.5, -2], np.float32), np.array([0.5, 2], np.float32)
    asked = [case(), replace(case("Mul"), outputs={"c": product}), replace(case("Mul"), outputs={"c": other})]
    toy = replace(RUNTIMES["onnxruntime"], alone=alone)
    for number, one in enumerate(asked):
        keep(one, tmp_path, number)
    assert [verdict(toy, tmp_path, number) for number in range(3)] == [RIGHT, ELSEWHERE, WRONG]


@pytest.mark.parametrize(
    ("verdicts", "word"),
    [
        ([RIGHT, RIGHT], RIGHT),
        ([RIGHT, ELSEWHERE], ELSEWHERE),
        ([ELSEWHERE], ELSEWHERE),
        ([ELSEWHERE, WRONG], PARTLY),
        ([RIGHT, REFUSED], PARTLY),
        ([WRONG, REFUSED], WRONG),
        ([REFUSED, REFUSED], REFUSED),
    ],
)
def test_one_word_for_several_cases(verdicts: list[str], word: str) -> None:
    assert together(verdicts) == word


def test_what_is_not_there(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RUNTIMES, "cuda", replace(RUNTIMES["cuda"], missing=lambda: "there is no GPU"))
    assert main(["cuda"]) == 0
    assert "cuda: there is no GPU" in capsys.readouterr().out


def test_other_types() -> None:
    found = {one.dtype: one for one in in_other_types(case())}
    assert found.keys() == {"float64", "int64", "int32", "uint8"}
    assert found["int64"].outputs["c"].dtype == np.int64
    assert np.array_equal(found["int64"].outputs["c"], [1, 1])


def test_constants() -> None:
    assert not list(with_constants(case()))  # whose second operand is of the same type
    ports = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
        helper.make_tensor_value_info("axes", TensorProto.INT64, [1]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2]),
    ]
    graph = helper.make_graph([helper.make_node("Unsqueeze", ["x", "axes"], ["y"])], "g", ports[:2], ports[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    x, axes = np.array([1, 2], np.float32), np.array([0])
    (made,) = with_constants(Case("test", "Unsqueeze", "float32", model, {"x": x, "axes": axes}, {"y": x[None]}))
    assert made.inputs.keys() == {"x"}
    assert probe("onnxruntime", [made])["operators"] == {"Unsqueeze": {"float32": "right"}}


def test_casts() -> None:
    asked = list(cast_cases())
    found = probe("onnxruntime", asked)["operators"]
    assert len(asked) == 12 * 11 and found.keys() == {f"Cast to {dtype}" for dtype in TYPES}
    assert {verdict for types in found.values() for verdict in types.values()} == {"right"}


def test_operators_of_learned_models() -> None:
    asked = list(learned_cases())
    found = probe("onnxruntime", asked)["operators"]
    assert len(found) == len(asked) and set(map(str, found.values())) == {"{'float32': 'right'}"}
    scores = next(one.outputs["scores"] for one in asked if one.operator == "ai.onnx.ml.TreeEnsembleClassifier")
    assert np.array_equal(scores, [[0.5, 0.5, 0], [0, 0.75, 0], [0, 0, 1.125]])
