"""Targets that were read of: their operators, element types and limits, from files that say which document has them.

An operator that a document does not list is refused, or done by the CPU in the same run where `rest` names the target
that does it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graph_program.targets.limits import Limits
from graph_program.targets.verdicts import ELSEWHERE, LISTED, PARTLY, REFUSED, RIGHT

DOCUMENTED = Path(__file__).with_name("documented")
Operators = Mapping[str, Mapping[str, str]]
"""Verdicts by operator and element type."""


def read(path: Path, probed: Mapping[str, Operators]) -> dict[str, Any]:
    """The fields of `Support` for a target that was read of.

    Parameters
    ----------
    path : pathlib.Path
        A file of `documented`.
    probed : mapping of str to Operators
        The tables of targets that were probed: what was asked there is told of here, too.
    """
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    limits = {name: said[name] for name in Limits.__dataclass_fields__ if name in said}
    rest = said.get("rest", "")
    fields = ("runtime", "version", "document")
    return {name: said[name] for name in fields} | {
        "portable": said.get("portable", False),
        "operators": _operators(_listed(said), probed, probed.get(rest)),
        "forms": said.get("forms", {}),
        "rest": rest,
        "limits": Limits(**limits),
    }


def _listed(said: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """The element types of each operator, and those that are computed in one of them."""
    computed_in = said.get("computed_in", {})
    found: dict[str, Sequence[str]] = {}
    for group in said["operators"]:
        types = [*group["types"], *(dtype for dtype, other in computed_in.items() if other in group["types"])]
        found |= dict.fromkeys(group["names"], types)
    return found


def _operators(
    listed: Mapping[str, Sequence[str]], probed: Mapping[str, Operators], rest: Operators | None
) -> dict[str, dict[str, str]]:
    """A verdict for all types that are listed, and for all that were asked elsewhere."""
    asked: dict[str, set[str]] = {operator: set(types) for operator, types in listed.items()}
    for table in probed.values():
        for operator, types in table.items():
            asked.setdefault(operator, set()).update(types)
    return {
        operator: {
            dtype: LISTED if _is_listed(dtype, listed.get(operator)) else _elsewhere(operator, dtype, rest)
            for dtype in sorted(types)
        }
        for operator, types in sorted(asked.items())
    }


def _is_listed(dtype: str, types: Sequence[str] | None) -> bool:
    """Whether a type is; an operator without inputs has none."""
    return types is not None and (not dtype or dtype in types)


def _elsewhere(operator: str, dtype: str, rest: Operators | None) -> str:
    if rest is None:
        return REFUSED
    found = rest.get(operator, {}).get(dtype, RIGHT)
    return ELSEWHERE if found in (RIGHT, PARTLY) else found


__all__ = ["DOCUMENTED", "read"]
