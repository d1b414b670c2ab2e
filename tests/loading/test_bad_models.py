"""Models that cannot be called like functions: an error says why, and nothing in them is executed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import graph_program, load
from graph_program.cli import main
from graph_program.onnx_program.program import FORMAT, METADATA, digest
from graph_program.onnx_program.told import LoadError


class Lost(ValueError):
    pass


@graph_program
def found(x: Any, pair: Any, n: int = 1) -> Any:
    if n < 0:
        raise Lost(f"nothing at {n}")
    return {"sum": x.sum() + pair[0], "n": n}


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    return found.model((np.ones(3), (1.0, "a")))


def described(model: onnx.ModelProto) -> dict[str, Any]:
    return json.loads({p.key: p.value for p in model.metadata_props}[METADATA])  # type: ignore[no-any-return]


def with_description(model: onnx.ModelProto, text: str | None) -> bytes:
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    kept = [p for p in changed.metadata_props if p.key != METADATA]
    del changed.metadata_props[:]
    changed.metadata_props.extend(kept)
    if text is not None:
        changed.metadata_props.add(key=METADATA, value=text)
    return changed.SerializeToString()  # type: ignore[no-any-return]


def test_none(model: onnx.ModelProto) -> None:
    with pytest.raises(LoadError, match="does not say which function it was made of: it is not one that graph-program"):
        load(with_description(model, None))


def test_other_floats() -> None:
    """Python's are of 64 bits, so a file that computes in 32 says nothing of its function."""
    with pytest.raises(
        LoadError, match=r"computes in float32, and not in the types of its function \(float='float32'\)"
    ):
        load(found.model((np.ones(3), (1.0, "a")), float="float32").SerializeToString())


def test_another_kind_of_file(tmp_path: Path) -> None:
    path = tmp_path / "text.onnx"
    path.write_text("not a model")
    with pytest.raises(LoadError, match=r"onnxruntime .* does not load the model"):
        load(path)
    with pytest.raises(LoadError, match=r"there is no file '.*gone\.onnx'"):
        load(tmp_path / "gone.onnx")


def test_truncated_file(model: onnx.ModelProto, tmp_path: Path) -> None:
    data = model.SerializeToString()
    for count in (0, 10, len(data) // 2, len(data) - 3):
        with pytest.raises(LoadError):
            load(data[:count])


def test_truncated_description(model: onnx.ModelProto) -> None:
    text = json.dumps(described(model))
    for count in (0, 1, len(text) // 2, len(text) - 1):
        with pytest.raises(LoadError, match="description of its function is damaged: it is not whole"):
            load(with_description(model, text[:count]))
    for text in ("null", "[]", "3", '"text"', "{}", '{"format": 1}'):
        with pytest.raises(LoadError, match="damaged"):
            load(with_description(model, text))


def test_deep_description(model: onnx.ModelProto) -> None:
    with pytest.raises(LoadError, match="damaged"):
        load(with_description(model, '{"format": 1, "result": ' + "[" * 100_000 + "]" * 100_000 + "}"))


def test_newer_description(model: onnx.ModelProto) -> None:
    text = json.dumps({"format": FORMAT + 1, "anything": "else"})
    with pytest.raises(LoadError, match=rf"newer graph-program \(format {FORMAT + 1}; this file reads {FORMAT}\)"):
        load(with_description(model, text))
    with pytest.raises(LoadError, match="newer"):
        load(with_description(model, json.dumps({"format": "two"})))


def test_what_a_description_has_no_words_for(model: onnx.ModelProto) -> None:
    said: dict[str, Any] = {"format": FORMAT, "missing": "what x is"}
    said["digest"] = digest(said)
    with pytest.raises(LoadError, match="no words for what x is"):
        load(with_description(model, json.dumps(said)))


def changes(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of everything in a description."""
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [path, *(place for key, part in parts for place in changes(part, (*path, key)))]


@pytest.mark.parametrize("new", ["gone", None, 7, "other", [], {"array": {}}])
def test_malformed_descriptions(new: Any, model: onnx.ModelProto) -> None:
    """Each part in turn is removed or replaced."""
    for place in changes(described(model))[1:]:
        description = described(model)
        holder = description
        for step in place[:-1]:
            holder = holder[step]
        if new == "gone":
            del holder[place[-1]]
        else:
            holder[place[-1]] = new
        if description != described(model):
            with pytest.raises(LoadError, match=r"damaged|newer"):
                load(with_description(model, json.dumps(description)))


def hostile(change: Callable[[dict[str, Any]], None], model: onnx.ModelProto) -> bytes:
    description = described(model)
    change(description)
    description["digest"] = digest(description)
    return with_description(model, json.dumps(description))


def test_nothing_is_imported(model: onnx.ModelProto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hostile.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))

    def change(description: dict[str, Any]) -> None:
        for about in description["classes"].values():
            about["module"] = "hostile" if about["name"] == "Lost" else about["module"]

    with pytest.raises(ValueError, match="nothing at -1"):
        load(hostile(change, model))(np.ones(3), (1.0, "a"), -1)
    assert "hostile" not in sys.modules


@pytest.mark.parametrize("name", ["os.system", "builtins.eval", "builtins.exec", "subprocess.Popen", "builtins.open"])
def test_classes_are_no_way_to_functions(name: str, model: onnx.ModelProto) -> None:
    module, _, function = name.rpartition(".")

    def change(description: dict[str, Any]) -> None:
        for about in description["classes"].values():
            about |= {"module": module, "name": function, "kind": "known"}

    with pytest.raises(LoadError, match=r"no class of exceptions|damaged"):
        load(hostile(change, model))


def test_names_are_only_names(model: onnx.ModelProto) -> None:
    """Names of parameters are never compiled."""

    def change(description: dict[str, Any]) -> None:
        description["signature"][2]["name"] = "n=print('executed')"
        description["parameters"][2][0] = "n=print('executed')"

    with pytest.raises(LoadError, match="not a valid parameter name"):
        load(hostile(change, model))


def test_run_says_so(model: onnx.ModelProto, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "newer.onnx"
    path.write_bytes(with_description(model, json.dumps({"format": FORMAT + 1})))
    assert main(["run", str(path), "--input", "x=[1.0]"]) == 1
    assert "was written by a newer graph-program" in capsys.readouterr().err
    path.write_bytes(with_description(model, None))  # a model all the same
    assert main(["run", str(path), *("--input", "x=[1.0, 2.0]"), *("--input", "pair.0=1"), *("--input", "n=3")]) == 0
    assert capsys.readouterr().out.startswith("result.sum: float64 []\n4.0\n")
