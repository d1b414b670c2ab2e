"""Lines that nothing needs: of variables and local arrays that are declared, perhaps assigned, and never read.

    bool v[3];
    for (int64_t i = 0; i < 3; i++) {             for (int64_t i = 0; i < 3; i++) {
        v[i] = x[i];                      ->          y[i] = false;
    }                                             }
    for (int64_t i = 0; i < 3; i++) {
        y[i] = false;
    }

Operations of which the types decide the result (`np.isnan` of integers) read no operand, which was made for them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

WORD = re.compile(r"(?<!->)(?<![\w.])[A-Za-z_]\w*")
"""A name that is not a field's."""
COMMENT = re.compile(r"/\*.*?\*/")
TYPE = r"(?:bool|float|double|size_t|u?int\d+_t)"
DECLARED = re.compile(rf"\s*(?:const )?{TYPE} \*?(\w+)(?:\[\d+\])?(?: = (.*))?;")
OWN_MEMORY = re.compile(rf"\s*{TYPE} (?:(\w+)\[\d+\](?: = .*)?|\*(\w+) = workspace->\w+);")
"""A name of memory that has no other one: what is written there is read by this name."""
ASSIGNED = re.compile(r"\s*(\w+) = (.*);")
ELEMENT = re.compile(r"\s*(\w+)\[([^=]*)\] = (.*);")
STEPS = re.compile(r"\+\+|--")
KEPT = ("gp_take(", "gp_room(", "gp_mark(", "malloc(")
"""What is done for more than its value."""
COUNTED = re.compile(r"\s*for \(int64_t (\w+) = [^;]*; \1 [<>!]=? [^;()]*; \1(?:\+\+|--| [+-]= \w+)\) \{")
"""A loop that does nothing but what is in it."""
SAID = re.compile(r"\s*GP_[A-Z]+(?:\(.*\))?")
"""What compilers are told of the loop that follows."""


def without_unused(lines: Sequence[str]) -> list[str]:
    """The lines of a function without declarations and assignments of what is never read."""
    left = list(lines)
    while dead := _dead(left) or _empty_loops(left):
        left = [line for number, line in enumerate(left) if number not in dead]
    return left


def names_in(line: str) -> list[str]:
    """The names that a line mentions: variables, functions and words of the language."""
    return WORD.findall(COMMENT.sub("", line))


def _dead(lines: Sequence[str]) -> set[int]:
    """The numbers of lines that only write variables and arrays which no line reads."""
    writes: defaultdict[str, list[int]] = defaultdict(list)
    declared: set[str] = set()
    read: set[str] = set()
    arrays = _own_arrays(lines)
    for number, line in enumerate(lines):
        found = DECLARED.fullmatch(line)
        if found is not None:
            declared.add(found[1])
        found = found or ASSIGNED.fullmatch(line)
        element = ELEMENT.fullmatch(line)
        if element is not None and element[1] in arrays and not STEPS.search(line):
            read.update(names_in(f"{element[2]}, {element[3]}"))
            writes[element[1]].append(number)
            continue
        value = (found[2] or "") if found is not None else line
        read.update(names_in(value))
        if found is not None and not value.startswith(KEPT):
            writes[found[1]].append(number)
        elif found is not None:
            read.add(found[1])
    return {number for name in declared - read for number in writes[name]}


def _own_arrays(lines: Sequence[str]) -> set[str]:
    """The arrays whose memory has one name, which stands for nothing else."""
    own, others = set(), set()
    for line in lines:
        found = OWN_MEMORY.fullmatch(line)
        if found is not None:
            own.add(found[1] or found[2])
        elif (other := DECLARED.fullmatch(line) or ASSIGNED.fullmatch(line)) is not None:
            others.add(other[1])
    return own - others


def _empty_loops(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines of loops in which nothing is done, with what is said of them."""
    return {number for loop in _loops_without_lines(lines) for number in loop}


def _loops_without_lines(lines: Sequence[str]) -> Iterator[range]:
    for number, line in enumerate(lines):
        if not COUNTED.fullmatch(line):
            continue
        end = number + 1
        while not COMMENT.sub("", lines[end]).strip():
            end += 1
        if lines[end].strip() == "}":
            is_said = number > 0 and SAID.fullmatch(lines[number - 1])
            yield range(number - bool(is_said), end + 1)


__all__ = ["names_in", "without_unused"]
