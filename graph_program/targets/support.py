"""What runtimes make of ONNX's operators, as they were probed: a table for each, in `probed`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from graph_program.backends.onnx.avoided import Avoided

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
    known, given : mapping of str to mapping of str to str
        The same of operators whose sizes, axes and the like may be inputs: where these are constants, or follow from
        sizes of arguments, and where only a run knows them.
    forms : mapping of str to str
        By the name of a way to use operators, as `verification/forms` has them.
    """

    runtime: str
    version: str
    portable: bool
    operators: Mapping[str, Mapping[str, str]]
    known: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)

    @property
    def avoided(self) -> Avoided:
        """The operators, each with an element type, and the forms that it does not take or gets wrong."""
        each = ((operator, dtype, v) for operator, found in self.operators.items() for dtype, v in found.items())
        operators = frozenset((operator, dtype) for operator, dtype, verdict in each if verdict in (REFUSED, WRONG))
        return Avoided(operators, frozenset(form for form, verdict in self.forms.items() if verdict != RIGHT))

    def verdict(self, operator: str, dtype: str | None, known: bool | None = None) -> str | None:
        """What becomes of an operator on elements of a type; None where that was not probed.

        Parameters
        ----------
        operator : str
        dtype : str, optional
            Of the first input.
        known : bool, optional
            Whether all other inputs are known before a run, for what may make a difference there.
        """
        apart = {} if known is None else (self.known if known else self.given).get(operator, {})
        if dtype in apart:
            return apart[dtype or ""]
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
        found[said["runtime"]] = Support(**{name: said[name] for name in Support.__dataclass_fields__})
    return found


__all__ = ["PARTLY", "PROBED", "REFUSED", "RIGHT", "VERDICTS", "WRONG", "Support", "targets"]
