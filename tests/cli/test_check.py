"""`graph-program check`: what it finds, how it goes on, and what it writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graph_program.cli import main
from graph_program.reports import catalogue, help_uri

HEAD = """
import numpy as np
from dataclasses import dataclass
from graph_program import Float32, Int64, Tensor, graph_program, reveal

@dataclass
class Pair:
    a: np.ndarray
    b: np.ndarray

"""
START = HEAD.count("\n") + 2
"""The line before a body's first."""


def program(body: str) -> str:
    """A program of two arrays of shapes [3, 4] and [3, 5], and a number."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f'@graph_program\ndef p(x: Float32[Tensor, "3 4"], y: Float32[Tensor, "3 5"], n: int):\n{lines}'


def written(folder: Path, text: str, name: str = "programs.py") -> str:
    """A file with the usual imports and this text."""
    path = folder / name
    path.write_text(HEAD + text)
    return str(path)


def findings(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str) -> list[dict[str, Any]]:
    """What a check says about a file with this text."""
    main(["check", "--format", "json", written(folder, text), *options])
    result: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return result


RECOVERED: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "a chain of uses is reported once": (
        """
a = x @ y
b = a + 1
c = np.concatenate([b, x])
return (c, b[0], a.T, -a)
""",
        [(1, "GP301")],
    ),
    "independent statements": (
        """
a = x @ y
b = x + y
c = nope
return x.nope
""",
        [(1, "GP301"), (2, "GP301"), (3, "GP305"), (4, "GP307")],
    ),
    "both operands of one expression": ("return (x @ y) + (y @ x)", [(1, "GP301"), (1, "GP301")]),
    "arguments of one call": ("return np.concatenate([x @ y, nope, x])", [(1, "GP301"), (1, "GP305")]),
    "both sides of a branch": (
        """
if n > 0:
    a = x @ y
else:
    a = x + y
return a @ x
""",
        [(2, "GP301"), (4, "GP301")],
    ),
    "both sides of a test that is refused": (
        """
if nope:
    a = x @ y
else:
    a = x + y
return a
""",
        [(1, "GP305"), (2, "GP301"), (4, "GP301")],
    ),
    "a name that one branch leaves unknown": (
        """
a = x
if n > 0:
    a = x @ y
return a @ x.T @ a
""",
        [(3, "GP301")],
    ),
    "a loop, and what follows it": (
        """
for i in range(n):
    x = x + 1
    a = x @ y
    y = y * 2
b = x @ y
return y @ y
""",
        [(3, "GP301"), (5, "GP301"), (6, "GP301")],
    ),
    "a loop over something unknown": (
        """
for row in x @ y:
    a = row + 1
    b = x @ x
return x + y
""",
        [(1, "GP301"), (3, "GP301"), (4, "GP301")],
    ),
    "a loop whose test is refused": (
        """
while nope > 3:
    a = x @ y
return x
""",
        [(1, "GP305"), (2, "GP301")],
    ),
    "an unrolled loop says it once": (
        """
for k in (1, 2, 3):
    a = (x * k) @ y
return x
""",
        [(2, "GP301")],
    ),
    "what a loop cannot avert by unrolling": (
        """
for i in range(n):
    a = np.zeros((2,) * i)
    b = x @ y
return a
""",
        [(2, "GP442"), (3, "GP301")],
    ),
    "what a loop cannot avert by peeling": (
        """
total = 0
for i in range(n):
    total = (total, 1)
    a = total + 1
    b = x @ y
return x + y
""",
        [(4, "GP302"), (5, "GP301"), (6, "GP301")],
    ),
    "unpacking leaves its names unknown": (
        """
a, b = (x, y, n)
c = a @ b
return x @ y
""",
        [(1, "GP304"), (3, "GP301")],
    ),
    "an array that is written stays what it is": (
        """
a = x * 1
a[0] = nope
a[1] += x @ y
a += nope
return a @ x
""",
        [(2, "GP305"), (3, "GP301"), (4, "GP305"), (5, "GP301")],
    ),
    "a list with an unknown item is unknown": (
        """
