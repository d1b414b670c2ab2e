"""Outputs of results that a run has not chosen: their values mean nothing, and are not compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import graph_program
from graph_program.verification import of_file
from graph_program.verification.runtimes import RUNTIMES, plain
from graph_program.verification.unread import description_of, unread

CASE = "result.case"


def one_or_two(x: Any, first: bool) -> Any:
    if first:
        return x * 2
    return (1.0, np.append(x, 2.0))


def always_two(x: Any, first: bool) -> Any:
    return (1.0, np.append(x, 2.0 if first else 3.0))


@pytest.mark.parametrize("first", [True, False])
def test_of_a_run(first: bool, tmp_path: Path) -> None:
    x = np.array([1.0, 2.0])
    path = tmp_path / "m.onnx"
    graph_program(one_or_two).export(path, (x, first))
    feed = {"x": x, "first": np.asarray(first)}
    outputs, model = plain(path)(feed), onnx.load(path)
    names = unread(description_of(model), outputs)
    read = {*outputs} - names
    assert names and CASE in read
    other = {True: False, False: True}[first]
    assert not names & unread(description_of(model), plain(path)({**feed, "first": np.asarray(other)}))


def test_results_of_one_kind(tmp_path: Path) -> None:
    model = graph_program(always_two).model((np.ones(2), True))
    assert description_of(model) is None and not unread(None, {"result": np.ones(2)})


@pytest.mark.parametrize(("changed", "verdict"), [("unread", "equal"), ("read", "differs"), ("case", "differs")])
def test_a_file_is_verified(changed: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A runtime that gives something else there gives the same result."""
    x = np.array([1.0, 2.0])
    path, feed = tmp_path / "m.onnx", {"x": x, "first": np.asarray(True)}
    graph_program(one_or_two).export(path, (x, True))
    outputs = plain(path)(feed)
    names = unread(description_of(onnx.load(path)), outputs)
    chosen = {"unread": names, "read": {*outputs} - names - {CASE}, "case": {CASE}}[changed]
    others = outputs | {
        name: outputs[name] + 1 if outputs[name].dtype.kind != "b" else ~outputs[name] for name in chosen
    }
    monkeypatch.setitem(RUNTIMES, "toy", replace(RUNTIMES["onnxruntime"], name="toy"))
    monkeypatch.setattr(of_file, "outputs_of", lambda *asked: others)
    monkeypatch.setattr(of_file, "first_difference", lambda *asked: None)
    (finding,) = of_file.verify_file(path, feed, runtimes=["toy"]).findings
    assert finding.verdict == verdict
