"""Products of matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from graph_program.backends.c.arrays import Array, Layout, element_of, in_memory
from graph_program.backends.c.c_types import FLOAT16, literal, local_type, rounded
from graph_program.backends.c.expression import ONE, ZERO, Expr, choice, constant_of, infix, plus, product, times
from graph_program.backends.c.function import APART, Function, rule
from graph_program.backends.c.product_letters import Roles, joined, renamed, roles
from graph_program.backends.c.readers import meets_a_vector
from graph_program.backends.c.rules.elementwise import combined
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim

Element = Callable[[dict[str, Expr]], Expr]
"""The product at the indices of all letters."""


def _operand(fn: Function, node: Node, value: Value) -> Array:
    """An operand, whose elements are read many times, but for those of a matrix that is multiplied with a vector."""
    array = fn.array(value)
    if meets_a_vector(node, value):
        return array
    return fn.stored(value) if array.work or (array.layout is None and array.rank > 2) else array


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
    return _contracted(fn, node, [left, right], result, batch)


@rule("einsum")
def _einsum(fn: Function, node: Node) -> Array | Expr:
    operands, result = node.attrs["equation"].replace(" ", "").split("->")
    return _contracted(fn, node, operands.split(","), result, "".join(sorted({*operands} - {","})))


def _contracted(fn: Function, node: Node, letters: list[str], result: str, broadcasting: str = "") -> Array | Expr:
    """Sums of products, over the letters that the result has not; the sizes of some letters broadcast."""
    value, dtype = node.outputs[0], node.outputs[0].type.dtype
    fn.place_of(node.loc)
    arrays = [_operand(fn, node, x) for x in node.inputs]
    sizes = _sizes(fn, node, letters, arrays, broadcasting)
    if dtype.name in KINDS and len(letters) == 2 and not any(array.work for array in arrays):
        by = roles(letters, result)
        if by is not None and not _is_small([sizes[c] for c in by.product]):
            sizes |= {name: fn.size(product(sizes[c] for c in run)) for name, run in by.runs.items()}
            return _multiplied(fn, node, letters, result, sizes, by)
    inner = sorted({letter for own in letters for letter in own} - set(result), key="".join(letters).index)

    def _seen(letter: str, own: Expr) -> Expr:
        return sizes[letter] if letter in broadcasting else own

    def element(indices: dict[str, Expr]) -> Expr:
        found = None
        for own, array in zip(letters, arrays, strict=True):
            one = element_of(
                array, [indices[c] for c in own], [_seen(c, n) for c, n in zip(own, array.shape, strict=True)]
            )
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
    with fn.indices(shape, "" if inner else APART) as at:
        fn.store(made, at, _summed(fn, node, inner, sizes, dict(zip(result, at, strict=True)), element))
    return made


KINDS = {"float32": "f32", "float64": "f64"}
SMALL = 512
"""Products of so many multiplications are written out."""


def _is_small(sizes: Sequence[Expr]) -> bool:
    """Whether sizes are known and small."""
    total = constant_of(product(sizes))
    return total is not None and total <= SMALL


def _multiplied(
    fn: Function, node: Node, letters: list[str], result: str, sizes: dict[str, Expr], by: Roles
) -> Array | Expr:
    """A call of a product of matrices, for each index of the other letters."""
    value, dtype = node.outputs[0], node.outputs[0].type.dtype
    whole = [_part(fn, x, own, sizes, by) for own, x in zip(letters, node.inputs, strict=True)]
    shape = [sizes[letter] for letter in result]
    made = in_memory(fn.allocate(dtype, shape, value.name, value), dtype, shape)
    layout = made.layout
    assert layout is not None
    target = _joined(result, layout, shape, sizes, by, is_whole=True)
    assert target is not None
    is_turned = bool(by.rows and by.columns) and target.letters[-1] == by.rows
    left, right = whole[::-1] if is_turned else whole
    rows, columns = (by.columns, by.rows) if is_turned else (by.rows, by.columns)
    with fn.indices([sizes[letter] for letter in by.batch]) as indices:
        at = dict(zip(by.batch, indices, strict=True))
        arguments = [sizes[rows] if rows else ONE, sizes[columns] if columns else ONE, sizes[by.summed]]
        texts = [argument.text for argument in arguments]
        texts += [left.at(at), left.step(rows), left.step(by.summed)]
        texts += [right.at(at), right.step(by.summed), right.step(columns), target.at(at), target.step(rows)]
        fn.line(f"gp_product_{KINDS[dtype.name]}({', '.join(texts)});")
    return made


@dataclass(frozen=True)
class _Part:
    """An operand by its letters."""

    letters: str
    layout: Layout
    shape: Sequence[Expr]
    sizes: Mapping[str, Expr]

    def at(self, indices: Mapping[str, Expr]) -> str:
        """The pointer to what is at some indices."""
        start = self.layout.start
        for letter in self.letters:
            if letter in indices:
                start = plus(start, times(indices[letter], self._step(letter)))
        return f"{self.layout.place.name} + {start.text}" if start.text != "0" else self.layout.place.name

    def step(self, letter: str) -> str:
        """How far the elements along a letter are from each other."""
        return self._step(letter).text if letter else "0"

    def _step(self, letter: str) -> Expr:
        axis = self.letters.index(letter)
        own, step = self.shape[axis], self.layout.steps[axis]
        if own.text == "1":
            return ZERO
        if own.text == self.sizes[letter].text or own.text.isdigit():
            return step
        return choice(infix("==", own, ONE), ZERO, step)


def _part(fn: Function, value: Value, own: str, sizes: Mapping[str, Expr], by: Roles) -> _Part:
    """An operand where it lies; what lies nowhere, or in another form, is computed."""
    array = fn.array(value)
    found = None
    if array.layout is not None:
        found = _joined(own, array.layout, array.shape, sizes, by, is_whole=array.place is not None)
    if found is None:
        array = fn.stored(value)
        assert array.layout is not None
        found = _joined(own, array.layout, array.shape, sizes, by, is_whole=True)
    assert found is not None
    return found


def _joined(
    own: str, layout: Layout, shape: Sequence[Expr], sizes: Mapping[str, Expr], by: Roles, *, is_whole: bool
) -> _Part | None:
    """An operand by the letters of a product of matrices, if it lies like that."""
    found = joined(own, layout, shape, by.runs, is_whole=is_whole)
    return None if found is None else _Part(renamed(own, by.runs), *found, sizes)


def _sizes(fn: Function, node: Node, letters: list[str], arrays: Sequence[Array], broadcasting: str) -> dict[str, Expr]:
    """The size of each letter."""
    found: dict[str, list[tuple[Dim, Expr]]] = {}
    for own, array, value in zip(letters, arrays, node.inputs, strict=True):
        for letter, dim_, size in zip(own, value.type.shape, array.shape, strict=True):
            found.setdefault(letter, []).append((dim_, size))
    sizes = {}
    for letter, pairs in found.items():
        known = [size for dim_, size in pairs if dim_.constant not in (None, 1)]
        is_one = all(dim_ == pairs[0][0] for dim_, _ in pairs) or letter not in broadcasting
        first = next((size for _, size in pairs if size.text != "1"), pairs[0][1])
        sizes[letter] = known[0] if known else first if is_one else fn.broadcast([[size] for _, size in pairs])[0]
    return sizes


def _by_rows(
    fn: Function, made: Array, result: str, inner: list[str], sizes: dict[str, Expr], element: Element
) -> None:
    """Rows of the result are sums of rows of the second operand, which lie in memory one after the other."""
    zero = literal(made.dtype, 0)
    outer, last = result[:-1], result[-1]
    with fn.indices([sizes[letter] for letter in outer]) as at:
        with fn.count(sizes[last], APART) as j:
            fn.store(made, [*at, j], zero)
        with fn.indices([sizes[letter] for letter in inner]) as k, fn.count(sizes[last], APART) as j:
            indices = {**dict(zip(outer, at, strict=True)), **dict(zip(inner, k, strict=True)), last: j}
            total = combined(fn, "+", made.dtype, made.at([*at, j]), element(indices))
            fn.store(made, [*at, j], total)


def _summed(
    fn: Function, node: Node, inner: list[str], sizes: dict[str, Expr], outer: dict[str, Expr], element: Element
) -> Expr:
    """The sum over some letters, in a variable."""
    dtype = node.outputs[0].type.dtype
    if not inner:
        return element(outer)
    total = Expr(fn.fresh("total" if outer else node.outputs[0].name))
    fn.line(f"{local_type(dtype)} {total.text} = {literal(dtype, 0).text};")
    with fn.indices([sizes[letter] for letter in inner], f"GP_SUM({total.text})" if dtype.name in KINDS else "") as at:
        one = element({**outer, **dict(zip(inner, at, strict=True))})
        if dtype.kind == "f":
            fn.line(f"{total.text} += {one.text};")
        else:
            fn.line(f"{total.text} = {combined(fn, '+', dtype, total, one).text};")
    if dtype == FLOAT16:
        return rounded(dtype, total)
    return total
