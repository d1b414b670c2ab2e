"""Lines that nothing needs: of variables that are declared, perhaps assigned, and never read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

WORD = re.compile(r"(?<!->)(?<![\w.])[A-Za-z_]\w*")
"""A name that is not a field's."""
COMMENT = re.compile(r"/\*.*?\*/")
DECLARED = re.compile(r"\s*(?:const )?(?:bool|float|double|size_t|u?int\d+_t) \*?(\w+)(?:\[\d+\])?(?: = (.*))?;")
ASSIGNED = re.compile(r"\s*(\w+) = (.*);")
KEPT = ("gp_take(", "gp_room(", "gp_mark(", "malloc(")
"""What is done for more than its value."""


def without_unused(lines: Sequence[str]) -> list[str]:
    """The lines of a function without declarations and assignments of what is never read."""
    left = list(lines)
    while dead := _dead(left):
        left = [line for number, line in enumerate(left) if number not in dead]
    return left


def names_in(line: str) -> list[str]:
    """The names that a line mentions: variables, functions and words of the language."""
    return WORD.findall(COMMENT.sub("", line))


def _dead(lines: Sequence[str]) -> set[int]:
    """The numbers of lines that only write variables which no line reads."""
    writes: defaultdict[str, list[int]] = defaultdict(list)
    declared: set[str] = set()
    read: set[str] = set()
    for number, line in enumerate(lines):
        found = DECLARED.fullmatch(line)
        if found is not None:
            declared.add(found[1])
        found = found or ASSIGNED.fullmatch(line)
        value = (found[2] or "") if found is not None else line
        read.update(names_in(value))
        if found is not None and not value.startswith(KEPT):
            writes[found[1]].append(number)
        elif found is not None:
            read.add(found[1])
    return {number for name in declared - read for number in writes[name]}


__all__ = ["names_in", "without_unused"]
