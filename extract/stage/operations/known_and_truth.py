"""Using a value: as a number or array, as something static, as a truth value.

Everything that consumes values goes through here, so that a value that may be unset, that does not
merge, or that lives on the host is refused (or checked) in one way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine import registry, signals
from graph_program.extract.stage.machine.checks.booleans import negate
from graph_program.extract.stage.machine.decisions import CHOICES
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.paths.flow import choose
from graph_program.extract.stage.paths.joins.key_order import AnyOrder
from graph_program.extract.stage.paths.several import member_numbers, one_of_several
from graph_program.extract.stage.paths.several.forms import NUMBERS, THINGS, asked_of_each
from graph_program.extract.stage.values.choices import is_function, things_of
from graph_program.extract.stage.values.column_data import DIFFERENT_TYPES, SEQUENCES, Growing
from graph_program.extract.stage.values.generic import forward, generic
from graph_program.extract.stage.values.questions import is_known, is_known_as, is_partly_set, is_ref_to, known_size
from graph_program.extract.stage.values.structure import choice_of_texts, describe, with_article
from graph_program.extract.stage.values.values import (
    UNKNOWN,
    DictView,
    Maybe,
    Mixed,
    Number,
    Ref,
    Static,
    Tensor,
    Text,
    Tuple,
    UnknownUsed,
    Value,
    is_number_class,
    is_numeric,
    static_contents,
    type_of,
)
from graph_program.extract.types.dims import put_in
from graph_program.extract.types.rules.facts import dim_of
from graph_program.extract.types.tensors.tensor_type import PY_TYPES, Kind

INSTEAD = {
    "a dict key": "keep what it counts or finds in an array, at the key as position, or use keys that are known",
    "the repeat count of a sequence": "np.full(n, value) makes an array of computed length; a list needs a literal, "
    "a captured number, a shape, or a parameter of type Static[int]",
    "the index of a list or tuple of numbers": "an array of them, `np.array(numbers)[i]`, takes any index",
}
"""What to write where something that must be known is computed."""
HINT_OF_STATIC = "use a literal, a captured number, a shape, or a parameter of type Static[int]"


@entries.settled.given
def settled(m: Machine, value: Value) -> Value:
    if isinstance(value, Mixed):
        merged = one_of_several.merged(m, value)
        if merged is None:
            raise mixed_error(m, value)
        return merged
    if is_partly_set(value):
        m.check(value.missing, UnboundLocalError, unbound_text(m.hint_name))
        return settled(m, value.value)
    if value is UNKNOWN:
        raise UnknownUsed
    return value


def unbound_text(name: str) -> str:
    """Python's message for a local that is not set."""
    return f"cannot access local variable '{name}' where it is not associated with a value"


def needed(m: Machine, value: Maybe, error: diagnostics.GraphProgramError) -> Exception:
    """What to raise where it matters whether a value is there, which only the run tells; see `splitting`."""
    flag = value.missing
    return signals.KeysNeeded(value, flag, error) if isinstance(flag, Tensor) and m.inference is None else error


def mixed_error(m: Machine, value: Mixed) -> Exception:
    """The refusal of a value that is of different kinds on different paths."""
    if value.grows:
        text = f"{DIFFERENT_TYPES}: {value.reason}"
        error = m.error("GP357", text, hint=value.advice)
        return signals.ListGrows(-1 if value.loop is None else value.loop, error) if value.loop is not None else error
    error = m.error(
        "GP311",
        f"this value is {value.reason}, depending on the path taken",
        cls=diagnostics.DTypeError,
        labels=tuple(diagnostics.Label(loc, "one of them is made here") for loc in value.locs[:2]),
        hint=advice(value),
    )
    shared = refused_choice(m, value.values, error)
    if shared is not error:
        return shared
    if value.loop is not None:
        apart = choices_needed(m, value.values, error) if m.decided[CHOICES] else error
        return signals.PeelNeeded(value.loop, error, value.place) if apart is error else apart
    return error if value.selector is None else signals.SplitNeeded(value, value.selector, error)