rows = []
rows.append(x @ y)
a = rows[1]
b = np.stack(rows)
return x @ x
""",
        [(2, "GP301"), (5, "GP301")],
    ),
    "a dict with an unknown item": (
        """
d = {"a": x @ y, "b": x}
a = d["c"]
return x @ x
""",
        [(1, "GP301"), (3, "GP301")],
    ),
    "return from the middle": (
        """
if n > 0:
    return x @ y
return x @ x
""",
        [(2, "GP301"), (3, "GP301")],
    ),
    "a construct without a meaning": (
        """
@np.vectorize
def f(): pass
with nothing as file:
    a = x @ y
    b = file
return b + f + nope
""",
        [(1, "GP323"), (3, "GP305"), (4, "GP301"), (6, "GP305")],
    ),
    "a class inside": (
        """
class A: pass
a = A()
return x @ x
""",
        [(1, "GP208"), (3, "GP301")],
    ),
    "messages of exceptions": (
        """
if n > 3:
    raise ValueError(f"{x @ y}")
return x + y
""",
        [(2, "GP301"), (3, "GP301")],
    ),
    "a conditional expression": ("return (x @ y if n > 0 else x + y)", [(1, "GP301"), (1, "GP301")]),
    "and, or": ("return (nope or x.sum()) and (x @ y)", [(1, "GP305")]),
    "a comprehension": ("return [(x * k) @ y for k in (1, 2)] + [nope]", [(1, "GP301"), (1, "GP305")]),
    "calls with wrong arguments": (
        """
f = lambda a: a @ y
b = f(x, x)
c = f(x)
return np.sum(x, axis=7)
""",
        [(1, "GP301"), (2, "GP320"), (4, "GP303")],
    ),
    "unknown arguments are looked past": (
        """
def f(a, b):
    c = a + 1
    return b @ y
return f(nope, x)
""",
        [(3, "GP301"), (4, "GP305")],
    ),
    "fields of an object": (
        """
class_ = Pair(x, x @ y)
a = class_.b + 1
return class_.a @ x
""",
        [(1, "GP301")],
    ),
}


@pytest.mark.parametrize("body, expected", RECOVERED.values(), ids=RECOVERED.keys())
def test_every_independent_error(
    body: str, expected: list[tuple[int, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = findings(tmp_path, capsys, program(body))
    places = [(f["line"] - START, f["code"]) for f in found if f["severity"] == "error"]
    assert places == expected, [(f["line"] - START, f["code"], f["message"]) for f in found]


def test_nothing_that_is_right_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).resolve().parents[2] / "samples"
    assert main(["check", *map(str, sorted(folder.glob("[a-z]*.py")))]) == 0
    assert "no errors" in capsys.readouterr().out


# ---------------------------------------------------------------- which programs

METHODS = """
@dataclass
class Model:
    w: Float32[Tensor, "4 3"]

    @graph_program
    def step(self, x: Float32[Tensor, "n 4"]):
        return x @ self.w

    @graph_program
    def wrong(self, x: Float32[Tensor, "n 3"]):
        return x @ self.w

    class Inner:
        @staticmethod
        @graph_program
        def static(x: Float32[Tensor, "n"]):
            return x.a

        @graph_program
        @staticmethod
        def static2(x: Float32[Tensor, "n"]):
            return x.b

        @classmethod
        @graph_program
        def of_class(cls, x: Float32[Tensor, "n"]):
            return x + cls.__name__

        @graph_program
        def unknown(self, x: Float32[Tensor, "n"]):
            return x + self.k
"""


def test_methods(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(tmp_path, capsys, METHODS)
    assert [(f["program"], f["code"], f["severity"]) for f in found] == [
        ("Model.wrong", "GP301", "error"),
        ("Model.Inner.static", "GP307", "error"),
        ("Model.Inner.static2", "GP307", "error"),
        ("Model.Inner.of_class", "GP313", "error"),
        ("Model.Inner.unknown", "GP502", "note"),
    ]


def test_methods_of_objects_of_the_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    objects = """
class Scale:
    def __init__(self, w): self.w = w
    @graph_program
    def step(self, x: Float32[Tensor, "n 4"]): return x @ self.w

