"""Outputs that mean nothing in a run: they are read for results of another kind than the one that it has chosen.

{"kind": "choice", "case": "result.case", "options": [{...}, {...}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx

from graph_program.onnx_program.program import METADATA

OPTIONS = "options"
"""Where the description of a result has those that it may be."""


def description_of(model: onnx.ModelProto) -> Any:
    """What a model says of its function; None where none of its outputs are read for some results only."""
    said = next((entry.value for entry in model.metadata_props if entry.key == METADATA), "")
    return json.loads(said) if OPTIONS in said else None


def unread(description: Any, outputs: Mapping[str, Any]) -> frozenset[str]:
    """The names of outputs that mean nothing.

    Parameters
    ----------
    description : object
        As `description_of` gives it.
    outputs : mapping of str to array
        Those of a run that is right.
    """
    all_of_them = {*_read(description, outputs, chosen=False)}
    return frozenset(all_of_them - {*_read(description, outputs, chosen=True)})


def _read(description: Any, outputs: Mapping[str, Any], chosen: bool) -> Iterator[str]:
    """The names of outputs in a description; `chosen`: of its results of several kinds, the one that the run chose."""
    if isinstance(description, str):
        yield from [description] if description in outputs else []
    elif isinstance(description, list):
        for each in description:
            yield from _read(each, outputs, chosen)
    elif isinstance(description, dict):
        case = outputs.get(description.get("case", ""))
        if chosen and OPTIONS in description and case is not None and np.size(case) == 1:
            yield from (description["case"], *_read(description[OPTIONS][int(np.ravel(case)[0])], outputs, chosen))
        else:
            yield from _read([*description.values()], outputs, chosen)


__all__ = ["description_of", "unread"]