@entries.numeric.given
def numeric(m: Machine, value: Value, what: str = "operand") -> Number:
    if isinstance(value, Mixed | Static) and not is_numeric(value):
        value = member_numbers.array_number(m, value)
    value = settled(m, value)
    if is_numeric(value):
        return value
    return as_operand(m, value, what)


@generic
def as_operand(m: Machine, value: Value, what: str) -> Number:
    """The number or array that a value is as an operand; refused where it is none."""
    raise not_an_operand(m, value, what)


def instead_of_view(value: Value) -> str:
    """What to write instead of a view of a dict; nothing for other values."""
    return f"make a list of it: `list(d.{value.kind}())`" if isinstance(value, DictView) else ""


def not_an_operand(m: Machine, value: Value, what: str) -> diagnostics.GraphProgramError:
    """The refusal of something that is no number and no array."""
    return m.error(
        "GP313",
        f"a {describe(value)} cannot be {with_article(what)} of a tensor operation",
        hint=instead_of_view(value) or "use numbers and arrays",
    )


as_operand.register(Static, lambda m, value, *_: m.captured_array(value), holding=np.ndarray)


@as_operand.of(DictView)
def _refuse_view(m: Machine, value: DictView, what: str) -> Number:
    raise not_an_operand(m, value, what)


@as_operand.of(Maybe)
def _refuse_optional(m: Machine, value: Maybe, what: str) -> Number:
    raise m.error("GP312", f"this {what} may be None", cls=diagnostics.DTypeError, hint="test it with `is None` first")


@forward
def refused_choice(m: Machine, values: Sequence[Value], error: diagnostics.GraphProgramError) -> Exception:
    """What to raise where one of some captured objects is looked into: `error`, unless their container can be state."""


@forward
def choices_needed(m: Machine, values: Iterable[Value], error: diagnostics.GraphProgramError) -> Exception:
    """What to raise where it matters which object a value is: `error`, unless keeping them apart may tell."""


@forward
def needed_for_order(m: Machine, holder: Ref, error: diagnostics.GraphProgramError) -> Exception | None:
    """What has the host make a dict, where the order of its keys depends on the path; None where that cannot be."""


@entries.contents_of.given
def contents_of(m: Machine, ref: Ref, ordered: bool = True) -> Any:
    """The items of a list, or the entries of a dict, whose structure is the same on every path.

    The order of a dict's keys is, too, where it matters (`ordered`).
    """
    found = m.live.heap[ref]
    entries.require_whole(m, ref, found)
    if isinstance(found, Growing):
        return entries.known_items(m, found)
    if ordered:
        require_order(m, ref)
    values = found if isinstance(found, tuple) else found.values()
    for value in values:
        if isinstance(value, Mixed) and value.grows:
            raise mixed_error(m, value)
        if isinstance(found, dict) and is_partly_set(value):
            error = m.error(
                "GP311",
                "this dict has other keys, depending on the path taken",
                cls=diagnostics.DTypeError,
                hint="set the same keys on every path",
            )
            raise needed(m, value, error)
    return found


def require_order(m: Machine, ref: Ref) -> None:
    """Have the host make a dict whose keys were put in in another order on another path, or refuse it."""
    if ref.cls is dict and isinstance(m.live.heap[ref], AnyOrder):
        error = m.error(
            "GP455",
            "the order of this dict's keys depends on the path taken",
            hint="put the keys in in the same order on every path, for example all of them first",
        )
        raise needed_for_order(m, ref, error) or error


@entries.tensor.given
def tensor(m: Machine, value: Value, what: str = "operand") -> Tensor:
    value = numeric(m, value, what)
    if isinstance(value, Tensor):
        return value
    number = m.in_range(value.value)
    kind = Kind.PYTHON if is_number_class(number) else Kind.NUMPY
    dtype = PY_TYPES[type(number)].dtype if kind is Kind.PYTHON else None
    return m.constant(np.asarray(number, dtype=dtype), kind)


