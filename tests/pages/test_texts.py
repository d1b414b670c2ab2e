"""Numbers and texts of a page are written as Python writes them: `str`, `repr` and `format`, in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.pages.arrays import plain_floats
from graph_program.pages.page import FOLDER

SCRIPT = """
Object.assign(LARGEST_PLAIN, PLAIN);
const lines = [];
for (const { value, specification, conversion } of JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"))) {
  lines.push(formatted(value.literal === undefined ? { is: "text", text: value.text } : literalValue(value.literal),
    conversion, specification));
}
console.log(JSON.stringify(lines));
"""
FLOATS = [
    *(
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        1 / 3,
        2 / 3,
        1e-4,
        9.99e-5,
        1e15,
        1e16,
        123456789.125,
        1e22,
        5e-324,
        1.7976931348623157e308,
    ),
    *(0.5, 1.5, 2.5, 0.125, 0.375, 999.9995, 99999.5, 1e100, float("nan"), float("inf"), float("-inf")),
    *np.random.default_rng(0).normal(size=20).tolist(),
    *(10.0 ** np.random.default_rng(1).uniform(-20, 20, 20)).tolist(),
]
OF_FLOATS = [
    *(
        "",
        ".2f",
        ".0f",
        ".1f",
        ".3e",
        ".0e",
        "e",
        "g",
        ".3g",
        ".10g",
        "f",
        "%",
        ".1%",
        "+.2f",
        " .3f",
        "10.3f",
        "<10.2f|",
    ),
    *("010.2f", "^12.1f", "*>12.2f", ",.2f", "_.1f", "E", "G", "F", ".3", ".1", "12", ">8", "=+10.1f"),
]
INTEGERS = [0, 1, -1, 7, 255, -255, 1234567, -1234567, 2**62, -(2**63)]
OF_INTEGERS = [
    *(
        "",
        "d",
        "5d",
        "05d",
        "+d",
        " d",
        ",",
        "_d",
        "x",
        "X",
        "#x",
        "b",
        "#b",
        "o",
        "#o",
        "<8d|",
        "^9",
        "*^9d",
        "08b",
        "_x",
    ),
    *(".2f", "e", "g", "%", "=+9d"),
]
TEXTS = ["", "a", "it's", 'say "no"', "both ' and \"", "line\nnext\ttab\\", "naïve €😀", "\x00\x7f\xa0"]
OF_TEXTS = ["", "5", ">5", "^6", "*<7", ".2", "6.1s"]


def literal(value: Any) -> Any:
    """A value as a description has it."""
    from graph_program.exports.literals import ClassTable

    return ClassTable().literal(value)


def cases() -> list[tuple[Any, str, str]]:
    """Values, conversions and specifications that Python takes."""
    found: list[tuple[Any, str, str]] = []
    for values, specifications in ((FLOATS, OF_FLOATS), (INTEGERS, OF_INTEGERS), (TEXTS, OF_TEXTS)):
        found += [(value, "", one) for value in values for one in specifications if one[-1:] != "|"]
        found += [(value, "r", "") for value in values]
    for dtype in (np.float16, np.float32, np.float64):
        with np.errstate(over="ignore"):
            numbers = [dtype(x) for x in FLOATS]
        found += [(x, conversion, one) for x in numbers for conversion in ("", "s", "r") for one in ("", "12")]
        found += [(x, "", ".3f") for x in numbers]
    for scalar in (True, False, np.True_, np.int8(-3), np.uint64(2**64 - 1)):
        found += [(scalar, conversion, "") for conversion in ("", "s", "r")]
    found += [(value, "", one) for value in (True, False) for one in ("d", "5", "x", ".1f")]
    found += [(value, "s", "") for value in (1 + 2j, -1.5j, complex(-0.0, 1), complex(float("nan"), -0.0))]
    for held in ([1, 2.5, None], (1,), (1, "a"), {"a": 1, 2: [True]}, [], [np.float32(0.1), np.int64(3)]):
        found.append((held, "", ""))
    for array in (
        [1, 2, 30],
        [1.0, 2.5, -3.25],
        [[1, 2], [3, 4]],
        [[[1, 2]], [[3, 4]]],
        [True, False],
        [],
        [0.1, 0.25],
    ):
        found += [(np.array(array), conversion, "") for conversion in ("s", "", "r") if array]
    return found


def test_as_python_writes_them(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    texts = [(FOLDER / f"{name}.js").read_text() for name in ("tensors", "python_texts", "results")]
    asked = [
        {
            "value": {"text": value} if isinstance(value, str) else {"literal": literal(value)},
            "conversion": conversion,
            "specification": specification,
        }
        for value, conversion, specification in cases()
    ]
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    (tmp_path / "texts.js").write_text("\n".join([*texts, SCRIPT.replace("PLAIN)", f"{json.dumps(plain_floats())})")]))
    command = [node, str(tmp_path / "texts.js"), str(tmp_path / "asked.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    written = {"": lambda x: x, "s": str, "r": repr}
    wrong = []
    for (value, conversion, one), found in zip(cases(), json.loads(done.stdout), strict=True):
        expected = format(written[conversion](value), one)
        if found != expected:
            wrong.append(f"format({value!r}, {one!r}), conversion {conversion!r}: {found!r}, not {expected!r}")
    assert not wrong, f"{len(wrong)} of {len(asked)}\n" + "\n".join(wrong[:40])
