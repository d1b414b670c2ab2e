"""Runs a program that was cut into segments at its host steps; needs NumPy, and onnxruntime for models in a folder.

    driver = Driver.load("folder", steps)
    *outputs, objects = driver.run({"x": x}, [])

`steps` are functions `step(objects, values) -> (new objects, told values)`.  The state is a dict of arrays by the names
of variables.  After each segment, its output `next` tells what comes next: 0 is the end, k the step in
`manifest["steps"][k - 1]` and then segment k.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.backends.host.object_table import Objects, ObjectTable
from graph_program.backends.onnxruntime.session import inference_session


class Driver:
    """A program of segments.

    Parameters
    ----------
    manifest : mapping
        `segments`, `steps`, `results` and `types` as in manifest.json.
    steps : sequence of callable
        What runs each step.
    session : callable
        Given the number of a segment, what runs its model: `run(feed) -> outputs in order`.
    """

    def __init__(self, manifest: Mapping[str, Any], steps: Sequence[Callable[..., Any]], session: Callable[[int], Any]):
        self.manifest = manifest
        self.steps = steps
        self._session = session
        self._sessions: dict[int, Any] = {}

    @classmethod
    def load(cls, folder: str, steps: Sequence[Callable[..., Any]]) -> Driver:
        """The program in a folder."""
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)

        def session(number: int) -> Any:
            path = os.path.join(folder, manifest["segments"][number]["model"])
            run = inference_session(path, lambda options: None, ["CPUExecutionProvider"]).run
            return lambda feed: run(None, feed)

        return cls(manifest, steps, session)

    def run(self, feed: Mapping[str, Any], given: Sequence[Any] = ()) -> list[Any]:
        """One call: the outputs, then the objects on the host by number.

        Parameters
        ----------
        feed : mapping of str to ndarray
            The program's inputs.
        given : sequence
            The objects that the host has when the call begins.
        """
        state = dict(feed)
        objects = ObjectTable(given)
        last = following = 0
        while True:
            following = self._segment(following, state)
            if following == 0:
                return [*self._results(state, feed), objects]
            last = self._step(self.manifest["steps"][following - 1], state, objects, last)

    def _segment(self, number: int, state: dict[str, Any]) -> int:
        """Run a segment; what comes next."""
        segment = self.manifest["segments"][number]
        if segment["model"] is None:
            return int(segment["next"])
        if number not in self._sessions:
            self._sessions[number] = self._session(number)
        feed = {name: self._value(variable, state) for name, variable in segment["inputs"]}
        following, *values = self._sessions[number](feed)
        state.update(zip(segment["outputs"], values, strict=True))
        return int(following)

    def _step(self, step: Mapping[str, Any], state: dict[str, Any], objects: ObjectTable, last: int) -> int:
        """Have a step done; the number of the last object that there is now."""
        sent = [_copy(self._value(operand, state)) for operand in step["sends"]]
        objects.drop(step["over"])
        read = Objects([objects[int(self._value(operand, state))] for operand in step["objects"]], objects)
        made, told = self.steps[step["step"]](read, sent)
        kept = [int(self._value(operand, state)) for operand in step["keeps"]]
        objects.put(made, last, step["groups"], step["ends"], kept)
        for name in step["makes"]:
            last += 1
            state[name] = np.array(last, np.int64)
        for name, value in zip(step["tells"], told, strict=True):
            state[name] = np.asarray(value, self.manifest["types"][name][0])
        del made  # an exception among them leads to this frame
        return last

    def _results(self, state: Mapping[str, Any], feed: Mapping[str, Any]) -> list[Any]:
        """The outputs, each an array of its own."""
        taken = set(map(id, feed.values()))
        found = []
        for operand in self.manifest["results"]:
            value = self._value(operand, state)
            found.append(np.array(value) if id(value) in taken else value)
            taken.add(id(value))
        return found

    def _value(self, operand: Any, state: Mapping[str, Any]) -> Any:
        """A variable or constant; zeros for a variable that no path has set, whose value does not matter."""
        if not isinstance(operand, str):
            return np.array(operand["value"], operand["type"][0]).reshape(operand["type"][1])
        if operand not in state:
            dtype, shape = self.manifest["types"][operand]
            return np.zeros([size or 0 for size in shape], dtype)
        return state[operand]


def _copy(value: Any) -> Any:
    """The host may keep what it gets, but not change it."""
    copy = np.array(value)
    copy.flags.writeable = False
    return copy
