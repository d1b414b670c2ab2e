"""Arrays share memory where they are never alive at the same time.

    double *a = workspace->a;                     double *a = workspace->doubles;
    double *b = workspace->b;             ->      double *b = workspace->doubles + 64;
    double *c = workspace->c;                     double *c = workspace->doubles;

    double *a = gp_take(&memory, sizeof(double), n);      double *a = gp_take(&memory, sizeof(double), n);
    ...                                           ->      ...
    double *b = gp_take(&memory, sizeof(double), n);      double *b = a;

Known sizes are placed greedily, the largest array first, each at the lowest offset where it meets nothing that is alive
with it: the "greedy by size" of Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference (2020),
which TensorFlow Lite Micro (GreedyMemoryPlanner) and TVM (USMP) have, too.  Of other sizes nothing is known but whether
two are the same, as in Futhark's merging of memory blocks: an array takes the memory of one that has ended, is of that
size and is declared around it.  Arrays of different element types share nothing, as C has objects of one type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from graph_program.backends.c.c_types import BYTES
from graph_program.backends.c.lifetimes import Lifetime, lifetimes
from graph_program.backends.c.unused import names_in
from graph_program.extract.records import dataclass

GIVEN = re.compile(r"\s*\w+ \*(\w+) = workspace->\w+;")
TAKEN = re.compile(r"\s*(\w+) \*(\w+) = gp_take\(&memory, sizeof\(\w+\), (.*)\);")
CHANGED = re.compile(r"\s*(\w+)(?: [-+*/%|&^]?= |\+\+|--)")
CONSTANT = re.compile(r"\s*const \w+ (\w+) = .*;")


@dataclass(frozen=True)
class Buffer:
    """An array of a size known beforehand, in elements, and when it is alive."""

    name: str
    size: int
    lifetime: Lifetime


def offsets(buffers: Sequence[Buffer]) -> dict[str, int]:
    """Where each of some arrays begins, so that none overlaps another one that is alive at the same time."""
    placed: list[tuple[int, Buffer]] = []
    for buffer in sorted(buffers, key=lambda buffer: (-buffer.size, buffer.lifetime.first)):
        start = 0
        for other, neighbour in sorted(placed, key=lambda pair: pair[0]):
            if not neighbour.lifetime.overlaps(buffer.lifetime):
                continue
            if start + buffer.size <= other:
                break
            start = max(start, other + neighbour.size)
        placed.append((start, buffer))
    return {buffer.name: start for start, buffer in placed}


def field(c_type: str) -> str:
    """The field of the workspace with the arrays of an element type."""
    return f"{c_type.removesuffix('_t')}s"


def in_workspace(
    lines: Sequence[str], arrays: Mapping[str, tuple[str, int]]
) -> tuple[list[str], dict[str, tuple[str, int]]]:
    """Lines whose arrays in the workspace have their places, and the fields with their C types and sizes.

    Parameters
    ----------
    lines : sequence of str
    arrays : mapping of str to (str, int)
        C type and size of each array in the workspace, by its name.
    """
    declared = {found[1]: number for number, line in enumerate(lines) if (found := GIVEN.fullmatch(line)) is not None}
    lived = lifetimes(lines, declared)
    fields: dict[str, tuple[str, int]] = {}
    made = list(lines)
    for c_type in sorted({arrays[name][0] for name in declared}, key=lambda c_type: (-BYTES[c_type], c_type)):
        own = [Buffer(name, arrays[name][1], lived[name]) for name in declared if arrays[name][0] == c_type]
        placed = offsets(own)
        fields[field(c_type)] = c_type, max(placed[buffer.name] + buffer.size for buffer in own)
        for name, start in placed.items():
            head = lines[declared[name]].split(" = ")[0]
            made[declared[name]] = f"{head} = workspace->{field(c_type)}{f' + {start}' if start else ''};"
    return made, fields


def merged(lines: Sequence[str], fixed: Sequence[str]) -> list[str]:
    """Lines where arrays of one size take the memory of those that have ended.

    Parameters
    ----------
    lines : sequence of str
    fixed : sequence of str
        The parameters of the function that sizes are computed of.
    """
    known = {*fixed, *(found[1] for line in lines if (found := CONSTANT.fullmatch(line)) is not None)}
    known -= {found[1] for line in lines if (found := CHANGED.match(line)) is not None}
    taken = [
        (number, found[1], found[2], found[3])
        for number, line in enumerate(lines)
        if (found := TAKEN.fullmatch(line)) is not None
    ]
    lived = lifetimes(lines, [name for _, _, name, _ in taken])
    shared: dict[tuple[str, str], list[tuple[str, list[Lifetime]]]] = {}
    made: list[str | None] = list(lines)
    for number, c_type, name, size in taken:
        if not all(word in known or word.isdigit() for word in names_in(size)):
            continue
        own, places = lived[name], shared.setdefault((c_type, size), [])
        for place, others in places:
            if lived[place].end >= own.end and not any(map(own.overlaps, others)):
                made[number] = f"{lines[number].split(' = ')[0]} = {place};"
                made[number + 1] = None  # the test that there is memory
                others.append(own)
                break
        else:
            places.append((name, [own]))
    return [line for line in made if line is not None]


__all__ = ["Buffer", "field", "in_workspace", "merged", "offsets"]
