"""Shapes of matrix products and Einstein sums."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.types.dims import Dim, provably_different
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.shapes import Fresh, Shape, broadcast_dims, broadcast_shapes, shape_text

REMAPPED = "operands could not be broadcast together with remapped shapes [original->remapped]: "
_SIGNATURE = "(n?,k),(k,m?)->(n?,m?)"


def matmul(x: Shape, y: Shape, fresh: Fresh) -> Shape:
    """The shape of `x @ y`: batched over leading dims; a vector operand loses its dim."""
    for i, shape in enumerate((x, y)):
        if not shape:
            raise TypeRuleError(
                "shape",
                f"matmul: Input operand {i} does not have enough dimensions (has 0, gufunc core with "
                f"signature {_SIGNATURE} requires 1)",
            )
    inner = y[-2] if len(y) > 1 else y[0]
    if provably_different(x[-1], inner):
        raise TypeRuleError(
            "shape",
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"{_SIGNATURE} (size {inner} is different from {x[-1]})",
        )
    core = x[-2:-1] + (y[-1:] if len(y) > 1 else ())
    return _batch(x, y, core, fresh) + core


def _batch(x: Shape, y: Shape, core: Shape, fresh: Fresh) -> Shape:
    """The batch dims; in NumPy's text the core dims are shown as axes that do not take part."""
    try:
        return broadcast_shapes([x[:-2], y[:-2]], fresh)
    except TypeRuleError:
        axes = ["newaxis"] * len(core)
        remapped = " ".join(f"{shape_text(s)}->{shape_text([*s[:-2], *axes])}" for s in (x, y))
        text = f"{REMAPPED}{remapped}  and requested shape {shape_text(core)}"
        raise TypeRuleError("shape", text) from None


def einsum(equation: str, shapes: Sequence[Shape], fresh: Fresh) -> Shape:
    """The shape of an Einstein sum with explicit output and no ellipsis; sizes of 1 broadcast."""
    inputs, _, output = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    _check_terms(terms, output, shapes)
    sizes: dict[str, Dim] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for letter, d in zip(term, shape, strict=True):
            merged = broadcast_dims(sizes[letter], d, fresh) if letter in sizes else d
            if merged is None:
                raise TypeRuleError("shape", _einsum_mismatch(terms, output, shapes))
            sizes[letter] = merged
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


def _einsum_mismatch(terms: list[str], output: str, shapes: Sequence[Shape]) -> str:
    """NumPy lists each operand with its dims moved to the iteration order: output letters, then others."""
    order = list(dict.fromkeys(output + "".join(terms)))
    comma = "," if len(order) == 1 else ""
    remapped = []
    for term, shape in zip(terms, shapes, strict=True):
        sizes = dict(zip(term, map(str, shape), strict=True))
        first = min((order.index(letter) for letter in term), default=len(order))
        moved = ",".join(sizes.get(letter, "newaxis") for letter in order[first:])
        remapped.append(f"{shape_text(shape)}->({moved}{comma})")
    return f"{REMAPPED}{' '.join(remapped)} "
