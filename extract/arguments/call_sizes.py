"""Sizes at a call: a dim's name means the same size everywhere in the signature.

`check_sizes` solves the names from the shapes that came and says what does not fit.  `size_checker`
does the same for one signature, compiled into a single expression that a call evaluates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field

from graph_program.extract.diagnostics import UNKNOWN, CallError, Diagnostic, Loc
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Application, Atom, Dim, Symbol, broadcast_sizes
from graph_program.extract.types.notation.declared_dims import Bound
from graph_program.extract.types.tensors.tensor_type import TensorType

Shape = tuple[int, ...]
Leaf = tuple[str, TensorType, Shape]
Bounds = Mapping[str, Bound]


def call_error(code: str, message: str, loc: Loc = UNKNOWN, arguments: Sequence[str] = ()) -> CallError:
    """A call that does not fit the signature; `arguments` are those that the message is about."""
    error = CallError(Diagnostic(code, message, loc))
    error.arguments = tuple(filter(None, arguments))
    return error


def tuple_text(sizes: Sequence[object]) -> str:
    """A shape as Python prints a tuple: `(n, 4)`, `(3,)`."""
    inner = ", ".join(map(str, sizes))
    return f"({inner},)" if len(sizes) == 1 else f"({inner})"


@dataclass
class _Solution:
    sizes: dict[str, int] = field(default_factory=dict)
    origin: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Which leaf a name was first seen in, and on which axis."""

    def set(self, name: str, size: int, leaf: str, axis: int) -> None:
        self.sizes[name] = size
        self.origin[name] = leaf, axis


def check_sizes(leaves: Sequence[Leaf], bounds: Bounds | None = None, loc: Loc = UNKNOWN) -> dict[str, int]:
    """The size of every named dim, from the shapes of a call.

    Parameters
    ----------
    leaves : sequence of (text, TensorType, shape)
        Each array argument: its expression (`p.w`), its type in the signature, its actual shape.
    bounds : mapping of str to Bound
        The sizes that are allowed, by name.

    Raises
    ------
    CallError
        GP402 for another rank, GP403 for sizes that do not fit together or are out of bounds.
    """
    for text, t, shape in leaves:
        if len(shape) != t.rank:
            message = f"parameter {text}: expected {t}, got {len(shape)} dimensions: {tuple_text(shape)}"
            raise call_error("GP402", message, loc, [text])
    solution = _solve(leaves)
    for leaf in leaves:
        _check_leaf(leaf, solution, loc)
    for name, bound in (bounds or {}).items():
        _check_bound(name, bound, solution, loc)
    return solution.sizes


def _solve(leaves: Sequence[Leaf]) -> _Solution:
    """Plain names first, in order; then what follows from expressions with one unknown name."""
    solution = _Solution()
    compound = []
    for text, t, shape in leaves:
        for axis, (d, size) in enumerate(zip(t.shape, shape, strict=True)):
            name = symbol_name(d)
            if name is None:
                compound.append((text, axis, d, size))
            elif name not in solution.sizes:
                solution.set(name, size, text, axis)
    progress = True
    while progress:
        progress = False
        for text, axis, d, size in compound:
            unknown = d.symbols - solution.sizes.keys()
            if len(unknown) == 1:
                (name,) = unknown
                value = _solve_linear(d, name, size, solution.sizes)
                if value is not None:
                    solution.set(name, value, text, axis)
                    progress = True
    return solution


def symbol_name(d: Dim) -> str | None:
    """The name, of a dim that is just a name."""
    match d.terms:
        case (((Symbol(name),), 1),):
            return name
    return None


def _solve_linear(d: Dim, name: str, size: int, sizes: Mapping[str, int]) -> int | None:
    """The value of `name` for which `d` is `size`, where `d` is linear in it; None if there is none."""
    slope = 0
    for monomial, coefficient in d.terms:
        if any(isinstance(a, Application) and name in Dim((((a,), 1),)).symbols for a in monomial):
            return None
        if Symbol(name) in monomial:
            rest = list(monomial)
            rest.remove(Symbol(name))
            if Symbol(name) in rest:
                return None
            slope += Dim(((tuple(rest), coefficient),)).evaluate(sizes)
    remainder = size - d.evaluate({**sizes, name: 0})
    if slope == 0 or remainder % slope or remainder // slope < 0:
        return None
    return remainder // slope


def _check_leaf(leaf: Leaf, solution: _Solution, loc: Loc) -> None:
    for d, size in zip(leaf[1].shape, leaf[2], strict=True):
        unknown = d.symbols - solution.sizes.keys()
        if not unknown and _value(d, solution.sizes) != size:
            raise call_error("GP403", _mismatch(leaf, solution), loc, _concerned(leaf, solution))
        if len(unknown) == 1 and _is_polynomial(d):
            (name,) = unknown
            text = f"{_mismatch(leaf, solution)}: no size {name} gives {d} = {size}"
            raise call_error("GP403", text, loc, _concerned(leaf, solution))


def _value(d: Dim, sizes: Mapping[str, int]) -> int | None:
    """The value of a dim; None where it has none, such as `m&n` of sizes that do not broadcast."""
    try:
        return d.evaluate(sizes)
    except (ValueError, ZeroDivisionError):
        return None


