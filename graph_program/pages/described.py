"""What the scripts of a page need to know of a program: its fields, state, changes, results and errors.

All of it comes from the description that travels in the model (`graph_program.exports.description`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.onnx_program.classes import Classes, Unknown
from graph_program.onnx_program.parameters import StateObject, parameter
from graph_program.onnx_program.places import Call
from graph_program.onnx_program.told import CallError, UnsupportedError
from graph_program.pages.arrays import plain_floats, written
from graph_program.pages.carried import Kept, inputs_after, place_text
from graph_program.pages.fields import control, is_rate
from graph_program.pages.options import RESULTS, require_name, split

Node = Mapping[str, Any]
Json = dict[str, Any]
LARGEST = 2**22
"""Bytes of an example that is put into a page."""
TYPES = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)) | {
    "bool",
    "float16",
    "float32",
    "float64",
}
"""Types of elements that JavaScript has."""


class Described:
    """A program as its page has it.

    Parameters
    ----------
    described : mapping
        The description of the model.
    inputs : sequence of str
        The inputs that the model has.
    show : mapping
        As in `Page`.
    loc : Loc
        The program's place, for messages.
    """

    def __init__(self, described: Node, inputs: Sequence[str], show: Mapping[str, str], loc: Loc):
        self.described: Node = _with_fields(described, described["classes"])
        self.inputs, self.show, self.loc = inputs, show, loc
        self.classes = Classes(described["classes"], {})
        self.places = dict(self._all_places())
        self.columns: list[Json] = []
        self.controls: list[Json] = []

    def json(self, examples: Mapping[str, Any], values: Mapping[str, Any]) -> Json:
        """All of it; `examples` are arrays for inputs, `values` those of parameters that have no example.

        Raises
        ------
        ExportError
            GP550 for what a page cannot show.
        ProgramValueError
            GP515 for a view of what there is not.
        """
        described = self.described
        parameters = [self._section(str(name), node) for name, node in described["parameters"]]
        state = [*self._state()]
        self._require_all([one["input"] for one in state])
        self._set_initial(examples, values)
        self._join_rates()
        changed = self._written()
        found = {
            "name": described["name"],
            "bounds": described["dims"],
            "parameters": [one for one in parameters if one["fixed"] or one["controls"]],
            "columns": self.columns,
            "state": state,
            "sized": [self._sized(one) for one in state],
            "written": changed,
            "carried": self._carried(),
            "objects": [{key: one[key] for key in ("path", "class", "initial")} for one in described["state"]],
            "places": [{"path": path, "spec": node} for path, node in self._paths()],
            "result": described["result"],
            "error": described["error"],
            "errors": described["errors"],
            "bases": {key: about["bases"] for key, about in described["classes"].items() if "bases" in about},
            "show": self._shown_results(changed),
            "plain": {name: most for name, most in plain_floats().items() if np.isfinite(most)},
        }
        told: Json = _with_texts(found, self.classes)
        return told

    # what goes in

    def _section(self, name: str, node: Node) -> Json:
        fixed, controls = list[Json](), list[Json]()
        self._walk([name], node, [], fixed, controls)
        self.controls += controls
        return {"title": name, "fixed": fixed, "controls": controls}

    def _walk(self, path: list[Any], node: Node, length: list[Any], fixed: list[Json], controls: list[Json]) -> None:
        """A part of a parameter: what it fixes, and its controls. In a list, its elements are one array."""
        label = place_text(path)
        if node["kind"] == "static":
            value = self.classes.literal(node["value"])
            fixed.append({"label": label, "value": None if _is_named(value) else f"{value!r:.200}"})
        elif node["kind"] == "tensor":
            controls += self._of_tensor(label, node, length)
        elif node["kind"] == "rows":
            if length or node["offsets"]:
                self._refuse(f"parameter {label.partition('[...]')[0]} has lists of any length in a list")
            before = len(controls)
            self._walk([*path, {"row": True}], node["element"], [node["length"]], fixed, controls)
            self.columns.append({"label": label, "inputs": [one["input"] for one in controls[before:]]})
        for step, part in parts(node):
            self._walk([*path, step], part, length, fixed, controls)

    def _of_tensor(self, label: str, node: Node, length: list[Any]) -> Iterator[Json]:
        for part, name in zip((".real", ".imag"), node["inputs"], strict=False):
            if name not in self.inputs:
                continue
            halved = len(node["inputs"]) == 2
            own = {**node, "dtype": _part_dtype(node["dtype"]), "shape": [*length, *node["shape"]]}
            if own["dtype"] not in TYPES:
                self._refuse(f"parameter {label} is {node['text']}, which browsers do not have")
            shown = label.replace("[...]", "") + (part if halved else "")
            asked = self.show.get(shown, self.show.get(name))
            if length:
                own["text"] = f"a list with {node['text']} in its elements"
            found = control(shown, own, asked, self.loc)
            yield {**_kept(own, "dtype", "class", "shape", "text"), "label": shown, "input": name, **found}

    def _require_all(self, state: list[str]) -> None:
        """Refuse inputs that the page does not feed."""
        known = {one["input"] for one in self.controls} | {*state}
        captured = {str(name) for name, *_ in self.described["captured"]}
        for name in self.inputs:
            if name in captured:
                self._refuse(f"the captured array {name} is an input", "leave `freeze` as it is")
            if name not in known:
                self._refuse(f"the input {name} has no field")

    def _set_initial(self, examples: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """What fields hold at first: an example, else the default."""
        call = Call(dict.fromkeys(self.inputs))
        defaults = {
            p["name"]: self.classes.literal(p["default"]) for p in self.described["signature"] if "default" in p
        }
        for name, node in self.described["parameters"]:
            if name in defaults or name in values:
                with suppress(CallError, UnsupportedError):  # a default of another kind is no default here
                    parameter(node, (name,), self.classes).read(values.get(name, defaults.get(name)), call)
        for one in self.controls:
            found = examples.get(one["input"], call.feed.get(one["input"]))
            if found is not None and found.nbytes <= LARGEST:
                one["initial"] = written(found)

    def _join_rates(self) -> None:
        """A number that is called `rate` is the rate of the sound."""
        rate = next((one for one in self.controls if one["control"] == "number" and is_rate(one["label"])), None)
        for one in self.controls:
            if rate is not None and one["control"] == "audio" and not one["options"]:
                one["options"] = {"rate_input": rate["input"]}
                rate.setdefault("initial", written(16000, rate["dtype"]))

    # state and changes

    def _state(self) -> Iterator[Json]:
        objects = [StateObject(node, self.classes) for node in self.described["state"]]
        state: dict[str, Any] = {}
        for one in objects:
            one.make(state)
        call = Call(dict.fromkeys(self.inputs))
        call.places.update({one.path: one.held(state) for one in objects})
        for one in objects:
            one.join(state, call)
        for one in objects:
            one.read(state, call)
        for path, node in self._paths():
            for name in node.get("inputs", ()) if node["kind"] == "tensor" else ():
                if name in call.feed:
                    label = place_text(path).replace("[...]", "")
                    yield {"input": name, "label": label, "initial": written(call.feed[name])}

    def _sized(self, state: Json) -> Json:
        """The sizes that an array of the state has to have, for the check that they go together."""
        node = next(one for one in self.places.values() if state["input"] in one.get("inputs", ()))
        rank = len(state["initial"]["shape"])
        shape = node["shape"] if len(node["shape"]) == rank else []
        return {"input": state["input"], "label": state["label"], "text": node["text"], "shape": shape}

    def _carried(self) -> list[Json]:
        """From which outputs the state of the next run comes."""
        found = list[Json]()
        for change in self.described["changes"]:
            if not self._is_argument(change):
                try:
                    found += inputs_after(change, self.places, self.classes)
                except Kept:
                    self._refuse(f"what a call leaves in {place_text(change['path'])} cannot be kept for the next one")
        return [one for one in found if one["input"] in self.inputs]

    def _written(self) -> list[Json]:
        """What becomes of arguments that the program writes: as results, and as inputs where these say all of it."""
        found = []
        for change in filter(self._is_argument, self.described["changes"]):
            inputs: list[Json] | None = None
            with suppress(Kept):
                inputs = [one for one in inputs_after(change, self.places, self.classes) if one["input"] in self.inputs]
            if inputs is not None and any("shapes" in one for one in inputs):
                inputs = None  # arrays of several sizes may have come into the list
            kept = {key: change[key] for key in ("path", "value", "when") if key in change}
            found.append({**kept, "label": place_text(change["path"]), "inputs": inputs})
        return found

    def _is_argument(self, change: Node) -> bool:
        return any(name == change["path"][0] for name, _ in self.described["parameters"])

    # places and results

    def _paths(self) -> Iterator[tuple[list[Any], Node]]:
        for name, node in self.described["parameters"]:
            yield from _places_in([name], node)
        for one in self.described["state"]:
            for name, node in one["attributes"]:
                yield from _places_in([*one["path"], f".{name}"], node)

    def _all_places(self) -> Iterator[tuple[str, Node]]:
        yield from ((place_text(path), node) for path, node in self._paths())

    def _shown_results(self, changed: Sequence[Json]) -> dict[str, str]:
        labels = dict.fromkeys(labels_of(self.described["result"], "result", self.classes))
        for one in changed:
            labels |= dict.fromkeys(labels_of(one["value"], f"{one['label']} afterwards", self.classes))
        inputs = dict.fromkeys(name for one in self.controls for name in (one["label"], one["input"]))
        for name in self.show:
            require_name(name, inputs | labels, self.loc)
        found = {name: asked for name, asked in self.show.items() if name in labels and name not in inputs}
        for name, asked in found.items():
            split(name, asked, RESULTS, self.loc)
        return found

    def _refuse(self, what: str, hint: str = "") -> NoReturn:
        raise ExportError(Diagnostic("GP550", f"no page can be made: {what}", self.loc, hint=hint))


def parts(node: Node) -> Iterator[tuple[Any, Node]]:
    """The parts of a tuple, list, dict or object, each with the step to it."""
    if node["kind"] in ("tuple", "list"):
        steps = [f".{name}" for name in node["fields"]] if "fields" in node else range(len(node["items"]))
        yield from zip(steps, node["items"], strict=True)
    elif node["kind"] == "dict":
        yield from (({"key": key}, part) for key, part in node["items"])
    elif node["kind"] == "record":
        yield from ((f".{name}", part) for name, part in node["items"])


def _places_in(path: list[Any], node: Node) -> Iterator[tuple[list[Any], Node]]:
    yield path, node
    inner = [({"row": True}, node["element"])] if node["kind"] == "rows" else parts(node)
    for step, part in inner:
        yield from _places_in([*path, step], part)


def labels_of(node: Node, label: str, classes: Classes) -> Iterator[str]:
    """The names of a result and of its parts."""
    yield label
    if node["kind"] in ("tuple", "list"):
        steps = [f".{name}" for name in node.get("fields", ())] or [f"[{i}]" for i in range(len(node["items"]))]
        for step, part in zip(steps, node["items"], strict=True):
            yield from labels_of(part, label + step, classes)
    for key, part in node.get("items", ()) if node["kind"] in ("dict", "record") else ():
        step = f"[{classes.literal(key)!r}]" if node["kind"] == "dict" else f".{key}"
        yield from labels_of(part, label + step, classes)
    for part in (node.get("value"), *node.get("options", ())) if node["kind"] != "constant" else ():
        if part is not None:
            yield from labels_of(part, label, classes)


def _with_texts(data: Any, classes: Classes) -> Any:
    """Values for the scripts, in which members of enums are what `str` and `repr` give of them."""
    if isinstance(data, list):
        return [_with_texts(one, classes) for one in data]
    if not isinstance(data, dict):
        return data
    if data.keys() <= {"member", "flags"} and data:
        value = classes.literal(data)
        return {"told": [str(value), repr(value)]}
    return {key: _with_texts(value, classes) for key, value in data.items()}


def _is_named(value: Any) -> bool:
    """Whether a fixed value is something that Python only knows by name: a function, a class, a network."""
    return isinstance(value, Unknown) or callable(value)


def _with_fields(data: Any, classes: Node) -> Any:
    """A description in which named tuples have the names of their fields."""
    if isinstance(data, list):
        return [_with_fields(one, classes) for one in data]
    if not isinstance(data, dict):
        return data
    found = {key: _with_fields(value, classes) for key, value in data.items()}
    named = classes.get(data["class"], {}) if data.get("kind") == "tuple" and "class" in data else {}
    return {**({"fields": named["fields"]} if "fields" in named else {}), **found}


def _part_dtype(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def _kept(node: Node, *names: str) -> Json:
    return {name: node[name] for name in names}


__all__ = ["Described"]
