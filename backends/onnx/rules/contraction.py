"""Einstein summation as sums, transposes and matrix products.

    ij,jk,kl->il    becomes    MatMul(MatMul(a, b), c)

onnxruntime's own Einsum sums integers in floating point, and some versions fail on empty dims.
Operands are contracted from left to right, as NumPy does by default.
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.backends.onnx.avoided import VECTORS
from graph_program.backends.onnx.builder import Tensor
from graph_program.backends.onnx.rules.movement import transposed
from graph_program.extract.records import dataclass

FEW = 128
"""Of so many elements a product of vectors is not slower than a sum of products."""

Sum = Callable[[Tensor, int, list[int]], Tensor]
"""`sum(x, rank, axes)` removes the axes."""


@dataclass(frozen=True)
class Term:
    """A tensor and one letter per axis."""

    letters: str
    tensor: Tensor

    def ordered(self, letters: str) -> Term:
        """The axes in another order."""
        perm = [self.letters.index(letter) for letter in letters]
        return Term(letters, transposed(self.tensor, perm))

    def sizes(self, letters: str) -> list[Tensor]:
        """The sizes of adjacent axes as one vector, or none."""
        if not letters:
            return []
        start = self.letters.index(letters[0])
        return [self.tensor.shape(start, start + len(letters))]

    def merged(self, letters: str) -> Tensor:
        """The product of the sizes of adjacent axes, as a vector of one."""
        if not letters:
            return self.tensor.builder.ints(1)
        sizes = self.sizes(letters)[0]
        return sizes if len(letters) == 1 else sizes.op("ReduceProd", keepdims=1)


def einsum(equation: str, operands: tuple[Tensor, ...], total: Sum) -> Tensor:
    """The result of an equation with explicit output; `total` sums letters that occur only once."""
    sources, target = equation.replace(" ", "").split("->")
    letters = sources.split(",")
    terms = [
        _without_lonely(Term(own, x), "".join(letters[:i] + letters[i + 1 :]) + target, total)
        for i, (own, x) in enumerate(zip(letters, operands, strict=True))
    ]
    result = terms[0]
    for i, term in enumerate(terms[1:], start=2):
        result = _contracted(result, term, target + "".join(t.letters for t in terms[i:]))
    return result.ordered(target).tensor


def _without_lonely(term: Term, elsewhere: str, total: Sum) -> Term:
    axes = [axis for axis, letter in enumerate(term.letters) if letter not in elsewhere]
    kept = "".join(letter for letter in term.letters if letter in elsewhere)
    return Term(kept, total(term.tensor, len(term.letters), axes)) if axes else term


def _contracted(x: Term, y: Term, needed: str) -> Term:
    """Two terms as one; letters of both that are not needed any more are summed."""
    shared = [letter for letter in x.letters if letter in y.letters]
    batch = "".join(letter for letter in shared if letter in needed)
    summed = "".join(letter for letter in shared if letter not in needed)
    rows = "".join(letter for letter in x.letters if letter not in y.letters)
    columns = "".join(letter for letter in y.letters if letter not in x.letters)
    result = batch + rows + columns
    if not summed:
        return Term(result, _aligned(x, result) * _aligned(y, result))
    x, y = x.ordered(batch + rows + summed), y.ordered(batch + summed + columns)
    if not result and len(summed) == 1:
        return Term(result, inner_product(x.tensor, y.tensor))
    if not batch and len(summed) == 1 and len(rows) < 2 and len(columns) == 1:
        return Term(result, x.tensor.op("MatMul", y.tensor))
    return Term(result, _matrix_product(x, y, batch, rows, summed, columns))


def inner_product(x: Tensor, y: Tensor, positive: bool = True) -> Tensor:
    """Of two vectors, which are known to have elements if `positive`.

    MatMul copies what it multiplies by into tiles as wide as those of matrices, so that the sum of the products takes a
    third of its time, and a sixth from 1,000 elements on.  It begins with 0.0, as sums of products do.
    """
    known = x.sizes or y.sizes
    is_short = known is not None and known[0] is not None and known[0] <= FEW
    if VECTORS in x.builder.avoided.forms or (not positive and (x.builder.is_portable or is_short)):
        return product_by_vector(x, y)
    if x.builder.is_portable or is_short or x.dtype.name not in ("float32", "float64"):
        return x.op("MatMul", y) if positive else product_by_vector(x, y)
    total = (x * y).op("ReduceSum", keepdims=0)
    return total + total.like(0.0)


def product_by_vector(x: Tensor, y: Tensor) -> Tensor:
    """Of a matrix, or a vector, and a vector, which is made a matrix."""
    return x.op("MatMul", y.op("Unsqueeze", x.builder.ints(1))).op("Squeeze", x.builder.ints(-1))


def _aligned(term: Term, letters: str) -> Tensor:
    """With dims of 1 for the letters that the term lacks."""
    x = term.ordered("".join(letter for letter in letters if letter in term.letters)).tensor
    missing = [axis for axis, letter in enumerate(letters) if letter not in term.letters]
    return x.op("Unsqueeze", x.builder.ints(*missing)) if missing else x


def _matrix_product(x: Term, y: Term, batch: str, rows: str, summed: str, columns: str) -> Tensor:
    """One MatMul over leading batch dims; several letters in one place are merged for it."""
    b = x.tensor.builder
    left, right = x.tensor, y.tensor
    if len(rows) != 1 or len(summed) != 1:
        left = _reshaped(left, [*x.sizes(batch), x.merged(rows), x.merged(summed)])
    if len(columns) != 1 or len(summed) != 1:
        right = _reshaped(right, [*y.sizes(batch), y.merged(summed), y.merged(columns)])
    product = b.op("MatMul", left, right)
    if len(rows) == 1 and len(columns) == 1:
        return product
    return _reshaped(product, [*x.sizes(batch), *x.sizes(rows), *y.sizes(columns)])


def _reshaped(x: Tensor, sizes: list[Tensor]) -> Tensor:
    """A matrix, or matrices, with other sizes; none for a number."""
    if not sizes:
        return x.op("Squeeze", x.builder.ints(0, 1))
    return x.op("Reshape", x.builder.op("Concat", *sizes, axis=0), allowzero=1)
