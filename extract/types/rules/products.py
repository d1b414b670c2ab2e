"""Shapes of matrix products and Einstein sums."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.types.dims import Dim, provably_different
from graph_program.extract.types.rules import requirements
from graph_program.extract.types.rules.facts import Clause, broadcastable, equal
from graph_program.extract.types.rules.site import Site
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.shape_arithmetic import (
    ONE,
    Shape,
    broadcast_dims,
    broadcast_shapes,
    joined,
    shape_parts,
)

REMAPPED = "operands could not be broadcast together with remapped shapes [original->remapped]: "
PRODUCT_SIGNATURE = "(n?,k),(k,m?)->(n?,m?)"


def matmul(site: Site) -> Shape:
    """The shape of `x @ y`: batched over leading dims; a vector operand loses its dim."""
    x, y = (t.shape for t in site.operands[:2])
    for i, shape in enumerate((x, y)):
        if not shape:
            raise TypeRuleError(
                "shape",
                f"matmul: Input operand {i} does not have enough dimensions (has 0, gufunc core with "
                f"signature {PRODUCT_SIGNATURE} requires 1)",
            )
    inner = y[-2] if len(y) > 1 else y[0]
    if inner != x[-1]:
        mismatch = "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
        text = (f"{mismatch}{PRODUCT_SIGNATURE} (size ", inner, " is different from ", x[-1], ")")
        if provably_different(x[-1], inner):
            raise TypeRuleError("shape", *text)
        site.require([equal(inner, x[-1])], "shape", *text)
    core = x[-2:-1] + (y[-1:] if len(y) > 1 else ())
    return _batch(site, x, y, core) + core


def _batch(site: Site, x: Shape, y: Shape, core: Shape) -> Shape:
    """The batch dims; in NumPy's text the core dims are shown as axes that do not take part."""
    batches = [x[:-2], y[:-2]]
    if batches[0] == batches[1]:
        return batches[0]
    clauses = requirements.broadcast(batches)
    axes = "".join(",newaxis" for _ in core)
    remapped: list[str | Dim] = []
    for shape, batch in zip((x, y), batches, strict=True):
        kept = [*shape_parts(batch)[:-1], axes if batch else axes[1:], ",)" if len(batch) + len(core) == 1 else ")"]
        remapped += [*shape_parts(shape), "->", *kept, " "]
    text = (REMAPPED, *remapped, " and requested shape ", *shape_parts(core))
    try:
        result = broadcast_shapes(batches, site.fresh)
    except TypeRuleError:
        raise TypeRuleError("shape", *text) from None
    site.require(clauses, "shape", *text)
    return result


def einsum(site: Site) -> Shape:
    """The shape of an Einstein sum with explicit output and no ellipsis; sizes of 1 broadcast."""
    shapes = [t.shape for t in site.operands]
    inputs, _, output = site.attrs["equation"].replace(" ", "").partition("->")
    terms = inputs.split(",")
    _check_terms(terms, output, shapes)
    sizes: dict[str, Dim] = {}
    given: dict[str, list[Dim]] = {}
    clauses: list[Clause] = []
    for term, shape in zip(terms, shapes, strict=True):
        for letter, d in zip(term, shape, strict=True):
            merged = broadcast_dims(sizes[letter], d, site.fresh) if letter in sizes else d
            if merged is None:
                raise TypeRuleError("shape", *_einsum_mismatch(terms, output, shapes))
            sizes[letter] = merged
            clauses += [broadcastable(e, d) for e in given.setdefault(letter, []) if e != d and ONE not in (e, d)]
            given[letter].append(d)
    if clauses:
        site.require(clauses, "shape", *_einsum_mismatch(terms, output, shapes))
    return tuple(sizes[letter] for letter in output)


def _check_terms(terms: list[str], output: str, shapes: Sequence[Shape]) -> None:
    if len(terms) != len(shapes):
        few = len(shapes) < len(terms)
        text = "fewer operands provided to" if few else "more operands provided to"
        raise TypeRuleError("value", f"{text} einstein sum function than specified in the subscripts string")
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        if len(term) > len(shape):
            text = "einstein sum subscripts string contains too many subscripts for operand"
            raise TypeRuleError("shape", f"{text} {i}")
        if len(term) < len(shape):
            raise TypeRuleError(
                "shape",
                "operand has more dimensions than subscripts given in einstein sum, but no '...' "
                "ellipsis provided to broadcast the extra dimensions.",
            )
    for letter in output:
        if not any(letter in term for term in terms):
            text = f"einstein sum subscripts string included output subscript '{letter}'"
            raise TypeRuleError("value", f"{text} which never appeared in an input")


def _einsum_mismatch(terms: list[str], output: str, shapes: Sequence[Shape]) -> requirements.Parts:
    """NumPy lists each operand with its dims moved to the iteration order: output letters, then others."""
    order = list(dict.fromkeys(output + "".join(terms)))
    comma = "," if len(order) == 1 else ""
    parts: requirements.Parts = [REMAPPED]
    for term, shape in zip(terms, shapes, strict=True):
        sizes = dict(zip(term, shape, strict=True))
        first = min((order.index(letter) for letter in term), default=len(order))
        moved = joined([sizes.get(letter, "newaxis") for letter in order[first:]])
        parts += [*shape_parts(shape), "->(", *moved, f"{comma}) "]
    return parts
