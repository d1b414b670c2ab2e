"""The code of texts in generated modules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graph_program import graph_program
from graph_program.backends.host.f_strings import f_string

NAMES: dict[str, Any] = {"x": 1.5, "y": "é", "d": {"k": 7}}
CONVERTED = {"": lambda v: v, "r": repr, "s": str, "a": ascii}


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["only'"], '"only\'"'),
        (["x = ", ("x", "", ".2f")], "f'x = {x:.2f}'"),
        ([("x", "", ".2f"), "{", ("y", "a", "")], "f'{x:.2f}{{{y!a}'"),
        (["%: ", ("d['k']", "", "")], "'%: {}'.format(d['k'])"),
        (["a{}'\"\\\n\x1b é", ("x", "", ""), "%"], None),
        ([("x", "r", ">10")], None),
        ([("d['k']", "", "{>5"), ("x", "", "")], None),
        ([("x", "r", "{>9")], None),
        ([("x", "", "'>7")], None),
        ([('d["k"]', "", "'^7"), "'q'"], None),
        ([("x if x != 2 else y", "", ":>9")], None),
    ],
)
def test_code_of_a_text(parts, text):
    code = f_string(parts)
    assert text is None or code == text
    assert eval(code, dict(NAMES)) == "".join(
        p if isinstance(p, str) else format(CONVERTED[p[1]](eval(p[0], dict(NAMES))), p[2]) for p in parts
    )


def test_host_source_shows_f_strings():
    def shown(n: int):
        name: str = json.loads('"a"')
        print(f"{name}: {n:03d}")

    program = graph_program(shown)
    program(3)
    assert "print(f'{name}: {n.item():03d}')" in program.host_source