def static(m: Machine, value: Value, what: str) -> Any:
    """The Python object behind a value that must be known at extraction.

    Raises
    ------
    StaticNeeded
        Where unrolling a loop or specialising a parameter would make it known.
    DTypeError
        Otherwise (GP309).
    """
    value = settled(m, value)
    if is_known(value):
        return value.value
    if isinstance(value, Tuple):
        elts = [static(m, v, what) for v in value.elts]
        return value.cls(*elts) if value.cls else tuple(elts)
    if is_ref_to(value, *SEQUENCES):
        return value.cls(static(m, v, what) for v in contents_of(m, value))
    size = known_size(value)
    if size is not None:
        return size
    if isinstance(value, Tensor) and not m.is_written(value):
        contents = static_contents(value)
        if contents is not None:
            return contents.item() if value.is_python else contents[()]
    choice = choice_of_texts(value)
    if choice is not None:
        raise mixed_error(m, choice)
    error = not_static(m, value, what)
    inside = value.computed if isinstance(value, Text) else (value,)
    for one in inside:
        if one.needs if one is value else may_become_known(m, one):
            raise signals.StaticNeeded(one, error)
    raise error


def may_become_known(m: Machine, value: Value) -> bool:
    """Whether a loop around may be unrolled, or a parameter taken as it is, to know a number in a text."""
    return any(isinstance(need, tuple) or need in m.loops.unrolling for need in value.needs)


def not_static(m: Machine, value: Value, what: str) -> diagnostics.GraphProgramError:
    """The refusal of something computed where it must be known."""
    return m.error(
        "GP309",
        f"{what} must be known when the program is extracted, but it is a computed {describe(value)}",
        cls=diagnostics.DTypeError,
        hint=INSTEAD.get(what, HINT_OF_STATIC),
    )


def size_needed(size: Value, error: diagnostics.GraphProgramError) -> Exception:
    """What to raise where a size must be known: a retry with the arguments' own may help."""
    if size.needs:
        return signals.StaticNeeded(size, error)
    return error if size.size is None else signals.SizeNeeded(size, error)


def no_elements(m: Machine, x: Tensor, axis: int) -> bool | None:
    """Whether an axis is empty, which the arguments tell where their sizes decide; None where only the run does."""
    size = x.type.shape[axis]
    known = m.live.facts.decide("==", size, 0)
    filled = {name for name in size.symbols if m.live.facts.decide(">", dim_of(name), 0)}
    if known is None and (put_in(size, {name: dim_of(name) + 1 for name in filled}).lower or 0) > 0:
        return False
    if known is None and size.symbols <= m.telling and not size.symbols <= filled:
        text = f"whether a dim of size {size} is 0 must be known when the program is extracted"
        raise signals.EmptinessNeeded(tensor(m, m.dimension(x, axis)), m.error("GP309", text))
    return known


@asked_of_each(THINGS, NUMBERS)
def truth_value(m: Machine, value: Value) -> Value:
    """`bool(value)`: static, or a Python bool in the graph."""
    if is_known(value) and not isinstance(value.value, np.ndarray):
        return Static(bool(value.value))
    return truth(m, value)


@generic
def truth(m: Machine, value: Value) -> Value:
    """`bool(value)` of a value that is not known; that of what says nothing else is true."""
    return Static(True)


@truth.of(Tensor)
@truth.of(Static, holding=np.ndarray)
def _truth_of_array(m: Machine, value: Value) -> Value:
    return truth_of_tensor(m, tensor(m, value))


