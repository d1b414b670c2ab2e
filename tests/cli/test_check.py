"""`graph-program check`: what it finds and how it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_program.cli import main
from tests.cli.checking import START, findings, program, written

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
@np.chararray
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


def test_what_is_written_to_an_object_of_a_class_without_objects(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
class Tracker:
    def __init__(self, rate):
        self.rate, self.place, self.log = rate, np.zeros(2), []

    @graph_program
    def step(self, seen):
        self.place = self.place + self.rate * (seen - self.place)
        self.log.append(1)
        self.place[0] = 0
        return self.place
"""
    assert main(["check", written(tmp_path, text)]) == 0
    assert "note: the types of 'self', 'seen' are open" in capsys.readouterr().out


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