good, bad = Scale(np.ones((4, 3), np.float32)), Scale(np.ones((3, 4), np.float32))
"""
    assert [(f["program"], f["code"]) for f in findings(tmp_path, capsys, objects)] == [("bad.step", "GP301")]


def test_open_types_are_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "@graph_program\ndef f(x, y):\n    return x @ y\n\n@graph_program\ndef g(x: int):\n    return x\n"
    assert main(["check", written(tmp_path, text), "--show"]) == 0
    out = capsys.readouterr().out
    assert "f: (t [*s, a, b], t [*s, b, c]) -> t [*s, a, c]" in out
    assert "note: the types of 'x', 'y' are open" in out
    assert "g: int -> int" in out
    assert "2 programs checked: no errors" in out


def test_open_types_that_a_call_has_settled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "@graph_program\ndef f(x, y):\n    return x @ y\n\nf(np.ones((2, 3)), np.ones((3, 2)))\n"
    assert main(["check", written(tmp_path, text), "--show"]) == 0
    assert "note" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "body, codes",
    [
        ("return x @ nope", ["GP305"]),
        ("eval('x')\n    return nope", ["GP331", "GP305"]),
        ('y: Float32[Tensor, "3 4"] = np.ones((3, 4), np.float32)\n    return x + y @ y', ["GP301"]),
        ("if x.ndim == 2:\n        return nope\n    return x", ["GP502"]),
    ],
)
def test_errors_in_programs_with_open_types(
    body: str, codes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = findings(tmp_path, capsys, f"@graph_program\ndef f(x):\n    {body}\n")
    assert [f["code"] for f in found] == codes


def test_errors_on_some_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = findings(tmp_path, capsys, program("if n > 0:\n    x = x @ x\nreturn x"))
    assert found["notes"] == ["not every run gets here; one that does raises this"]
    found, _ = findings(tmp_path, capsys, program("if n > 0:\n    x = x @ x\nreturn nope"))
    assert found["notes"] == []


def test_the_same_mistake_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
def helper(a):
    return a.nope

@graph_program
def f(x: Float32[Tensor, "n"]):
    return helper(x) + helper(x)

@graph_program
def g(x: Float32[Tensor, "n"]):
    return helper(x)
"""
    (found,) = findings(tmp_path, capsys, text)
    assert [(call["line"], call["function"]) for call in found["inlined_from"]] == [(found["line"] + 4, "f")]


# ---------------------------------------------------------------- what is revealed


REVEALED = [
    ("x", "float32 [3, 4] (graph)"),
    ("n", "int (graph)"),
    ("x[1:, None]", "float32 [2, 1, 4] (graph)"),
    ("x.sum()", "np.float32 (graph)"),
    ("x.shape", "(int = 3, int = 4) (static)"),
    ("2.5", "float (static, value 2.5)"),
    ("'a' + 'b'", "str (static, value 'ab')"),
    ("None", "None (static)"),
    ("Pair(x, 3)", "Pair(a: float32 [3, 4], b: int = 3) (graph)"),
    ("[x, {'k': (1, n)}]", "[float32 [3, 4], {'k': (int = 1, int)}] (graph)"),
    ("(1,)", "(int = 1,) (static)"),
    ("x if n > 0 else None", "float32 [3, 4] | None (graph)"),
    ("range(n)", "range(0, ?, 1) (graph)"),
    ("np.float32", "type float32 (static)"),
    ("lambda a: a", "function <lambda> (static)"),
    ("np.array([1, 2])", "int64 [2] (graph, value [1, 2])"),
    ("len(z)", "int (graph, value k, at least 0)"),
    ("z[:-1]", "float32 [max(0,k-1)] (graph)"),
    ("len(z) // 2 + 1", "int (graph, value k//2+1, at least 1)"),
]