def truth_of_tensor(m: Machine, value: Tensor) -> Value:
    """Python's truth of a number or of an array with one element, in NumPy's words for any other."""
    if value.rank:
        value = only_element(m, value)
    if value.type.dtype.kind == "b":
        return m.reclassed(value, Kind.PYTHON)
    if isinstance(value.operand, str) or m.is_written(value):
        zero = m.constant(np.zeros((), value.type.dtype))
        return m.op("not_equal", value, zero, kind=Kind.PYTHON)
    contents = static_contents(value)
    return Static(bool(contents))


def only_element(m: Machine, value: Tensor) -> Tensor:
    """The one element of an array whose truth is asked; a run with another number of elements fails."""
    sizes = [d.constant for d in value.type.shape]
    if all(s == 1 for s in sizes):
        return m.op("reshape", value)
    several, none = _ambiguous(2), _ambiguous(0)
    if 0 in sizes and not none:
        return m.constant(np.asarray(False))
    if 0 in sizes or None not in sizes:
        raise m.error("GP314", none if 0 in sizes else several, hint="use .any() or .all()", raised=True)
    count = registry.ATTRIBUTES["size"](m, [value], {})
    if none:
        m.check(compare(m, "==", count, Static(0)), ValueError, none)
    m.check(compare(m, ">", count, Static(1)), ValueError, several)
    found = m.op("not_equal", value, m.constant(np.zeros((), value.type.dtype)))
    return m.op("any", found, axes=tuple(range(value.rank)), keepdims=False)


def _ambiguous(count: int) -> str:
    """What this NumPy says of the truth of an array with so many elements; nothing where it has one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            bool(np.zeros(count))
        except ValueError as error:
            return str(error)
    return ""


@truth.of(Maybe)
def _truth_of_optional(m: Machine, value: Maybe) -> Value:
    result = choose(m, negate(m, value.missing), lambda: truth_value(m, value.value), lambda: Static(False))
    if isinstance(result, Tensor) and result is not value.missing and result.implied is None:
        result.implied = (True, ((value.missing, False),))
    return result


def is_computed(m: Machine, position: Value) -> bool:
    """Whether a position is computed, and neither unrolling a loop nor specialising a parameter makes it known."""
    if not isinstance(position, Tensor) or known_size(position) is not None:
        return False
    specialises = not m.options.purpose.any_number
    return not any(specialises if isinstance(n, tuple) else n in m.loops.unrolling for n in position.needs)


def advice(mixed: Mixed) -> str:
    """The hint of a refusal where a value is of different kinds on different paths, by what these are.

    0 and float64           0.0 or np.float32(0) instead of 0
    int and float64 [n]     an array on every path, such as np.zeros(...) instead of 0
    tuple and tuple         as many elements on every path
    """
    things = list(things_of(mixed))
    return next(text for fits, text in HINTS if all(map(fits, things)))


def _is_number(value: Value) -> bool:
    return is_numeric(value) and type_of(value).rank == 0


def _is_array(value: Value) -> bool:
    return is_numeric(value) and type_of(value).rank > 0


def _is_structure(value: Value) -> bool:
    known = is_known_as(value, list | tuple | dict)
    return known or isinstance(value, Tuple) or is_ref_to(value, *SEQUENCES, dict)


def _is_object(value: Value) -> bool:
    return isinstance(value, Ref)


HINTS: Sequence[tuple[Callable[[Value], bool], str]] = (
    (_is_number, "give it the same type on every path, for example by writing 0.0 or np.float32(0) instead of 0"),
    (_is_array, "give it the same rank and element type on every path, for example with keepdims=True or astype"),
    (is_numeric, "make it an array of one rank on every path, for example by writing np.zeros(...) instead of 0"),
    (_is_structure, "give it the same elements on every path: as many, under the same keys, of the same types"),
    (is_function, "call it in each of the branches that choose it"),
    (_is_object, "use it in the branches where it is made, or behind a test of its class with isinstance"),
    (lambda *_: True, "use it in the branches where it is set, or give it the same type on every path"),
)
"""Hints for values of which all are such; the first that fits."""
