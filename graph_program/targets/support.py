"""What runtimes make of ONNX's operators, as they were probed: a table for each, in `probed`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROBED = Path(__file__).with_name("probed")
RIGHT, PARTLY, WRONG, REFUSED = "right", "partly", "wrong", "refused"
VERDICTS = (RIGHT, PARTLY, WRONG, REFUSED)
"""`partly`: some of the cases of an operator and an element type are wrong or refused, and some are right."""


@dataclass(frozen=True)
class Support:
    """What one runtime makes of operators.

    Attributes
    ----------
    runtime, version : str
    portable : bool
        Whether it gets the portable form of programs.
    operators : mapping of str to mapping of str to str
        By operator and by the element type of its first input, one of `VERDICTS`.
    """

    runtime: str
    version: str
    portable: bool
    operators: Mapping[str, Mapping[str, str]]

    def verdict(self, operator: str, dtype: str | None) -> str | None:
        """What becomes of an operator on elements of a type; None where that was not probed."""
        found = self.operators.get(operator)
        if found is None:
            return None
        if dtype in found:
            return found[dtype or ""]
        return self.overall(operator) if set(found.values()) <= {REFUSED} else None

    def overall(self, operator: str) -> str | None:
        """The same for all types that were probed."""
        found = set(self.operators.get(operator, {}).values())
        return None if not found else found.pop() if len(found) == 1 else PARTLY


@cache
def targets() -> Mapping[str, Support]:
    """The runtimes that have been probed, by name."""
    found = {}
    for path in sorted(PROBED.glob("*.json")):
        said = json.loads(path.read_text(encoding="utf-8"))
        found[said["runtime"]] = Support(said["runtime"], said["version"], said["portable"], said["operators"])
    return found


__all__ = ["PARTLY", "PROBED", "REFUSED", "RIGHT", "VERDICTS", "WRONG", "Support", "targets"]
