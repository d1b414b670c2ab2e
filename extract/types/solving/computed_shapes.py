"""Parts of shapes that an operation's attributes determine: `*reduce(s, axes, keepdims)`, `rank(s)`.

Axes that are all counted from one end need only the dims at that end: `reduce(s, (-1,), False)` makes s
`[*r, n]` and is `[*r]`.  What depends on the whole rank waits until that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from graph_program.extract.types.dims import Dim, dim, maximum, product, provably_less_equal, symbol
from graph_program.extract.types.dims.windows import spread_sizes, window_counts
from graph_program.extract.types.notation.terms import (
    Computed,
    Condition,
    RankVar,
    Segment,
    ShapeTerm,
    Signature,
    TypeTerm,
    fixed_rank,
    shape_text,
)
from graph_program.extract.types.solving.broadcast_relations import broadcast_dims
from graph_program.extract.types.solving.store import ConstraintError, Origin, Store, rank_key
from graph_program.extract.types.solving.unification import equal_dims, equal_shapes
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.shape_arithmetic import ONE, reshape_dims, slice_length


class Instance(Protocol):
    """One use of a signature, as the functions here see it."""

    origin: Origin
    signature: Signature
    operands: Sequence[TypeTerm]
    attrs: Mapping[str, Any]
    repeats: int

    def shape_of(self, name: str) -> ShapeTerm:
        """The dims that a rank variable stands for."""

    def dim(self, d: Dim) -> Dim:
        """A dim with its variables instantiated."""


def computed_shape(store: Store, term: Computed, instance: Instance) -> ShapeTerm:
    """The dims that a computed part stands for, perhaps with variables that wait."""
    return FUNCTIONS[term.function](store, instance, term.arguments)


# ---------------------------------------------------------------- axes

Axes = tuple[int, ...]
OfDims = Callable[[tuple[Segment, ...], Axes], ShapeTerm]


def _at_axes(
    store: Store, instance: Instance, shape: ShapeTerm, axes: Axes, function: OfDims, added: int = 0
) -> ShapeTerm:
    """`function` of a shape's dims and axes >= 0, applied to as much of the shape as the axes reach.

    `added` of the axes are ones that the result has and the shape does not.
    """
    if len(set(axes)) < len(axes):
        raise ConstraintError("an axis is repeated", instance.origin)
    known = fixed_rank(shape)
    if known is not None:
        whole = known + added
        if any(not -whole <= a < whole for a in axes):
            axis = next(a for a in axes if not -whole <= a < whole)
            raise ConstraintError(f"axis {axis} is out of bounds for {shape_text(shape)}", instance.origin)
        if len({a % whole for a in axes}) < len(axes):
            raise ConstraintError("an axis is repeated", instance.origin)
        return function(shape, tuple(a % whole for a in axes))
    if all(a < 0 for a in axes):
        reach = max(-min(axes, default=0) - added, 0)
        front, tail = _split_tail(store, instance, shape, reach)
        return (*front, *function(tail, tuple(a + reach + added for a in axes)))
    if all(a >= 0 for a in axes):
        reach = max(max(axes) + 1 - added, 0)
        head, rest = _split_head(store, instance, shape, reach)
        return (*function(head, axes), *rest)
    return _when_rank_is_known(
        store, instance, shape, lambda known: _at_axes(store, instance, known, axes, function, added)
    )


def _split_tail(store: Store, instance: Instance, shape: ShapeTerm, length: int) -> tuple[ShapeTerm, ShapeTerm]:
    dims = tuple(store.fresh_dim() for _ in range(length))
    lead = RankVar(store.fresh_name("s"))
    equal_shapes(store, shape, (lead, *dims), instance.origin)
    return store.shape((lead,)), store.shape(dims)


def _split_head(store: Store, instance: Instance, shape: ShapeTerm, length: int) -> tuple[ShapeTerm, ShapeTerm]:
    dims = tuple(store.fresh_dim() for _ in range(length))
    rest = RankVar(store.fresh_name("s"))
    equal_shapes(store, shape, (*dims, rest), instance.origin)
    return store.shape(dims), store.shape((rest,))


def _when_rank_is_known(
    store: Store, instance: Instance, shape: ShapeTerm, function: Callable[[ShapeTerm], ShapeTerm]
) -> ShapeTerm:
    if fixed_rank(shape) is not None:
        return function(shape)
    result = RankVar(store.fresh_name("s"))
    store.post(Waiting(shape, lambda known: equal_shapes(store, (result,), function(known), instance.origin), instance))
    return (result,)


class Waiting:
    """Something to be said once the rank of a shape is known."""

    def __init__(self, shape: ShapeTerm, then: Callable[[ShapeTerm], object], instance: Instance):
        self.shape, self.then, self.origin = shape, then, instance.origin

    def step(self, store: Store) -> bool:
        shape = store.shape(self.shape)
        if fixed_rank(shape) is None:
            return False
        self.then(shape)
        return True

    def waits_for(self, store: Store) -> Iterator[str]:
        yield from (rank_key(s.name) for s in store.expand(self.shape) if isinstance(s, RankVar))

    def text(self, store: Store) -> str:
        return f"the rank of {shape_text(store.shape(self.shape))} is known"


# ---------------------------------------------------------------- the functions


def _reduce(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """`axes` of s gone, all if they are None; with `keepdims` they are 1 instead."""
    shape, axes = instance.shape_of(arguments[0]), _axes(instance, arguments[1])
    keepdims = bool(instance.attrs.get("keepdims"))
    if axes is None and keepdims:
        return _when_rank_is_known(store, instance, shape, lambda s: (ONE,) * len(s))
    if axes is None:
        return ()

    def reduced(dims: ShapeTerm, axes: Axes) -> ShapeTerm:
        return tuple(ONE if i in axes else d for i, d in enumerate(dims) if keepdims or i not in axes)

    return _at_axes(store, instance, shape, axes, reduced)


def _axes(instance: Instance, name: str) -> Axes | None:
    """Static axes; None for all of them."""
    value = instance.attrs.get(name)
    return (value,) if isinstance(value, int) else None if value is None else tuple(value)


def _insert(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """The dims of s with ones at `axes` of the result."""
    shape, axes = instance.shape_of(arguments[0]), _axes(instance, arguments[1]) or ()

    def inserted(dims: ShapeTerm, axes: Axes) -> ShapeTerm:
        rest = iter(dims)
        return tuple(ONE if i in axes else next(rest) for i in range(len(dims) + len(axes)))

    return _at_axes(store, instance, shape, axes, inserted, added=len(axes))


def _remove(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """The dims of s without `axes`, which are 1."""
    shape, axes = instance.shape_of(arguments[0]), _axes(instance, arguments[1]) or ()

    def removed(dims: ShapeTerm, axes: Axes) -> ShapeTerm:
        for i in axes:
            equal_shapes(store, (dims[i],), (ONE,), instance.origin)
        return tuple(d for i, d in enumerate(dims) if i not in axes)

    return _at_axes(store, instance, shape, axes, removed)


def _permute(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """The dims of s in the order `perm`."""
    perm = instance.attrs[arguments[1]]
    dims = tuple(store.fresh_dim() for _ in perm)
    equal_shapes(store, instance.shape_of(arguments[0]), dims, instance.origin)
    known = store.shape(dims)
    return tuple(known[i] for i in perm)


def _slice(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """The dims of s, `axes` from start to stop by `steps`; `bounds` are all starts, then all stops."""
    shape, axes = instance.shape_of(arguments[0]), tuple(instance.attrs[arguments[1]])
    steps: Sequence[int] = instance.attrs[arguments[2]]
    bounds: Sequence[Dim | None] = instance.attrs.get(arguments[3]) or [None] * 2 * len(axes)

    def sliced(dims: ShapeTerm, axes: Axes) -> ShapeTerm:
        result = list(dims)
        for k, axis in enumerate(axes):
            n = result[axis]
            if isinstance(n, Dim):
                result[axis] = slice_length(n, bounds[k], bounds[len(axes) + k], steps[k], store.fresh_dim)
        return tuple(result)

    return _at_axes(store, instance, shape, axes, sliced)


def _values(instance: Instance, name: str) -> list[Dim | None]:
    """The values of size operands, as far as they are known."""
    given = instance.attrs.get(name)
    count = instance.repeats if instance.signature.variadic else 1
    return [None] * count if given is None else [None if v is None else dim(v) for v in given]


def _sizes(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """A dim for each operand, of its value."""
    return tuple(store.fresh_dim() if v is None else maximum(0, v) for v in _values(instance, arguments[0]))


def _reshape(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """As `sizes`, where one may be -1, what is left of s."""
    shape, values = instance.shape_of(arguments[0]), _values(instance, arguments[1])
    dims = tuple(store.fresh_dim() for _ in values)

    def reshaped(known: ShapeTerm) -> None:
        try:
            found = reshape_dims(tuple(d for d in known if isinstance(d, Dim)), values, store.fresh_dim)
        except TypeRuleError as error:
            raise ConstraintError(error.message, instance.origin) from None
        equal_shapes(store, dims, found, instance.origin)
        equal_dims(store, SHAPE_FUNCTIONS["size"](known), product(dims), instance.origin)

    for d, value in zip(dims, values, strict=True):
        if value is not None and provably_less_equal(0, value):
            equal_dims(store, d, value, instance.origin)
    store.post(Waiting(shape, reshaped, instance))
    return store.shape(dims)


def _einsum(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """The letters after the arrow, each a size of the operands."""
    inputs, _, output = instance.attrs[arguments[0]].replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(instance.operands):
        raise ConstraintError(f"{len(terms)} operands are named, {len(instance.operands)} given", instance.origin)
    letters: dict[str, list[Dim]] = {}
    for term, operand in zip(terms, instance.operands, strict=True):
        dims = tuple(store.fresh_dim(letter) for letter in term)
        equal_shapes(store, operand.shape, dims, instance.origin)
        for letter, d in zip(term, dims, strict=True):
            letters.setdefault(letter, []).append(d)
    sizes = {letter: broadcast_dims(store, dims, instance.origin) for letter, dims in letters.items()}
    return tuple(sizes[letter] for letter in output)


def _spatial(store: Store, instance: Instance, name: str, rank: int) -> tuple[Dim, ...]:
    """The dims of a run of known length, or the numbers of an attribute."""
    if name in instance.attrs:
        return tuple(dim(int(n)) for n in instance.attrs[name])
    dims = tuple(store.fresh_dim() for _ in range(rank))
    equal_shapes(store, instance.shape_of(name), dims, instance.origin)
    return tuple(store.dim(d) for d in dims)


def _windows(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """How many windows of `taps` elements, `dilations` apart, there are along each axis of s, `strides` apart."""
    strides = instance.attrs["strides"]
    sizes, taps = (_spatial(store, instance, name, len(strides)) for name in arguments[:2])
    return window_counts(sizes, taps, strides, instance.attrs["pads"], instance.attrs.get("dilations"))


def _spread(store: Store, instance: Instance, arguments: tuple[str, ...]) -> ShapeTerm:
    """The sizes that have s windows of k elements, and `output_padding` more."""
    attrs = instance.attrs
    sizes, taps = (_spatial(store, instance, name, len(attrs["strides"])) for name in arguments[:2])
    return spread_sizes(sizes, taps, attrs["strides"], attrs["pads"], attrs["output_padding"], attrs["dilations"])


FUNCTIONS: dict[str, Callable[[Store, Instance, tuple[str, ...]], ShapeTerm]] = {
    "reduce": _reduce,
    "insert": _insert,
    "remove": _remove,
    "permute": _permute,
    "slice": _slice,
    "sizes": _sizes,
    "reshape": _reshape,
    "einsum": _einsum,
    "windows": _windows,
    "spread": _spread,
}
"""What stands behind the star of `*function(arguments)`."""


# ---------------------------------------------------------------- conditions


def post_condition(store: Store, condition: Condition, instance: Instance) -> None:
    """Require what a signature says after `where`."""
    attributes = {
        name: dim(int(value))
        for name in condition.left.symbols | condition.right.symbols
        if isinstance(value := instance.attrs.get(name), int)
    }
    attributes["count"] = dim(instance.repeats)
    left, right = condition.left.substitute(attributes), condition.right.substitute(attributes)
    rank_of = _function_of(left, "rank")
    if rank_of is not None and condition.op == "=" and right.constant is not None:
        dims = tuple(store.fresh_dim() for _ in range(right.constant))
        equal_shapes(store, instance.shape_of(rank_of), dims, instance.origin)
        return
    left, right = instance.dim(left), instance.dim(right)
    if condition.op == "=":
        equal_dims(store, left, right, instance.origin)
    else:
        store.post(AtMost(left, right, instance.origin))


def _function_of(d: Dim, function: str) -> str | None:
    """`s` for the dim `rank(s)`."""
    text = str(d)
    return text[len(function) + 1 : -1] if text.startswith(f"{function}(") and d == symbol(text) else None


def shape_function(store: Store, name: str, instance: Instance) -> Dim | None:
    """The dim that `rank(s)` or `size(s)` is; None for any other name."""
    function, _, rest = name.partition("(")
    if function not in SHAPE_FUNCTIONS or not rest:
        return None
    of = SHAPE_FUNCTIONS[function]
    shape = instance.shape_of(rest[:-1])
    if fixed_rank(shape) is not None:
        return of(shape)
    d = store.fresh_dim()
    store.post(Waiting(shape, lambda known: equal_dims(store, d, of(known), instance.origin), instance))
    return d


SHAPE_FUNCTIONS: dict[str, Callable[[ShapeTerm], Dim]] = {
    "rank": lambda shape: dim(len(shape)),
    "size": lambda shape: product(d for d in shape if isinstance(d, Dim)),
}
"""Dims that are functions of a shape."""


class AtMost:
    """`k <= n`."""

    def __init__(self, left: Dim, right: Dim, origin: Origin):
        self.left, self.right, self.origin = left, right, origin

    def step(self, store: Store) -> bool:
        left, right = store.dim(self.left), store.dim(self.right)
        if provably_less_equal(right + 1, left):
            second = store.blame(self.left, self.origin) or store.blame(self.right, self.origin)
            raise ConstraintError(f"{left} is more than {right}", self.origin, second)
        return provably_less_equal(left, right)

    def waits_for(self, store: Store) -> Iterator[str]:
        yield from store.dim(self.left).symbols | store.dim(self.right).symbols

    def text(self, store: Store) -> str:
        return f"{store.dim(self.left)} <= {store.dim(self.right)}"
