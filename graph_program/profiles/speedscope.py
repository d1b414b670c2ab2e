"""A profile in the file format of speedscope: a flame graph of functions, lines and operations.

The format is described in https://www.speedscope.app/file-format-schema.json; of the two kinds of profiles this is the
sampled one, whose samples are stacks with weights.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

from graph_program.profiles.profile import Operation, Profile

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(profile: Profile) -> str:
    """The text of a file for https://www.speedscope.app."""
    frames: list[dict[str, Any]] = []
    numbers: dict[str, int] = {}
    samples: list[list[int]] = []
    weights: list[float] = []

    def number(frame: dict[str, Any]) -> int:
        key = json.dumps(frame, sort_keys=True)
        if key not in numbers:
            numbers[key] = len(frames)
            frames.append(frame)
        return numbers[key]

    order = {line: i for i, line in enumerate((line.file, line.function, line.line) for line in profile.lines)}
    operations = [(_place(operation, order), operation) for operation in profile.operations]
    for _, operation in sorted(operations, key=lambda pair: pair[0]):
        samples.append([number(frame) for frame in _frames(profile, operation)])
        weights.append(operation.seconds * 1e6)
    samples.append([number({"name": profile.name}), number({"name": "between operations"})])
    weights.append(profile.between * 1e6)
    sampled = {
        "type": "sampled",
        "name": profile.name,
        "unit": "microseconds",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
    content = {
        "$schema": SCHEMA,
        "shared": {"frames": frames},
        "profiles": [sampled],
        "name": profile.name,
        "activeProfileIndex": 0,
        "exporter": "graph-program",
    }
    return json.dumps(content)


def _place(operation: Operation, order: dict[tuple[str, str, int], int]) -> tuple[int, ...]:
    """Sorts operations by their lines."""
    if not operation.stack:
        return (len(order),)
    first = operation.stack[0]
    return (order[first.file, first.function, first.line], *(frame.line for frame in operation.stack[1:]))


def _frames(profile: Profile, operation: Operation) -> list[dict[str, Any]]:
    lines = [
        {"name": f"{frame.function or PurePath(frame.file).name}:{frame.line}", "file": frame.file, "line": frame.line}
        for frame in operation.stack
    ]
    return [{"name": profile.name}, *lines, {"name": operation.operator}]


__all__ = ["speedscope"]
