"""`d.keys()`, `d.values()` and `d.items()`: what they show is what the dict holds now; keys and items are sets.

params.keys() == grads.keys()       True in whatever order: decided at extraction, as keys are known
d.items() - e.items()               on the host, where values are computed
np.stack(d.values())                refused: NumPy wants a list
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import attributes, items, iteration, known_and_truth, operators
from graph_program.extract.stage.operations.objects import no_attribute, python_class
from graph_program.extract.stage.operations.operator_slots import binary_of, comparison_of
from graph_program.extract.stage.operations.static_evaluation import OPAQUE, call_now, known_objects, python_object
from graph_program.extract.stage.paths.sample_operands import refuse_misfit
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    DictView,
    Host,
    MadeSet,
    Ref,
    Row,
    Static,
    Text,
    Tuple,
    Value,
)

METHODS: dict[str, Callable[[Any], Any]] = {"keys": dict.keys, "values": dict.values, "items": dict.items}


python_class.register(DictView, lambda m, value: class_of(value))


def class_of(value: DictView) -> type:
    """The Python class of a view."""
    return type(METHODS[value.kind]({}))


@iteration.length.of(DictView)
def length(m: Machine, value: DictView) -> Static:
    """How much the dict holds now."""
    ref = value.dictionary
    return Static(len(known_and_truth.contents_of(m, ref, ordered=False) if isinstance(ref, Ref) else value.elts))


known_and_truth.truth.register(DictView, lambda m, value: Static(length(m, value).value > 0))


def on_host(m: Machine, value: DictView) -> Host:
    """A view as one of the host's, of a copy of the dict."""
    return host_entries.call(m, Static(METHODS[value.kind]), [value.dictionary], {}, f"{value.kind}()")


def _on_host(m: Machine, *values: Value) -> list[Value]:
    return [on_host(m, v) if isinstance(v, DictView) else v for v in values]


@binary_of.of(DictView)
def binary(m: Machine, one: DictView, op: str, a: Value, b: Value) -> Value:
    """`a op b` where one is a view: a set, which is known where keys are."""
    known = known_objects(m, (a, b))
    if known is not None:
        return new_set(m, call_now(m, arithmetic.BINARY[op][0], known))
    refuse_misfit(m, arithmetic.BINARY[op][0], a, b)
    return host_entries.step(m, "binary", *_on_host(m, a, b), detail=op, text=f"... {op} ...")


def new_set(m: Machine, contents: set[Any]) -> Value:
    """A set of the program's."""
    if host_containers.is_made_on_host(m):
        return host_entries.made_set(m, set, [Tuple(tuple(map(Static, contents)))])
    return MadeSet(contents, loc=m.loc)


@comparison_of.of(DictView)
def comparison(m: Machine, one: DictView, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` where one is a view; None where it compares as any other container."""
    if op in ("in", "not in", "is", "is not"):
        return None
    if op in ("==", "!=") and (_is_values(a) or _is_values(b)):
        return Static((a is b) is (op == "=="))
    known = known_objects(m, (a, b))
    if known is not None:
        return Static(call_now(m, arithmetic.COMPARE[op][0], known))
    refuse_misfit(m, arithmetic.COMPARE[op][0], a, b)
    if op in ("==", "!="):
        other = b if a is one else a
        if isinstance(other, DictView) and other.kind == one.kind:
            return operators.comparison(m, op, one.dictionary, other.dictionary)
        if isinstance(other, Ref | Row | Text | Tuple) and not isinstance(other, DictView):
            return Static(op == "!=")
    return host_entries.step(m, "compare", *_on_host(m, a, b), detail=op, text=f"... {op} ...")


@items.item.of(DictView)
def _item(m: Machine, value: DictView, key: Value) -> Value:
    text = f"'dict_{value.kind}' object is not subscriptable"
    raise m.error("GP302", text, hint=f"list(d.{value.kind}())[...]", raised=True)


@attributes.attribute.of(DictView)
def attribute(m: Machine, value: DictView, name: str) -> Value:
    """A method of a view, of which `isdisjoint` is the only one that is not a word of the language."""
    cls = class_of(value)
    if name == "__class__":
        return Static(cls)
    if not hasattr(cls, name):
        raise no_attribute(m, cls, name)
    if name == "mapping":
        raise m.error("GP321", "the mapping of a view of a dict has no graph form", hint="use the dict itself")
    known = python_object(m, value)
    return attributes.attribute(m, on_host(m, value), name) if known is OPAQUE else ArrayMethod(value, name)


def _is_values(value: Value) -> bool:
    return isinstance(value, DictView) and value.kind == "values"
