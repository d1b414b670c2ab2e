"""One mistake at a time: every way in which a source text is broken in one place.

x @ w -> w @ x      w.T -> w        axis=0 -> axis=1      keepdims=True -> (nothing)
"n m" -> "m n"      (n, 4) -> (4, n)      x.shape[0] -> x.shape[1]      w[n : 2 * n] -> w[n : 3 * n]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

Change = tuple[cst.CSTNode, str]
"""The node that is replaced, and the text that stands there then."""

DTYPES = {"float64": "float32", "float32": "float64", "int64": "float64", "int32": "float32", "bool_": "float64"}
ANNOTATED = {"Float64": "Int64", "Float32": "Float64", "Int64": "Float64", "Int32": "Float32", "Bool": "Float64"}
ANNOTATED |= {"UInt8": "Float64"}


@dataclass(frozen=True)
class Mutant:
    """A source text with one mistake in it."""

    kind: str
    line: int
    source: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}: {self.was} -> {self.now}"


class _Walk:
    """What the rules may ask about the nodes of a module."""

    def __init__(self, source: str):
        self.wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
        self.module = self.wrapper.module
        self.positions = self.wrapper.resolve(PositionProvider)
        self.parents = self.wrapper.resolve(ParentNodeProvider)

    def text(self, node: cst.CSTNode) -> str:
        return self.module.code_for_node(node)

    def parent(self, node: cst.CSTNode | None) -> cst.CSTNode | None:
        return None if node is None else self.parents.get(node)

    def functions(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The functions and classes that a node stands in."""
        outer = self.parent(node)
        while outer is not None:
            if isinstance(outer, cst.FunctionDef | cst.ClassDef):
                yield outer
            outer = self.parent(outer)

    def in_annotation(self, node: cst.CSTNode) -> bool:
        outer = self.parent(node)
        while outer is not None and not isinstance(outer, cst.FunctionDef | cst.ClassDef):
            if isinstance(outer, cst.Annotation):
                return True
            outer = self.parent(outer)
        return False


Rule = Callable[[_Walk, cst.CSTNode], Iterable[Change]]


def _matmul(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply):
        yield node, f"{walk.text(node.right)} @ {walk.text(node.left)}"


def _transpose(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    if isinstance(node, cst.Attribute) and node.attr.value == "T":
        yield node, walk.text(node.value)
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply):
        for side in (node.left, node.right):
            if isinstance(side, cst.Name | cst.Attribute | cst.Subscript):
                yield side, f"{walk.text(side)}.T"


def _axis(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    if isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value == "axis":
        other = {"0": "1", "1": "0", "-1": "0", "2": "1"}.get(walk.text(node.value))
        if other is not None:
            yield node.value, other


def _keepdims(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    if isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value == "keepdims":
        yield node.value, "False" if walk.text(node.value) == "True" else "True"


def _dim(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    """`x.shape[0]` becomes `x.shape[1]`."""
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute) and node.value.attr.value == "shape":
        index = walk.text(node.slice[0])
        other = {"0": "1", "1": "0", "2": "1", "-1": "0"}.get(index)
        if other is not None and len(node.slice) == 1:
            yield node, f"{walk.text(node.value)}[{other}]"


def _constant(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    """A number in an argument, a subscript or arithmetic is one too large."""
    if isinstance(node, cst.Integer) and not walk.in_annotation(node):
        parent = walk.parent(node)
        named = isinstance(parent, cst.Arg) and parent.keyword is not None and parent.keyword.value == "axis"
        outer = walk.parent(walk.parent(parent)) if isinstance(parent, cst.Index) else None
        if not named and not (outer is not None and any(_dim(walk, outer))):
            yield node, str(int(node.value) + 1)


def _slice(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    """A bound of a slice that is no number is one too large."""
    if isinstance(node, cst.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None and not isinstance(bound, cst.Integer):
                yield bound, f"{walk.text(bound)} + 1"


def _swap(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    """Two sizes of a tuple change places."""
    if isinstance(node, cst.Tuple) and len(node.elements) > 1 and isinstance(walk.parent(node), cst.Arg):
        parts = [walk.text(e.value) for e in node.elements]
        for i in range(len(parts) - 1):
            if parts[i] != parts[i + 1]:
                swapped = [*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]]
                yield node, f"({', '.join(swapped)})"


def _dtype(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    if isinstance(node, cst.Attribute) and walk.text(node.value) == "np" and node.attr.value in DTYPES:
        yield node, f"np.{DTYPES[node.attr.value]}"


def _annotated_dtype(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    if isinstance(node, cst.Name) and node.value in ANNOTATED and walk.in_annotation(node):
        yield node, ANNOTATED[node.value]


def _annotated_dims(walk: _Walk, node: cst.CSTNode) -> Iterator[Change]:
    """Two dims of an annotation change places; one gets another name, or is one more; one is left out."""
    if not isinstance(node, cst.SimpleString) or not walk.in_annotation(node):
        return
    dims = node.raw_value.split()
    for i, d in enumerate(dims):
        if i + 1 < len(dims) and d != dims[i + 1]:
            yield node, _quoted([*dims[:i], dims[i + 1], d, *dims[i + 2 :]])
        other = str(int(d) + 1) if d.isdigit() else "7" if d.isidentifier() else f"{d}+1"
        yield node, _quoted([*dims[:i], other, *dims[i + 1 :]])
        yield node, _quoted([*dims[:i], *dims[i + 1 :]])


def _quoted(dims: Sequence[str]) -> str:
    return f'"{" ".join(dims)}"'


RULES: dict[str, Rule] = {
    "matmul operands swapped": _matmul,
    ".T added or dropped": _transpose,
    "axis": _axis,
    "keepdims": _keepdims,
    "another dim of a shape": _dim,
    "number": _constant,
    "bound of a slice": _slice,
    "dims of a shape swapped": _swap,
    "dtype": _dtype,
    "dtype of an annotation": _annotated_dtype,
    "dims of an annotation": _annotated_dims,
}


def mutants(source: str, skip: Iterable[str] = ()) -> list[Mutant]:
    """Every mutant of a source text, in the order of its lines.

    Parameters
    ----------
    source : str
        A module.
    skip : iterable of str
        Functions that are left as they are: those that only make the data.
    """
    walk, left = _Walk(source), frozenset(skip)
    found: dict[str, Mutant] = {}
    for node, place in walk.positions.items():
        outer = [f.name.value for f in walk.functions(node) if isinstance(f, cst.FunctionDef | cst.ClassDef)]
        if not outer or not left.isdisjoint(outer):
            continue
        for kind, rule in RULES.items():
            for changed, now in rule(walk, node):
                text = _edited(source, walk.positions[changed], now)
                was = walk.text(changed)
                if now != was:
                    found.setdefault(text, Mutant(kind, place.start.line, text, was, now))
    return sorted(found.values(), key=lambda m: (m.line, m.kind, m.now))


def _edited(source: str, place: object, now: str) -> str:
    lines = source.splitlines(keepends=True)
    start, end = place.start, place.end  # type: ignore[attr-defined]
    head = "".join(lines[: start.line - 1]) + lines[start.line - 1][: start.column]
    tail = lines[end.line - 1][end.column :] + "".join(lines[end.line :])
    return head + now + tail
