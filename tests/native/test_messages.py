"""The texts of errors in C: whatever is in them, the comment of the header and the function have it."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

from graph_program import graph_program
from graph_program.backends.c.comments import in_comment
from graph_program.backends.c.compiler import STRICT, compiled
from graph_program.backends.c.messages import quoted
from tests.native.compilers import needs_compiler

LONG = "long " * 1200


@graph_program
def odd_texts(k: int) -> int:
    if k == 1:
        raise ValueError("/* begun")
    if k == 2:
        raise ValueError("ended */ and /*/ begun")
    if k == 3:
        raise ValueError("a zero \0 and 1")
    if k == 4:
        raise ValueError('back\\slashes \\" and "quotes" \\')
    if k == 5:
        raise ValueError("what??/ ??= ??'")
    if k == 6:
        raise ValueError("two\nlines\r\tand more\x07")
    if k == 7:
        raise ValueError("Größe \u202e \ud800 \U0001f40d \u2028")
    if k == 8:
        raise ValueError("100% {k} %s")
    if k == 9:
        raise ValueError(LONG)
    return k


@needs_compiler
def test_odd_texts(tmp_path: Path) -> None:
    odd_texts.export(tmp_path / "odd.c", (0,))
    header = (tmp_path / "odd.h").read_text(encoding="utf-8")
    assert header.count("/*") == header.count("*/") == 2 and "Größe" in header
    assert r"two\nlines\r\tand more\x07" in header and r"a zero \x00 and 1" in header
    message = ctypes.CDLL(str(compiled(tmp_path / "odd.c", ("-O0", *STRICT)))).odd_texts_message
    message.restype = ctypes.c_char_p
    for k in range(1, 9):
        with pytest.raises(ValueError) as raised:
            odd_texts.python(k)
        expected = str(raised.value).replace("\0", r"\x00").encode("utf-8", "backslashreplace")
        assert message(k).startswith(b"ValueError: " + expected + b" (line ")
    assert message(9).endswith(b"long ...") and len(message(9)) == 4095


class Late(Exception):
    def __init__(self, seconds: float, tries: int) -> None:
        super().__init__(f"{seconds} s late")
        self.tries = tries


def test_what_is_filled_in_has_its_format(tmp_path: Path) -> None:
    @graph_program
    def formatted(k: int, v: float) -> float:
        if k > 3:
            raise ValueError(f"{k:#04x} {v:.2f} {v!r} {k}")
        if k < 0:
            raise Late(v, 2)
        return v

    formatted.export(tmp_path / "formatted.c", verify=False)
    for name, begin in (("formatted.h", " * {}: "), ("formatted.c", 'case {}: return "')):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert begin.format(1) + "ValueError: {value_0:#04x} {value_1:.2f} {value_1!r} {value_0} (line " in text
        assert begin.format(2) + "Late: {value_1} s late (line " in text
    assert "is a field of formatted_error" in (tmp_path / "formatted.h").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [("/*/", "/ * /"), ("**/", "** /"), ("//*", "// *"), ("a\nb", r"a\nb"), ("\ud800", r"\ud800"), ("é", "é")],
)
def test_a_comment_is_one_line_without_another(text: str, said: Any) -> None:
    assert in_comment(text) == said


def test_what_is_cut_is_no_half_letter() -> None:
    assert quoted("é" * 3000).endswith(r'\303\251..."')