def _is_polynomial(d: Dim) -> bool:
    """Linear ones of these have been solved, if they can be."""
    return all(len(m) <= 1 and all(isinstance(a, Symbol) for a in m) for m, _ in d.terms)


def _mismatch(leaf: Leaf, solution: _Solution) -> str:
    text, t, shape = leaf
    names = sorted({name for d in t.shape for name in d.symbols} & solution.sizes.keys())
    facts = []
    for name in names:
        origin, _ = solution.origin[name]
        place = "" if origin == text else f" (from {origin})"
        facts.append(f"{name}={solution.sizes[name]}{place}")
    given = f" with {', '.join(facts)}" if facts else ""
    return f"parameter {text}: expected {t}{given}, got {tuple_text(shape)}"


def _concerned(leaf: Leaf, solution: _Solution) -> list[str]:
    """The argument, and those that gave its names other sizes."""
    names = sorted({name for d in leaf[1].shape for name in d.symbols} & solution.origin.keys())
    return list(dict.fromkeys([leaf[0], *(solution.origin[name][0] for name in names)]))


def _check_bound(name: str, bound: Bound, solution: _Solution, loc: Loc) -> None:
    size = solution.sizes.get(name)
    if size is None or bound.allows(size):
        return
    text, axis = solution.origin[name]
    raise call_error("GP403", f"parameter {text}, axis {axis}: {name} is {size}, dims allows {bound}", loc)


# ---------------------------------------------------------------- per call


class Checker:
    """`check_sizes` for one signature: a function of the shapes, which must have the ranks of the signature.

    Attributes
    ----------
    test : str
        The condition on the shapes `s` as an expression, which may raise ValueError and ZeroDivisionError where it
        does not hold; empty where there is none.
    """

    def __init__(self, leaves: Sequence[tuple[str, TensorType]], bounds: Bounds | None, loc: Loc, test: str):
        self._leaves, self._bounds, self._loc = leaves, bounds, loc
        self.test = test
        self._fits = size_test(test) if test else None

    def __call__(self, shapes: Sequence[Shape]) -> None:
        if self._fits is None or not self._fits(shapes):
            leaves = [(text, t, s) for (text, t), s in zip(self._leaves, shapes, strict=True)]
            check_sizes(leaves, self._bounds, self._loc)


def size_checker(
    leaves: Sequence[tuple[str, TensorType]], bounds: Bounds | None = None, loc: Loc = UNKNOWN
) -> Checker | None:
    """The checker of a signature; None if there is nothing to check."""
    known = _first_places(leaves)
    tests = list(_tests(leaves, bounds or {}, known))
    if not tests:
        return None
    return Checker(leaves, bounds, loc, "" if None in tests else " and ".join(filter(None, tests)))


def size_conditions(leaves: Sequence[tuple[str, TensorType]], bounds: Bounds | None = None) -> str:
    """What a checker asks of the shapes `s`, as an expression; not about sizes that have to be solved first."""
    return " and ".join(filter(None, _tests(leaves, bounds or {}, _first_places(leaves))))


def size_test(text: str) -> Callable[[Sequence[Shape]], bool]:
    """The condition of a checker as a function of the shapes."""
    fits: Callable[[Sequence[Shape]], bool] = eval(f"lambda s: {text}", {"broadcast_sizes": broadcast_sizes})

    def test(shapes: Sequence[Shape]) -> bool:
        try:
            return fits(shapes)
        except (ValueError, ZeroDivisionError):
            return False  # a dim that has no value: `m&n` of sizes that do not broadcast

    return test


def _first_places(leaves: Sequence[tuple[str, TensorType]]) -> dict[str, str]:
    """Where each plain name is first seen, as an expression of the shapes `s`."""
    places: dict[str, str] = {}
    for i, (_, t) in enumerate(leaves):
        for axis, d in enumerate(t.shape):
            name = symbol_name(d)
            if name is not None:
                places.setdefault(name, f"s[{i}][{axis}]")
    return places


def _tests(leaves: Sequence[tuple[str, TensorType]], bounds: Bounds, places: Mapping[str, str]) -> Iterator[str | None]:
    """Conditions on the shapes, as text; None for one that has to be solved first."""
    for i, (_, t) in enumerate(leaves):
        for axis, d in enumerate(t.shape):
            place = f"s[{i}][{axis}]"
            if not d.symbols <= places.keys():
                yield None
            elif places.get(symbol_name(d) or "") != place:
                yield f"{place} == {_source(d, places)}"
    used = {name for _, t in leaves for d in t.shape for name in d.symbols}
    for name in bounds.keys() & used:
        yield _bound_source(bounds[name], places[name]) if name in places else None


def _bound_source(bound: Bound, place: str) -> str:
    return f"{bound.low} <= {place}" + ("" if bound.high is None else f" <= {bound.high}")


def _source(d: Dim, places: Mapping[str, str]) -> str:
    terms = ["*".join([str(c), *(_atom_source(a, places) for a in m)]) for m, c in d.terms]
    return f"({'+'.join(terms) or '0'})"


def _atom_source(atom: Atom, places: Mapping[str, str]) -> str:
    if isinstance(atom, Symbol):
        return places[atom.name]
    args = [_source(arg, places) for arg in atom.args]
    return _SOURCES[atom.op].format(*args, all=",".join(args))


_SOURCES = {"//": "({}//{})", "max": "max({all})", "&": "broadcast_sizes(({all}))"}
