"""A `main` that calls a program once, or steps it a few times, and prints what it gives.

Floats are printed with as many digits as it takes to read the same number back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.backends.c.c_types import HALVES, literal
from graph_program.backends.c.emit import CSource, Parameter
from graph_program.backends.c.expression import product
from graph_program.backends.c.support import text_of
from graph_program.backends.c.weights import constant_lines

STEPS = 3
FORMATS = {"bool": ("int", "%d"), "float": ("double", "%.9g"), "double": ("double", "%.17g")}
"""What C's numbers are printed as; others are integers."""


def example_main(source: CSource, feed: Mapping[str, Any]) -> str:
    """The text of a file with a `main`.

    Parameters
    ----------
    source : CSource
        As it is written.
    feed : mapping of str to object
        The example arguments, by the inputs of the graph.
    """
    before = _indented([line for p in source.parameters for line in _declared(p, source, feed)])
    before += _indented(_read(source))
    call = [*_call(source, feed), "if (status) {", *_indented(_failed(source)), "}"]
    call += [line for p in source.parameters for line in _printed(p, source, feed)]
    if _state(source):
        before += _indented(_init(source))
        call = [f"for (int k = 0; k < {STEPS}; k++) {{", *_indented(call), "}"]
    lines = [*before, *_indented(call), "    return 0;"]
    system = ["#include <math.h>"] if any("NAN" in line or "INFINITY" in line for line in lines) else []
    system += ["#include <stdio.h>"]
    system += ["#include <stdlib.h>"] if any(p.role == "made" for p in source.parameters) else []
    helpers = _halves(source)
    system += ["#include <string.h>"] if helpers else []
    top = [f'#include "{source.stem}.h"', "", *system, "", *helpers]
    return "\n".join([*top, "int main(void) {", *lines, "}", ""])


def _read(source: CSource) -> list[str]:
    """The lines that read the weights from their file."""
    weights = next((p.name for p in source.parameters if p.role == "weights"), "")
    if not weights:
        return []
    return [
        f'FILE *file = fopen("{source.stem}.bin", "rb");',
        f"const bool is_read = file && fread(&{weights}, sizeof {weights}, 1, file) == 1;",
        "if (file) fclose(file);",
        "if (!is_read) {",
        f'    printf("{source.stem}.bin is not there, or is too short\\n");',
        "    return 1;",
        "}",
    ]


def example_sketch(source: CSource, feed: Mapping[str, Any]) -> str:
    """The text of a sketch for Arduino, which calls the program once a second."""
    before = [line for p in source.parameters for line in _declared(p, source, feed)]
    before = [line if line.startswith(("static", " ", "}")) else f"static {line}" for line in before]
    failed = ['Serial.print("error ");', "Serial.println(status);", *_message(source), "return;"]
    call = [*_call(source, feed), "if (status) {", *_indented(failed), "}"]
    call += [line for p in source.parameters for line in _sent(p, source, feed)]
    setup = ["Serial.begin(115200);", *_init(source)]
    lines = [
        f"#include <{source.stem}.h>",
        "",
        *_halves(source),
        *before,
        "",
        "void setup() {",
        *_indented(setup),
        "}",
        "",
    ]
    return "\n".join([*lines, "void loop() {", *_indented([*call, "delay(1000);"]), "}", ""])


def _message(source: CSource) -> list[str]:
    return [f"Serial.println({source.name}_message(status));"] if source.told else []


def _state(source: CSource) -> Parameter | None:
    return next((p for p in source.parameters if p.role == "state"), None)


def _init(source: CSource) -> list[str]:
    state = _state(source)
    return [f"{source.name}_init(&{state.name});"] if state is not None else []


def _call(source: CSource, feed: Mapping[str, Any]) -> list[str]:
    given = ", ".join(_argument(p, feed) for p in source.parameters)
    return [f"const int status = {source.name}({given});"]


def _sent(p: Parameter, source: CSource, feed: Mapping[str, Any]) -> list[str]:
    """The lines that send a result to a serial port."""
    if not p.is_result or p.role not in ("number", "array", "made"):
        return []
    kept = p.c_type.rstrip("* ")
    more = ", 9" if kept in ("float", "double") else ""
    cast = kept if more else "long"
    if p.role == "number":
        return [f'Serial.print("{p.name} ");', f"Serial.println(({cast}){p.name}{more});"]
    loop = [f"for (long i = 0; i < (long)({_count(p, source, feed)}); i++) {{", '    Serial.print(" ");']
    element = f"read_{_half(p)}({p.name}[i]), 9" if _half(p) else f"({cast}){p.name}[i]{more}"
    lines = [f'Serial.print("{p.name}");', *loop, f"    Serial.print({element});", "}"]
    return [*lines, "Serial.println();", *([f"free({p.name});"] if p.role == "made" else [])]


