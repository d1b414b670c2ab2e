"""How long arrays live in the lines of a function: from the first line to the last one that mentions them.

    double *a = workspace->a;              a  0-3
    for (i ...) a[i] = x[i];
    double *b = workspace->b;              b  2-6
    for (i ...) b[i] = a[i] * 2;
    double *c = workspace->c;              c  4-6, where a may have been
    for (i ...) c[i] = b[i] + 1;
    *total = b[0] + c[n - 1];

A pointer that is set to an array mentions it wherever it stands itself.  What is mentioned in a loop is alive in all of
its rounds, but for arrays that are only mentioned within one round, where they are declared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graph_program.backends.c.unused import COMMENT, names_in
from graph_program.extract.records import dataclass

POINTER = re.compile(r"\s*(?:const )?\w+ \*(\w+)(?: = (.*))?;")
"""A declaration of a pointer."""
SET = re.compile(r"\s*(\w+) = (.*);")
HEAD = re.compile(r"(^|\W)(for|while) \(")


@dataclass(frozen=True)
class Lifetime:
    """The first and the last line where an array is alive, and the line where the block ends that declares it."""

    first: int
    last: int
    end: int

    def overlaps(self, other: Lifetime) -> bool:
        """Whether there is a line where both are alive."""
        return self.first <= other.last and other.first <= self.last


def lifetimes(lines: Sequence[str], arrays: Collection[str]) -> dict[str, Lifetime]:
    """Of each array, by the name of its pointer, how long it lives."""
    blocks = _blocks(lines)
    points_to = _pointers(lines, arrays)
    mentions: dict[str, list[int]] = {name: [] for name in arrays}
    for number, line in enumerate(lines):
        for name in {array for word in names_in(line) for array in points_to.get(word, ())}:
            mentions[name].append(number)
    found: dict[str, Lifetime] = {}
    for name, numbers in mentions.items():
        own = next((number for number in numbers if name in names_in(lines[number])), None)
        if own is not None:
            found[name] = Lifetime(*_alive(numbers, blocks), _end(own, blocks, len(lines)))
    return found


@dataclass(frozen=True)
class _Block:
    start: int
    end: int
    is_loop: bool

    def has(self, line: int) -> bool:
        return self.start <= line <= self.end


def _blocks(lines: Sequence[str]) -> list[_Block]:
    """The blocks in braces, each with its first and last line."""
    found: list[_Block] = []
    opened: list[tuple[int, bool]] = []
    for number, line in enumerate(lines):
        text = COMMENT.sub("", line).strip()
        if text.startswith("}"):
            start, is_loop = opened.pop()
            found.append(_Block(start, number, is_loop))
        if text.endswith("{"):
            opened.append((number, HEAD.search(text) is not None))
    if opened:
        raise ValueError(f"a block that does not end: {lines[opened[-1][0]]}")
    return found


def _pointers(lines: Sequence[str], arrays: Collection[str]) -> dict[str, set[str]]:
    """The arrays that each pointer may point to, as far as they are of interest."""
    pointers = {found[1] for line in lines if (found := POINTER.fullmatch(line)) is not None}
    sources: dict[str, set[str]] = {name: set() for name in pointers}
    for line in lines:
        found = POINTER.fullmatch(line) or SET.fullmatch(line)
        if found is not None and found[1] in pointers and found[2]:
            sources[found[1]].update(names_in(found[2]))
    points_to = {name: {name} for name in arrays}
    while True:
        before = sum(map(len, points_to.values()))
        for name, mentioned in sources.items():
            reached = {array for other in mentioned for array in points_to.get(other, ())}
            if reached:
                points_to.setdefault(name, set()).update(reached)
        if sum(map(len, points_to.values())) == before:
            return points_to


def _alive(mentions: Sequence[int], blocks: Sequence[_Block]) -> tuple[int, int]:
    """The lines from the first mention to the last one, with all of the loops that have only some of them."""
    first, last = mentions[0], mentions[-1]
    for block in blocks:
        has_all = block.has(mentions[0]) and block.has(mentions[-1])
        if block.is_loop and not has_all and any(map(block.has, mentions)):
            first, last = min(first, block.start), max(last, block.end)
    return first, last


def _end(line: int, blocks: Sequence[_Block], end: int) -> int:
    """Where the innermost block around a line ends."""
    return min((block.end for block in blocks if block.start < line < block.end), default=end)


__all__ = ["Lifetime", "lifetimes"]
