"""Pages as files: what stands in them, what is refused, and that nothing in them is markup by mistake."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import ExportError, Float32, Page, ProgramValueError, Tensor, UnsupportedError, graph_program
from graph_program.command_line.main import main
from graph_program.pages.page import FOLDER, SCRIPTS, WORKER
from tests.pages import programs
from tests.pages.made import given, pretended, written


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return pretended(tmp_path / "web")


def data_of(text: str, name: str) -> bytes:
    found = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', text)
    assert found is not None
    return gzip.decompress(base64.b64decode(found[1]))


def test_the_page_has_the_model_and_the_runtime(tmp_path: Path, web: Path) -> None:
    programs.threshold.export(tmp_path / "threshold.onnx")
    text = written(programs.threshold, tmp_path, web).read_text()
    assert data_of(text, "wasm") == b"\0asm"
    assert data_of(text, "model") == (tmp_path / "threshold.onnx").read_bytes()
    assert "ONNX Runtime Web 1.30.0" in text and "sourceMappingURL" not in text
    assert "Permission is hereby granted" in text


def test_the_same_program_gives_the_same_page(tmp_path: Path, web: Path) -> None:
    first = written(programs.convert, tmp_path, web).read_bytes()
    assert written(programs.convert, tmp_path, web).read_bytes() == first


def test_the_policy_allows_what_is_in_the_page(tmp_path: Path, web: Path) -> None:
    text = written(programs.bmi, tmp_path, web).read_text()
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0])
    directives = dict(part.split(" ", 1) for part in policy.split("; "))
    assert directives["default-src"] == "'none'" and "connect-src" not in directives
    assert "unsafe-inline" not in policy and "http" not in policy
    for start, directive in (("<style>", "style-src"), ("<script>", "script-src")):
        (own,) = re.findall(f"{start}(.*?)</{start[1:]}", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in directives[directive]


def test_nothing_of_a_program_is_markup(tmp_path: Path, web: Path) -> None:
    text = written(programs.breaking, tmp_path, web).read_text()
    assert len(re.findall("<script", text)) == 5 and len(re.findall("</script>", text)) == 5
    assert "<img" not in text and text.count("<!--") == 0
    assert given(tmp_path / "breaking.html")["parameters"][1]["fixed"][0]["value"] == repr(programs.BREAKING)


def test_scripts_end_no_script() -> None:
    assert {path.stem for path in FOLDER.glob("*.js")} == {*SCRIPTS, WORKER}
    for path in FOLDER.glob("*.js"):
        assert "</script" not in path.read_text() and "<!--" not in path.read_text()


def test_fields_begin_with_defaults_and_examples(tmp_path: Path, web: Path) -> None:
    def first(path: Path) -> dict[str, Any]:
        found = (one for section in given(path)["parameters"] for one in section["controls"])
        return {one["input"]: one.get("initial") for one in found}

    of_class = first(written(programs.convert, tmp_path, web))
    assert np.frombuffer(base64.b64decode(of_class["length.value"]["data"])) == [1.0]
    assert first(written(programs.bmi, tmp_path, web)) == {"kg": None, "m": None}
    example = first(written(programs.bmi, tmp_path, web, (80.0, 1.8)))
    assert np.frombuffer(base64.b64decode(example["m"]["data"])) == [1.8]


@pytest.mark.parametrize("end", ["missing", "package.json", "dist/ort.wasm.bundle.min.mjs"])
def test_a_page_without_a_runtime(end: str, tmp_path: Path, web: Path) -> None:
    if end != "missing":
        (web / end).unlink()
    with pytest.raises(ExportError, match="npm install onnxruntime-web") as error:
        written(programs.bmi, tmp_path, web / end if end == "missing" else web)
    assert error.value.code == "GP551" and not (tmp_path / "bmi.html").exists()


def test_the_runtime_is_looked_for_as_node_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NODE_PATH", raising=False)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    with pytest.raises(ExportError, match="there is no onnxruntime-web in NODE_PATH, nor in node_modules"):
        programs.bmi.export(inner / "bmi.html")
    pretended(tmp_path / "elsewhere" / "onnxruntime-web", "1.28.0")
    monkeypatch.setenv("NODE_PATH", str(tmp_path / "elsewhere"))
    programs.bmi.export(inner / "bmi.html")
    assert "ONNX Runtime Web 1.28.0" in (inner / "bmi.html").read_text()
    pretended(tmp_path / "a" / "node_modules" / "onnxruntime-web", "1.29.0")
    programs.bmi.export(inner / "bmi.html")
    assert "ONNX Runtime Web 1.29.0" in (inner / "bmi.html").read_text()


@graph_program
def random_number(n: int = 6) -> Any:
    return int(n * random.random())


def test_a_page_is_not_advised_to_have_python(tmp_path: Path, web: Path) -> None:
    with pytest.raises(UnsupportedError, match="a page of `random_number` needs Python beside it") as error:
        written(random_number, tmp_path, web)
    assert error.value.code == "GP512" and "host=" not in str(error.value)
    assert "do it outside, and pass what it gives as an argument" in str(error.value)


MATRIX = np.eye(2, dtype=np.float32)


@graph_program
def captured(x: Float32[Tensor, "2"]) -> Any:
    return MATRIX @ x


class Shifting:
    def __init__(self) -> None:
        self.found: list[list[float]] = [[0.0]]

    @graph_program
    def step(self, x: float) -> Any:
        self.found.append([x])
        return len(self.found)


@pytest.mark.parametrize(
    ("export", "said"),
    [
        (
            lambda p: programs.of_lists.export(p, ([[1.0], [2.0, 3.0]],)),
            "parameter xs has lists of any length in a list",
        ),
        (lambda p: captured.export(p, freeze=False), "the captured array MATRIX is an input"),
        (lambda p: programs.counted.export(p, float="float32"), "no words for a model in other types than Python's"),
        (lambda p: Shifting().step.export(p), "self.found"),
    ],
    ids=["lists", "captured", "float32", "state"],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_no_page_can_be_made_of(
    export: Callable[[Path], Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretended(tmp_path / "node_modules" / "onnxruntime-web")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExportError, match=re.escape(said)) as error:
        export(tmp_path / "play.html")
    assert error.value.code == "GP550" and "no page can be made" in str(error.value)
    assert not (tmp_path / "play.html").exists()


def test_a_model_that_is_too_large(tmp_path: Path, web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_program.pages.page.LARGEST", 1000)
    with pytest.raises(ExportError, match=r"a browser does not unpack a model of [\d,]+ bytes from a page") as error:
        written(programs.bmi, tmp_path, web)
    assert error.value.code == "GP550"


@pytest.mark.parametrize(
    ("show", "said"),
    [
        ({"level": "image"}, "level cannot be shown as 'image': it is int, not an array"),
        ({"photo": "audio"}, "photo cannot be shown as 'audio': it is uint8 [h, w], not one axis"),
    ],
)
def test_inputs_that_are_no_such_thing(show: dict[str, str], said: str, tmp_path: Path, web: Path) -> None:
    with pytest.raises(ExportError, match=re.escape(said)) as error:
        written(programs.threshold, tmp_path, web, **show)
    assert error.value.code == "GP550"


@pytest.mark.parametrize(
    ("show", "said"),
    [
        ({"photo": "imag"}, "write 'image'"),
        ({"foto": "image"}, "write 'photo'"),
        ({"photo": "image:0"}, "the level of white of 'photo' must be a number from 0 to 65536, not '0'"),
        ({"photo": "text:7"}, "what stands behind 'text' of 'photo' must be one of nothing, not '7'"),
        ({"result": "boxes:xx"}, "must be one of 'xyxy', 'xywh', 'yxyx', not 'xx'"),
        ({"result": "audio:2"}, "the rate of 'result' must be a number from 3000 to 384000, not '2'"),
        ({"photo": "audio:٣٠٠٠"}, "the rate of 'photo' must be a number"),
    ],
)
def test_views_that_there_are_not(show: dict[str, str], said: str, tmp_path: Path, web: Path) -> None:
    with pytest.raises(ProgramValueError, match=re.escape(said)) as error:
        written(programs.threshold, tmp_path, web, **show)
    assert error.value.code == "GP515"


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("play.onnx", {"page": Page()}, "only files that end in '.html' have `page=Page(...)`"),
        ("play.html", {"host": "operators"}, "a page has no Python"),
        ("play.html", {"external_data": True}, "a page is one file"),
        ("play.html", {"example": True}, "an example is for C"),
        ("play.onnx", {"target": "page"}, "is no file for `target='page'`"),
    ],
)
def test_options_that_are_not_for_pages(name: str, options: Any, said: str, tmp_path: Path, web: Path) -> None:
    given = {"page": Page(onnxruntime_web=web)} if name.endswith("html") else {}
    with pytest.raises(ProgramValueError, match=re.escape(said)) as error:
        programs.bmi.export(tmp_path / name, **{**given, **options})
    assert error.value.code == "GP515"


def test_what_is_no_page_object(tmp_path: Path, web: Path) -> None:
    wrong: Any = {"show": {}}
    with pytest.raises(TypeError, match=r"page must be a graph_program\.Page"):
        programs.bmi.export(tmp_path / "bmi.html", page=wrong)
    with pytest.raises(TypeError, match="show must be a mapping"):
        programs.bmi.export(tmp_path / "bmi.html", page=Page(["kg"], web))  # type: ignore[arg-type]


def test_the_command(tmp_path: Path, web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, output = f"{programs.__file__}:main_colours", tmp_path / "colours.html"
    arguments = ["export", program, "--page", "--show", "result[1]=values", "--onnxruntime-web", str(web)]
    assert main([*arguments, "-o", str(output)]) == 0
    assert str(output) in capsys.readouterr().out
    assert given(output)["show"] == {"result[1]": "values"}
    assert main([*arguments, "-o", str(tmp_path / "named")]) == 0 and (tmp_path / "named.html").is_file()
    assert main([*arguments, "--show", "result[7]=values", "-o", str(output)]) == 1
    assert "GP515" in capsys.readouterr().err
    assert main([*arguments, "--show", "values", "-o", str(output)]) == 2
    assert "expected NAME=VIEW" in capsys.readouterr().err
    assert main(["export", program, "--show", "k=values", "-o", str(tmp_path / "colours.onnx")]) == 1
    assert "have `--show NAME=VIEW` or `--onnxruntime-web FOLDER`, and " in capsys.readouterr().err
    bmi = ["export", f"{programs.__file__}:bmi", "--page", "--onnxruntime-web", str(web), "-o"]
    for name, more, said in (
        ("bmi.onnx", [], "bmi.onnx' is no file for `--page`"),
        ("bmi.html", ["--host", "operators"], "so `--host operators` is not for"),
        ("bmi.html", ["--external-data", "on"], "so `--external-data on` is not for"),
    ):
        assert main([*bmi, str(tmp_path / name), *more]) == 1
        assert said in capsys.readouterr().err
    assert main([*bmi, str(output), "--show", "kg=values", "--show", "kg=image"]) == 2
    assert "--show kg=... is there twice" in capsys.readouterr().err
    for name in ("UPPER.HTML", "short.htm"):
        assert main([*bmi, str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text().startswith("<!DOCTYPE html>")
    assert main([*bmi[:2], "--target", "c", "-o", str(tmp_path / "bmi.htm")]) == 1
    assert "is no file for `--target c`" in capsys.readouterr().err
