"""Products of matrices."""

from __future__ import annotations

from graph_program.backends.c.arrays import Array, in_memory
from graph_program.backends.c.c_types import FLOAT16, literal, local_type, rounded
from graph_program.backends.c.expression import ZERO, Expr
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.rules.elementwise import combined
from graph_program.extract.ir.graph import Node, Value


def _operand(fn: Function, value: Value) -> Array:
    """An operand, whose elements are read many times."""
    array = fn.array(value)
    return fn.stored(value) if array.work or (array.place is None and array.rank > 2) else array


@rule("matmul")
def _matmul(fn: Function, node: Node) -> Array | Expr:
    a, b = node.inputs
    letters = "mk" if a.type.rank > 1 else "k"
    other = "kn" if b.type.rank > 1 else "k"
    outer = max(a.type.rank, b.type.rank) - 2
    batch = "abcdefgh"[: max(outer, 0)]
    own = [batch[len(batch) - (x.type.rank - 2) :] if x.type.rank > 2 else "" for x in (a, b)]
    left, right = own[0] + letters, own[1] + other
    result = batch + "".join(c for c in letters + other if c != "k")
    return _contracted(fn, node, [left, right], result)


@rule("einsum")
def _einsum(fn: Function, node: Node) -> Array | Expr:
    operands, result = node.attrs["equation"].replace(" ", "").split("->")
    return _contracted(fn, node, operands.split(","), result)


def _contracted(fn: Function, node: Node, letters: list[str], result: str) -> Array | Expr:
    """Sums of products, over the letters that the result has not."""
    value, dtype = node.outputs[0], node.outputs[0].type.dtype
    fn.place_of(node.loc)
    arrays = [_operand(fn, x) for x in node.inputs]
    sizes: dict[str, Expr] = {}
    for own, array in zip(letters, arrays, strict=True):
        for letter, size in zip(own, array.shape, strict=True):
            if sizes.get(letter, Expr("1")).text == "1":
                sizes[letter] = size
    inner = sorted({letter for own in letters for letter in own} - set(result), key="".join(letters).index)

    def element(indices: dict[str, Expr]) -> Expr:
        found = None
        for own, array in zip(letters, arrays, strict=True):
            at = [ZERO if size.text == "1" else indices[c] for c, size in zip(own, array.shape, strict=True)]
            one = array.at(at)
            found = one if found is None else combined(fn, "*", dtype, found, one)
        assert found is not None
        return found

    if not result:
        return _summed(fn, node, inner, sizes, {}, element)
    shape = [sizes[letter] for letter in result]
    made = in_memory(fn.allocate(dtype, shape, value.name, value), dtype, shape)
    last = result[-1]
    if len(letters) == 2 and inner and dtype != FLOAT16 and letters[1].endswith(last) and last not in letters[0]:
        _by_rows(fn, made, result, inner, sizes, element)
        return made
    with fn.indices(shape) as at:
        fn.store(made, at, _summed(fn, node, inner, sizes, dict(zip(result, at, strict=True)), element))
    return made


def _by_rows(fn: Function, made: Array, result: str, inner: list[str], sizes: dict[str, Expr], element: object) -> None:
    """Rows of the result are sums of rows of the second operand, which lie in memory one after the other."""
    zero = literal(made.dtype, 0)
    *outer, last = result
    with fn.indices([sizes[letter] for letter in outer]) as at:
        with fn.count(sizes[last]) as j:
            fn.store(made, [*at, j], zero)
        with fn.indices([sizes[letter] for letter in inner]) as k, fn.count(sizes[last]) as j:
            indices = {**dict(zip(outer, at, strict=True)), **dict(zip(inner, k, strict=True)), last: j}
            total = combined(fn, "+", made.dtype, made.at([*at, j]), element(indices))  # type: ignore[operator]
            fn.store(made, [*at, j], total)


def _summed(
    fn: Function, node: Node, inner: list[str], sizes: dict[str, Expr], outer: dict[str, Expr], element: object
) -> Expr:
    """The sum over some letters, in a variable."""
    dtype = node.outputs[0].type.dtype
    if not inner:
        return element(outer)  # type: ignore[operator,no-any-return]
    total = Expr(fn.fresh("total" if outer else node.outputs[0].name))
    fn.line(f"{local_type(dtype)} {total.text} = {literal(dtype, 0).text};")
    with fn.indices([sizes[letter] for letter in inner]) as at:
        one = element({**outer, **dict(zip(inner, at, strict=True))})  # type: ignore[operator]
        if dtype.kind == "f":
            fn.line(f"{total.text} += {one.text};")
        else:
            fn.line(f"{total.text} = {combined(fn, '+', dtype, total, one).text};")
    if dtype == FLOAT16:
        return rounded(dtype, total)
    return total
