"""The exceptions of a program, by the number that its model gives in the output `error`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from graph_program.onnx_program.classes import Classes, is_stand_in, make_record, with_contents
from graph_program.onnx_program.results import Outputs, as_python, formatted

RAISED_AT = "raised at "
Make = Callable[[Sequence[Any]], Any]


class Failure:
    """One place of the program that raises.

    `values` are what its message has of the run: pairs of an output and its type.
    """

    def __init__(self, node: Mapping[str, Any], classes: Classes):
        self.values = [(str(name), _value(type_)) for name, type_ in node["values"]]
        self.source = str(node["source"])
        self.make = _exception(node["exception"], classes)

    def fail(self, outputs: Outputs) -> NoReturn:
        """Raise the exception, as the program would have."""
        error = self.make([read(outputs[name]) for name, read in self.values])
        if self.source:
            error.add_note(RAISED_AT + self.source)
        raise error


def _value(type_: Mapping[str, Any]) -> Callable[[Any], Any]:
    if "rows" in type_:
        cls, element = {"list": list, "tuple": tuple}[type_["rows"]], _value(type_["element"])
        return lambda array: cls(map(element, array))
    name, dtype = str(type_["class"]), np.dtype(type_["dtype"])
    return lambda array: as_python(array, name, dtype)


def _exception(node: Mapping[str, Any], classes: Classes) -> Make:
    cls = classes.find(node["class"])
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise TypeError(f"{node['class']} is no class of exceptions")
    is_told = "own" in node and is_stand_in(cls)
    make_error = _made_here(node["own"], cls, classes) if is_told else _made(node, cls, classes)
    context = _exception(node["context"], classes) if "context" in node else None
    has_cause, told = "cause" in node, node.get("cause")
    cause = _exception(told, classes) if isinstance(told, dict) else None

    def make(values: Sequence[Any]) -> BaseException:
        error: BaseException = make_error(values)
        error.__context__ = context(values) if context else None
        if has_cause:
            error.__cause__ = error.__context__ if told == "context" else cause(values) if cause else None
        return error

    return make


def _made(node: Mapping[str, Any], cls: Any, classes: Classes) -> Make:
    args, keywords = _exception_arguments(node["args"], classes), _named_arguments(node["keywords"], classes)
    return lambda values: cls(*args(values), **keywords(values))


def _made_here(own: Mapping[str, Any], cls: Any, classes: Classes) -> Make:
    """What stands in for an exception whose class has code of its own, which is done by now."""
    args, fields = _exception_arguments(own["args"], classes), _named_arguments(own["fields"], classes)
    text = _exception_argument(own["text"], classes) if "text" in own else None
    return lambda values: with_contents(cls, args(values), fields(values), text and text(values))


def _exception_arguments(nodes: Sequence[Any], classes: Classes) -> Make:
    found = [_exception_argument(node, classes) for node in nodes]
    return lambda values: [argument(values) for argument in found]


def _named_arguments(nodes: Sequence[Any], classes: Classes) -> Make:
    found = [(str(name), _exception_argument(node, classes)) for name, node in nodes]
    return lambda values: {name: argument(values) for name, argument in found}


def _exception_argument(node: Mapping[str, Any], classes: Classes) -> Make:
    return KINDS_OF_EXCEPTION_ARGUMENTS[node["kind"]](node, classes)


def _text_argument(node: Mapping[str, Any], classes: Classes) -> Make:
    pieces = [p if isinstance(p, str) else (int(p[0]), str(p[1]), str(p[2])) for p in node["pieces"]]
    return lambda values: "".join(p if isinstance(p, str) else formatted(values[p[0]], *p[1:]) for p in pieces)


def _value_argument(node: Mapping[str, Any], classes: Classes) -> Make:
    number = int(node["number"])
    return lambda values: values[number]


def _constant_argument(node: Mapping[str, Any], classes: Classes) -> Make:
    value = classes.literal(node["value"])
    return lambda values: value


def _sequence_argument(node: Mapping[str, Any], classes: Classes) -> Make:
    cls, items = {"list": list, "tuple": tuple}[node["class"]], _exception_arguments(node["items"], classes)
    return lambda values: cls(items(values))


def _object_argument(node: Mapping[str, Any], classes: Classes) -> Make:
    cls, items = classes.find(node["class"]), _named_arguments(node["items"], classes)
    return lambda values: make_record(cls, items(values))


KINDS_OF_EXCEPTION_ARGUMENTS: dict[str, Callable[[Mapping[str, Any], Classes], Make]] = {
    "text": _text_argument,
    "value": _value_argument,
    "constant": _constant_argument,
    "sequence": _sequence_argument,
    "object": _object_argument,
}