@pytest.mark.parametrize("expression, expected", REVEALED, ids=[e for e, _ in REVEALED])
def test_reveal(expression: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = program(f"reveal({expression})").replace("n: int", 'n: int, z: Float32[Tensor, "k"]')
    (found,) = findings(tmp_path, capsys, text)
    assert found["message"] == f"revealed type of '{expression}' is {expected}"
    assert (found["severity"], found["code"], found["line"]) == ("note", "reveal", START + 1)
    assert found["fact"]["name"] == expression


def test_reveal_says_what_tests_have_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
@graph_program
def f(x: Float32[Tensor, "n"], y: Float32[Tensor, "m"]):
    if len(x) > 3 and len(x) == len(y):
        reveal(x)
        return x + y
    return x[:1]
"""
    (found,) = findings(tmp_path, capsys, text)
    assert found["fact"]["bounds"], found


def test_reveal_in_loops_and_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
def helper(a):
    return reveal(a)

@graph_program
def f(x: Float32[Tensor, "n"], n: int):
    total = 0
    for i in range(n):
        total = total + x[0]
        reveal(total)
    for k in (1, 2, 3):
        reveal(x * k)
    while total < 3:
        x = x + reveal(helper(x) * 2)
        total += 1
    return helper(total)
"""
    found = findings(tmp_path, capsys, text)
    first = found[0]["line"]
    assert [(f["line"] - first, f["fact"]["type"]) for f in found] == [
        (0, "float32 [n]"),
        (0, "np.float32"),
        (7, "np.float32"),
        (9, "float32 [n]"),
        (11, "float32 [n]"),
    ]
    assert [f["inlined_from"][0]["line"] - first for f in found[:2]] == [11, 13]


def test_questions_about_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "a, (b, *c) = x, (y, 1, 2)\na[0] = 3; n += 1\nfor i in range(n): d = (e := a + i) * 2\nreturn b"

    def names(*questions: str) -> list[tuple[str, str]]:
        asked = [argument for q in questions for argument in ("--reveal", q)]
        found = findings(tmp_path, capsys, program(body), *asked)
        return [(f["fact"]["name"], f["fact"]["type"]) for f in found]

    row, pair = "float32 [3, 4]", "float32 [3, 5]"
    assert names(str(START + 1)) == [("a", row), ("b", pair), ("c", "[int = 1, int = 2]")]
    assert names(str(START + 2)) == [("a[0]", "float32 [4]"), ("n", "int")]
    assert names(str(START + 3)) == [("i", "int"), ("d", "float32 [3, 4]"), ("e", "float32 [3, 4]")]
    assert names(f"{START + 3}:e", f"{START + 1}:c") == [("c", "[int = 1, int = 2]"), ("e", "float32 [3, 4]")]
    assert names(str(START)) == [("x", row), ("y", pair), ("n", "int")]
    capsys.readouterr()
    assert names(f"{START + 4}") == []
    assert main(["check", written(tmp_path, program(body)), "--reveal", f"{START + 1}:z"]) == 0
    assert f"nothing called z is assigned on line {START + 1}" in capsys.readouterr().err


def test_revealing_what_is_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "@graph_program\ndef f(x, y):\n    z = x @ y\n    reveal(z)\n    return z @ z\n"
    found = findings(tmp_path, capsys, text)
    assert [f["message"] for f in found if f["code"] == "reveal"] == ["revealed type of 'z' is t [*s, a, a] (graph)"]


def test_revealed_beside_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(tmp_path, capsys, program("a = x @ y\nreveal(x)\nreveal(a)\nreturn x"))
    assert [(f["severity"], f["line"] - START) for f in found] == [("error", 1), ("note", 2)]


# ---------------------------------------------------------------- formats

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

    from graph_program.reports import show

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
    mistakes = ["np.zeros(3)[7]", "[1][2]", "1 // 0", "np.linalg.inv(np.zeros((2, 3)))", "np.stack([])", "x.shape[9]"]
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
