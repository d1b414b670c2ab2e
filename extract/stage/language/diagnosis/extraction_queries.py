"""The functions that a program calls to talk about its own extraction.

The front door marks them (`__graph_program_word__`), so that the extractor need not import it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from graph_program.extract.arguments.argument_specs import spec_from_annotation
from graph_program.extract.ir import results
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_annotations, host_operands, host_types
from graph_program.extract.stage.language.diagnosis.reveal import argument_text, revealed
from graph_program.extract.stage.machine.decisions import STEPS
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import MAX_UNROLL
from graph_program.extract.stage.numbers.host_numbers import object_of
from graph_program.extract.stage.operations.known_and_truth import settled, static, tensor
from graph_program.extract.stage.values.values import Host, Static, Tensor, Tuple, Value

Word = Callable[..., Value]


def call_word(m: Machine, function: Any, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """A call of a word; None for a function that is none."""
    word = WORDS.get(getattr(function, "__graph_program_word__", ""))
    if word is None:
        return None
    try:
        inspect.signature(function).bind(*args, **keywords)
    except TypeError as error:
        raise m.error("GP320", f"{function.__name__}() {error}") from None
    return word(m, *args, **keywords)


def to_host(m: Machine, x: Value) -> Value:
    """`to_host(x)`: the value, which the host has from here on; where no host code is, nothing is copied."""
    value = settled(m, x)
    if m.decided[STEPS] and m.is_captured_array(value):
        return host_code.given(m, results.CapturedResult(value.value), m.loc)
    return host_code.on_host(m, value) if m.decided[STEPS] and isinstance(value, Tensor) else x


def to_device(m: Machine, v: Value, type: Value | None = None) -> Value:
    """`to_device(v)`: the host value as a value of the graph, which needs its type."""
    value = settled(m, v)
    note = None if type is None else static(m, type, "the type given to to_device")
    there = object_of(m, value)
    if there is None:
        return v
    value = there if isinstance(value, Host) else replace(there, told=tensor(m, value))
    if value.told is not None and (note is None or _is_of(value.told, note)):
        return host_code.asked(m, value)
    found = host_types.typed(m, value, spec_from_annotation(note, m.hint or "value"))
    if isinstance(found, Host):
        raise host_operands.unknown_type(m, value, "argument")
    return found


def _is_of(value: Tensor, note: Any) -> bool:
    """Whether a value is known to have a type, whatever its sizes."""
    type_, known = host_annotations.tensor_type(note), value.type
    sizes = type_ is not None and [d.constant for d in type_.shape]
    same = type_ is not None and (type_.dtype, type_.kind, type_.rank) == (known.dtype, known.kind, known.rank)
    return same and sizes in ([d.constant for d in known.shape], [None] * known.rank)


def static_range(m: Machine, *bounds: Value) -> Value:
    """`static_range(...)`: a sequence that is gone through one by one."""
    given = [static(m, bound, "a bound of static_range") for bound in bounds]
    try:
        numbers = range(*given)
    except (TypeError, ValueError) as error:
        m.raise_(type(error), (str(error),))
    if len(numbers) > MAX_UNROLL:
        raise m.error(
            "GP358",
            f"static_range of {len(numbers)} rounds; a loop is unrolled up to {MAX_UNROLL}",
            hint="use range, which makes a loop of the graph",
        )
    return Tuple(tuple(Static(i) for i in numbers))


def reveal(m: Machine, x: Value) -> Value:
    """`reveal(x)`: the type found for a value, noted for `explain` and `check`."""
    value = settled(m, x)
    revealed(m, m.loc, argument_text(m.node_loc), value)
    return value


WORDS: dict[str, Word] = {
    "to_host": to_host,
    "to_device": to_device,
    "static_range": static_range,
    "reveal": reveal,
}
