"""Inputs that a run leaves changed, state and arguments: from which output the next run gets them.

self.count += 1      {"input": "self.count", "output": "self.count_out"}
self.count = 0       {"input": "self.count", "constant": ...}
self.last = x        {"input": "self.last", "from": "x"}

Arrays in the elements of a list come one behind the other, with their shapes; the next run takes them as one array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graph_program.onnx_program.classes import Classes
from graph_program.pages.arrays import written

Node = Mapping[str, Any]
Json = dict[str, Any]
Places = Mapping[str, Node]
"""What is at a place of the arguments or of the state, by the place as text."""


class Kept(Exception):
    """Something that a page cannot keep from one run to the next."""


def inputs_after(change: Node, places: Places, classes: Classes) -> list[Json]:
    """What a change leaves in which input; Kept where there are no words for it.

    `when` names an output that tells whether the change was made at all.
    """
    spec = places.get(place_text(change["path"]))
    if spec is None:
        raise Kept
    when = {"when": change["when"]} if "when" in change else {}
    return [{**one, **when} for one in _matched(spec, change["value"], places, classes)]


def place_text(path: Any) -> str:
    """A place as text: `settings.taps`, `pair[0]`, `d['k']`."""
    text = str(path[0])
    for step in path[1:]:
        text += step if isinstance(step, str) else f"[{_key_text(step)}]"
    return text


def _key_text(step: Any) -> str:
    if not isinstance(step, dict):
        return repr(step)
    return "..." if "row" in step else repr(step["key"])


def _matched(spec: Node, node: Node, places: Places, classes: Classes) -> Iterator[Json]:
    kind = node["kind"]
    if kind == "shared":
        yield from _matched(spec, node["value"], places, classes)
    elif kind == "argument":
        yield from _of_argument(spec, places.get(place_text(node["path"])))
    elif kind == "constant":
        yield from _of_constant(spec, classes.literal(node["value"]), classes)
    elif kind == "classed":
        yield from _matched(spec, node["number"], places, classes)
    elif spec["kind"] == "tensor" and kind == "output":
        yield from ({"input": i, "output": o} for i, o in zip(spec["inputs"], node["outputs"], strict=True))
    elif spec["kind"] == "tensor" and kind == "ragged":
        shapes = {"shapes": node["shapes"]}
        yield from ({"input": i, "output": o, **shapes} for i, o in zip(spec["inputs"], node["outputs"], strict=True))
    elif spec["kind"] == "rows" and kind == "rows" and not spec["offsets"]:
        yield from _matched(spec["element"], node["element"], places, classes)
    elif spec["kind"] == kind and kind in ("tuple", "list", "dict", "record"):
        if len(spec["items"]) != len(node["items"]):
            raise Kept
        for part, value in zip(spec["items"], node["items"], strict=True):
            inner = (part[1], value[1]) if kind in ("dict", "record") else (part, value)
            yield from _matched(*inner, places, classes)
    else:
        raise Kept


def _of_argument(spec: Node, other: Node | None) -> Iterator[Json]:
    if other is None or other["kind"] != "tensor" or spec["kind"] != "tensor":
        raise Kept
    yield from ({"input": i, "from": o} for i, o in zip(spec["inputs"], other["inputs"], strict=True) if i != o)


def _of_constant(spec: Node, value: Any, classes: Classes) -> Iterator[Json]:
    if spec["kind"] == "static" and classes.literal(spec["value"]) == value:
        return
    if spec["kind"] != "tensor" or len(spec["inputs"]) != 1:
        raise Kept
    yield {"input": spec["inputs"][0], "constant": written(value, spec["dtype"])}


__all__ = ["Kept", "inputs_after", "place_text"]
