"""Which operations of a model come from a line, or from a function and what it calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import PurePath

import onnx_ir as ir

from graph_program.backends.onnx.call_sites import CALLS
from graph_program.backends.onnx.messages import SOURCE
from graph_program.extract.diagnostics import Loc

LINE = re.compile(r".*\.\w+:\d+")


class Places:
    """Lines and functions by which operations are named.

    Parameters
    ----------
    locs : iterable of Loc
        Of the program's operations: a file says lines only, these say in which functions they are.
    """

    def __init__(self, locs: Iterable[Loc]):
        self.locs: Mapping[str, Loc] = {place.where: place for loc in locs for place in loc.chain}

    def lines(self, node: ir.Node) -> list[str]:
        """The line of an operation, as `track.py:12`, and those of the calls that lead there, innermost first.

        Lines of a library, as of `nn.conv2d`, are left out where the program's are known.
        """
        entries = _entries(node)
        own = [entry for entry in entries if entry not in self.locs or not self.locs[entry].is_library]
        return [entry.rpartition(":")[0] for entry in own or entries]

    def names(self, node: ir.Node) -> set[str]:
        """All names that an operation has: lines, functions, and in a network of `load_onnx` its file and its parts."""
        found = {entry.rpartition(":")[0] for entry in _entries(node)}
        parts = str(node.name).split("/")
        found |= {"/".join(parts[:count]) for count in range(1, len(parts) + (len(parts) > 1))}
        for entry in _entries(node):
            if entry in self.locs:
                function = self.locs[entry].function
                found |= {function, function.rpartition(".")[2]}
        return found

    def loc(self, node: ir.Node) -> Loc | None:
        """Where an operation stands in the source."""
        return next((self.locs[entry] for entry in _entries(node) if entry in self.locs), None)

    def any_of(self, node: ir.Node, names: Sequence[str]) -> bool:
        """Whether an operation has one of some names."""
        own = self.names(node) if names else set()
        return any(normal(name) in own for name in names)

    def unknown(self, names: Sequence[str], nodes: Iterable[ir.Node]) -> Iterator[tuple[str, list[str]]]:
        """The names that no operation has, and those that may have been meant."""
        if not names:
            return
        known = set().union(*map(self.names, nodes))
        for name in names:
            if normal(name) not in known:
                yield name, get_close_matches(normal(name), sorted(known), 3, 0.5)


def normal(name: str) -> str:
    """A name as files have it: of a path to a line, the end."""
    return PurePath(name).name if LINE.fullmatch(name) else name


def _entries(node: ir.Node) -> list[str]:
    source = node.metadata_props.get(SOURCE) or node.doc_string or ""
    return list(filter(None, [source, *node.metadata_props.get(CALLS, "").split(", ")]))


__all__ = ["Places", "normal"]
