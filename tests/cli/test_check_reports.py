"""`graph-program check`: what it writes, and how it is used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graph_program.cli import main
from graph_program.command_line.reports import catalogue, help_uri
from tests.cli.checking import START, findings, program, written

MISTAKES = """
def helper(a, b):
    return a @ b

@graph_program
def p(x: Float32[Tensor, "3 4"]):
    reveal(x)
    y = helper(x, x)
    a, b = (1, 2, 3)
    return nöpe
"""


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", written(tmp_path, MISTAKES)]) == 1
    out = capsys.readouterr().out
    assert "\nprograms.py:17:5: note: revealed type of 'x' is float32 [3, 4] (graph)\n" in out
    assert "\n  inlined from programs.py:18:9 in p\n" in out
    assert out.startswith("programs.py:13:12: error[GP301]: ")
    assert out.endswith("\n1 program checked: 3 errors\n")


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = findings(tmp_path, capsys, MISTAKES)
    assert [f["code"] for f in found] == ["GP301", "reveal", "GP304", "GP305"]
    span = {"file": "programs.py", "line": 18, "column": 9, "end_line": 18, "end_column": 21, "function": "p"}
    assert found[0]["inlined_from"] == [span]
    assert found[3] == {
        "code": "GP305",
        "severity": "error",
        "message": "name 'nöpe' is not defined",
        "file": "programs.py",
        "line": 20,
        "column": 12,
        "end_line": 20,
        "end_column": 16,
        "program": "p",
        "related": [],
        "notes": [],
        "hint": "define it before the program is first called",
        "inlined_from": [],
        "fact": None,
    }


def check_region(region: dict[str, Any]) -> None:
    assert all(isinstance(value, int) and value >= 1 for value in region.values())
    assert region["startLine"] <= region["endLine"]
    assert set(region) <= {"startLine", "startColumn", "endLine", "endColumn"}


def check_location(location: dict[str, Any]) -> None:
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    assert artifact["uri"] and "\\" not in artifact["uri"] and " " not in artifact["uri"]
    assert artifact.get("uriBaseId") == "%SRCROOT%" or artifact["uri"].startswith("file:///")
    check_region(physical["region"])


def test_sarif(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What the standard requires of a log, and what GitHub requires of a rule."""
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--format", "sarif", written(tmp_path, MISTAKES, "a b.py"), "missing.py"]) == 2
    log = json.loads(capsys.readouterr().out)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "graph-program"
    rules = driver["rules"]
    assert [rule["id"] for rule in rules] == ["GP301", "GP304", "GP305", "reveal"]
    for rule in rules:
        assert all(rule[part]["text"] for part in ("shortDescription", "fullDescription", "help"))
        assert ":" in rule["helpUri"]
    assert rules[0]["shortDescription"]["text"] == "shapes do not fit"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        check_location(location)
        for related in result["relatedLocations"]:
            check_location(related)
            assert related["message"]["text"]
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.py"
    assert [r["physicalLocation"]["region"]["startLine"] for r in first["relatedLocations"]] == [18]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "there is no file missing.py"


