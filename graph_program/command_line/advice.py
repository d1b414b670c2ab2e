"""Messages as the command line has them: what they advise to write in Python is what can be typed.

write `static=("n",)`     ->     write `--static n`
"""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any

SWITCHES = {
    "verify": "--no-verify",
    "freeze": "--no-freeze",
    "include_errors": "--no-errors",
    "local_functions": "--no-local-functions",
}
TAKING = {
    "host": "--host",
    "opset": "--opset",
    "ir_version": "--ir-version",
    "checks": "--checks",
    "external_data": "--external-data",
    "float": "--float",
    "quantize": "--quantize",
    "target": "--target",
    "layout": "--layout",
    "smallest": "--quantize-smallest",
}
FORMS = {
    "args": "--arg NAME=TYPE` or `--arg NAME=VALUE",
    "calibration": "--calibrate EXPRESSION",
    "page": "--show NAME=VIEW` or `--onnxruntime-web FOLDER",
}
"""What is typed for options whose value cannot be."""
NAMES = {
    "calibration": "--calibrate",
    "exclude": "--quantize-except",
    "only": "--quantize-only",
    "per_channel": "--per-array",
    "smallest": "--quantize-smallest",
    "static": "--static",
}
"""Options that messages about models in fewer bits only name; elsewhere these are names of the program's."""
QUANTIZED = re.compile(r"error\[GP(515|548|549)\]")
STATIC = "a parameter of type Static[int]"
VALUE = r"""(?:\w+)?\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|"[^"]*"|'[^']*'|\w+"""
CODE = re.compile(r"`[^`\n]+`")
OPTION = re.compile(rf"\b(static|dims|portable|{'|'.join((*SWITCHES, *TAKING, *FORMS))})=({VALUE})")


def as_typed(text: str) -> str:
    """A message with options of the command line in the place of Python's, where it quotes them."""
    named = NAMES if QUANTIZED.search(text) else {}
    said = CODE.sub(lambda code: f"`{named[name]}`" if (name := code[0][1:-1]) in named else _typed_in(code[0]), text)
    return said.replace(STATIC, f"{STATIC} or `--static NAME` with its value in `--arg`")


def _typed_in(code: str) -> str:
    return OPTION.sub(_flags, code)


def _flags(match: re.Match[str]) -> str:
    name, written = match[1], match[2]
    if name in FORMS:
        return FORMS[name]
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return match[0]
    return " ".join(_typed(name, value)) or match[0]


def _typed(name: str, value: Any) -> list[str]:
    """The flags of an option; none where it is no value, but a form such as `dims={...}`."""
    match name, value:
        case "static", str() | tuple():
            return [f"--static {shlex.quote(part)}" for part in ((value,) if isinstance(value, str) else value)]
        case "dims", dict():
            return [f"--dim {dim}={_size(size)}" for dim, size in value.items()]
        case "portable", bool():
            return ["--portable"] if value else []
        case "target", "page":
            return ["--page"]
        case _, bool() if name in SWITCHES:
            return [] if value else [SWITCHES[name]]
        case _, bool() if name in TAKING:
            return [TAKING[name], "on" if value else "off"]
        case _, str() | int() if name in TAKING:
            return [TAKING[name], shlex.quote(str(value))]
    return []


def _size(size: Any) -> str:
    """`128`, or bounds, `1:8`."""
    if isinstance(size, int):
        return str(size)
    low, high = size
    return f"{low}:{'' if high is None else high}"


__all__ = ["as_typed"]
