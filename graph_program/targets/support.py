"""What runtimes make of ONNX's operators: a table for each, as it was probed, or as its documentation says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from graph_program.backends.onnx.avoided import EMPTY, Avoided
from graph_program.targets import documented
from graph_program.targets.limits import NO_LIMITS, Limits
from graph_program.targets.verdicts import ELSEWHERE, PARTLY, REFUSED, RIGHT, VERDICTS, WRONG

PROBED = Path(__file__).with_name("probed")
FIELDS = ("runtime", "version", "portable", "closed", "operators", "known", "given", "forms")
"""What the file of a target that was probed has."""
UNDER_OTHER_NAMES = frozenset(["Cast", "CastLike"])
"""Operators that are probed by the type that they give."""


@dataclass(frozen=True)
class Support:
    """What one runtime makes of operators.

    Attributes
    ----------
    runtime, version : str
    portable : bool
        Whether it gets the portable form of programs.
    closed : bool
        Whether operators that were not probed are refused, as the runtime is not known to have what onnxruntime has.
    operators : mapping of str to mapping of str to str
        By operator and by the element type of its first input, one of `VERDICTS`.
    known, given : mapping of str to mapping of str to str
        The same of operators whose sizes, axes and the like may be inputs: where these are constants, or follow from
        sizes of arguments, and where only a run knows them.
    forms : mapping of str to str
        By the name of a way to use operators, as `verification/forms` has them.
    document : str
        Where it was read what is said here; empty where it was probed.
    rest : str
        The target that does in the same run what this one does not take; empty where that is refused.
    limits : Limits
        What is said of operators beside their element types.
    """

    runtime: str
    version: str
    portable: bool
    operators: Mapping[str, Mapping[str, str]]
    known: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)
    document: str = ""
    rest: str = ""
    limits: Limits = NO_LIMITS
    closed: bool = False

    @property
    def source(self) -> str:
        """Where what is said here comes from, as words behind a comma."""
        if self.document:
            return f"as its documentation ({self.version}) says"
        return f"as version {self.version} was probed"

    @property
    def needs_elements(self) -> bool:
        """Whether it ends, or gives something else, where an array has no elements."""
        return self.forms.get(EMPTY, RIGHT) != RIGHT

    @property
    def avoided(self) -> Avoided:
        """The operators, each with an element type, and the forms that it does not take or gets wrong."""
        more = {dtype for types in self.operators.values() for dtype in types} if self.document else set()
        pairs = ((name, dtype) for name, types in self.operators.items() for dtype in more or types)
        operators = frozenset(pair for pair in pairs if self.verdict(*pair) in (REFUSED, WRONG))
        return Avoided(operators, frozenset(form for form, verdict in self.forms.items() if verdict != RIGHT))

    def verdict(self, operator: str, dtype: str | None, known: bool | None = None) -> str | None:
        """What becomes of an operator on elements of a type; None where that was not probed, nor read of.

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
        if found is not None and dtype in found:
            return found[dtype or ""]
        if self.document and (found is None or dtype):  # what is not listed
            return ELSEWHERE if self.rest else REFUSED
        return self.overall(operator) if found and set(found.values()) <= {REFUSED} else None

    def is_unknown(self, operator: str) -> bool:
        """Whether an operator was not probed, and neither it nor its domain is known to be there."""
        if self.document or operator in self.operators or operator in UNDER_OTHER_NAMES:
            return False
        domain = operator.rpartition(".")[0]
        others = [set(types.values()) for name, types in self.operators.items() if name.rpartition(".")[0] == domain]
        return self.closed or bool(domain and others and all(found == {REFUSED} for found in others))

    def overall(self, operator: str) -> str | None:
        """The same for all types that were probed."""
        found = set(self.operators.get(operator, {}).values())
        return None if not found else found.pop() if len(found) == 1 else PARTLY


@cache
def targets() -> Mapping[str, Support]:
    """The runtimes that have been probed, and then those that were read of, by name."""
    found = {}
    for path in sorted(PROBED.glob("*.json"), key=lambda path: path.stem):
        said = json.loads(path.read_text(encoding="utf-8"))
        found[said["runtime"]] = Support(**{name: said[name] for name in FIELDS})
    probed = {name: support.operators for name, support in found.items()}
    for path in sorted(documented.DOCUMENTED.glob("*.toml")):
        support = Support(**documented.read(path, probed))
        found.setdefault(support.runtime, support)
    return found


__all__ = ["PARTLY", "PROBED", "REFUSED", "RIGHT", "VERDICTS", "WRONG", "Support", "targets"]