def test_github(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--format", "github", written(tmp_path, MISTAKES, "50%,a:b.py")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("::error file=50%25%2Ca%3Ab.py,line=13,col=12,endLine=13,endColumn=17,title=GP301::")
    assert lines[0].endswith("%0Ainlined from 50%25,a:b.py:18:9 in p")
    assert lines[1].startswith("::notice file=")
    assert lines[3].endswith("name 'nöpe' is not defined%0Ahelp: define it before the program is first called")


def test_what_a_file_prints_is_no_part_of_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--format", "json", written(tmp_path, "print('hello')\n")]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == []
    assert captured.err == "hello\n"


def test_every_code_has_a_rule() -> None:
    assert all(entry["title"] for entry in catalogue().values())
    assert help_uri("GP301", "shapes do not fit").endswith("GP301")


def test_colours_only_where_a_person_looks_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    from io import StringIO

    from graph_program.command_line.reports import show

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    text = "a.py:1:2: error[GP301]: no\n  1 | x = 3\n    |     ^\n  help: yes"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for stream, coloured in ((Terminal(), True), (StringIO(), False)):
        show(text, stream)
        assert ("\x1b[" in stream.getvalue()) is coloured
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    show(text, plain)
    assert plain.getvalue() == f"{text}\n"


# ---------------------------------------------------------------- using the command


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (["{good}", "missing.py"], 2, "there is no file missing.py"),
        (["{text}"], 2, "notes.txt is not a Python file"),
        (["{folder}"], 2, "there is no file"),
        (["{good}", "--format", "xml"], 2, "invalid choice: 'xml'"),
        (["{good}", "--reveal", "x"], 2, "expected a line"),
        (["{good}", "--reveal", "0"], 2, "expected a line"),
        (["{good}", "{good}", "--reveal", "3"], 2, "one file"),
        ([], 2, "required: FILE"),
        (["{good}"], 0, ""),
    ],
)
def test_uses(argv: list[str], code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    good = written(tmp_path, program("return x"))
    names = {"good": good, "text": str(tmp_path / "notes.txt"), "folder": str(tmp_path)}
    assert main(["check", *(a.format(**names) for a in argv)]) == code
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_a_broken_file_does_not_hide_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = written(tmp_path, "1 / 0\n", "broken.py")
    assert main(["check", broken, written(tmp_path, program("return nope"))]) == 2
    captured = capsys.readouterr()
    assert "GP305" in captured.out
    assert "ZeroDivisionError" in captured.err
    assert "graph_program/" not in captured.err


def test_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "graph_program", "check", written(tmp_path, program("return nope"))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith(f"programs.py:{START + 1}:12: error[GP305]")
    assert done.stderr == ""


@pytest.mark.parametrize("close", [False, True])
def test_what_the_stream_cannot_take(tmp_path: Path, close: bool) -> None:
    command = f"{sys.executable} -m graph_program check {written(tmp_path, program('return x.größe'))}"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shell = command + (" >&-" if close else "")
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 1
    assert done.stderr == ""
    assert ("x.gr\\xf6\\xdfe" in done.stdout) is not close


def test_all_that_always_fails_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mistakes = ["np.zeros(3)[7]", "[1][2]", "1 // 0", "np.zeros((2, 3)) @ np.ones(2)", "np.stack([])", "x.shape[9]"]
    body = "\n".join([*(f"a = {m}" for m in mistakes), "return nope"])
    assert main(["check", written(tmp_path, program(body))]) == 1
    assert f"{len(mistakes) + 1} errors" in capsys.readouterr().out


UNSAID = """
@graph_program
def product(x: Float32[Tensor, "n k"], w: Float32[Tensor, "m k"]):
    return x @ w
"""


def test_what_the_annotations_do_not_say_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, UNSAID)
    assert main(["check", str(file)]) == 0
    out = capsys.readouterr().out
    assert "warning[GP360]: this needs m == k, which the annotations do not say" in out
    assert "no errors, 1 warning" in out
    assert main(["check", "--strict", str(file)]) == 1
    capsys.readouterr()
    assert main(["check", "--format", "json", str(file)]) == 0
    assert '"severity": "warning"' in capsys.readouterr().out


COPIES = """
from graph_program import host_function, to_host

@host_function
def note(v):
    raise RuntimeError("a check runs nothing")

@graph_program(copies={copies!r})
def p(x: Float32[Tensor, "3"], n: int):
    for i in range(n):
        note(x.sum())
        note(to_host(x.max()))
        note(i)
        x = x + 1
    return x
"""


@pytest.mark.parametrize(("copies", "severities"), [("warn", ["warning"]), ("error", ["error"]), ("ignore", [])])
def test_copies(copies: str, severities: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(tmp_path, capsys, COPIES.format(copies=copies))
    assert [(f["severity"], f["code"]) for f in found] == [(s, "GP523") for s in severities]
    assert all("copied to the host for note(...)" in f["message"] for f in found)