def _half(p: Parameter) -> str:
    """The short name of an element type of which C has 16 bits in an integer, or ""."""
    return HALVES.get(p.value.type.dtype.name, "") if p.value is not None and p.role in ("array", "made") else ""


def _halves(source: CSource) -> list[str]:
    """The functions that read such results as numbers."""
    found = sorted({_half(p) for p in source.parameters if p.is_result} - {""})
    texts = (text_of(f"gp_{half}_load").replace(f"gp_{half}_load", f"read_{half}").strip("\n") for half in found)
    return [line for text in texts for line in (*text.split("\n"), "")]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _declared(p: Parameter, source: CSource, feed: Mapping[str, Any]) -> list[str]:
    """The variable that an argument is in, or that a result is written to."""
    if p.role in ("state", "workspace", "weights"):
        return [f"static {p.c_type.removeprefix('const ').rstrip('* ')} {p.name};"]
    if p.role == "error":
        return [f"{p.c_type.rstrip('* ')} {p.name};"]
    base = p.c_type.removeprefix("const ").rstrip("* ")
    if not p.is_result:
        assert p.value is not None
        if p.role != "array":
            return []
        return constant_lines(f"static const {base} {p.name}", np.asarray(feed[p.value.name], p.value.type.dtype))
    if p.role == "array":
        size = _given_size(p, source, feed)
        return [f"static {base} {p.name}[{max(size, 1)}];"]
    return [f"{base} {'*' if p.role == 'made' else ''}{p.name};"]


def _given_size(p: Parameter, source: CSource, feed: Mapping[str, Any]) -> int:
    """How many elements a result in the caller's memory has."""
    assert p.value is not None
    sizes = {
        o.name: feed[o.value.name].shape[o.axis]
        for o in source.parameters
        if o.role == "size" and o.value and not o.is_result
    }
    text = product(source.sizes[p.value]).text
    return int(eval(text, {"__builtins__": {}}, sizes))


def _argument(p: Parameter, feed: Mapping[str, Any]) -> str:
    if p.role in ("state", "workspace", "weights", "error"):
        return f"&{p.name}"
    if p.is_result:
        return p.name if p.role == "array" else f"&{p.name}"
    assert p.value is not None
    if p.role == "size":
        return str(np.asarray(feed[p.value.name]).shape[p.axis])
    if p.role == "number":
        return literal(p.value.type.dtype, np.asarray(feed[p.value.name], p.value.type.dtype).item()).text
    return p.name


def _failed(source: CSource) -> list[str]:
    text = f", {source.name}_message(status)" if source.told else ', "there is no memory"'
    return [f'printf("error %d: %s\\n", status{text});', "return 1;"]


def _printed(p: Parameter, source: CSource, feed: Mapping[str, Any]) -> list[str]:
    """The lines that print a result."""
    if not p.is_result or p.role not in ("number", "array", "made"):
        return []
    kept = p.c_type.rstrip("* ")
    c_type, form = FORMATS.get(kept, ("unsigned long long", "%llu") if kept[0] == "u" else ("long long", "%lld"))
    if p.role == "number":
        return [f'printf("{p.name} {form}\\n", ({c_type}){p.name});']
    half, element = _half(p), f"({c_type}){p.name}[i]"
    if half:
        form, element = FORMATS["float"][1], f"(double)read_{half}({p.name}[i])"
    count = _count(p, source, feed)
    loop = f'for (long long i = 0; i < {count}; i++) printf(" {form}", {element});'
    lines = [f'printf("{p.name}");', loop, 'printf("\\n");']
    return [*lines, f"free({p.name});"] if p.role == "made" else lines


def _count(p: Parameter, source: CSource, feed: Mapping[str, Any]) -> str:
    """How many elements a result has, in C."""
    assert p.value is not None
    if p.role == "array":
        if not _given_size(p, source, feed):
            return "0"  # C has no arrays without elements
        return f"(long long)(sizeof {p.name} / sizeof *{p.name})"
    own = {o.axis: o.name for o in source.parameters if o.is_result and o.role == "size" and o.value is p.value}
    axes = enumerate(p.value.type.shape)
    return " * ".join(own.get(axis, str(size.constant)) for axis, size in axes) or "1"


__all__ = ["STEPS", "example_main", "example_sketch"]
