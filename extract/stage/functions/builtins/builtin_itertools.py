"""`itertools` over what is known at extraction: which elements there are, though not what they hold.

for a, b in itertools.combinations((x, y, z), 2):      ->      three rounds, unrolled
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from graph_program.extract.library import combined, iterators
from graph_program.extract.library.iterators import INDICES, OUT_OF_REACH, STEP, STOP
from graph_program.extract.stage.functions.builtins import computed_iterables
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.kinds import explicit_iterators
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_builtin
from graph_program.extract.stage.numbers.python_numbers import as_int
from graph_program.extract.stage.operations import iteration
from graph_program.extract.stage.operations.iteration import static_items
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.operations.operators import binary
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.questions import are_known, is_just
from graph_program.extract.stage.values.values import NONE, Iteration, Static, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import PY_INT

MAX_ITEMS = 4096


def _iterator(m: Machine, name: str, items: Iterable[Any]) -> Iteration:
    """An iterator over these values; tuples of values are tuples."""
    found = list(itertools.islice(items, MAX_ITEMS + 1))
    if len(found) > MAX_ITEMS:
        raise m.error("GP318", f"itertools.{name} gives more than {MAX_ITEMS} elements", hint="use a for loop")
    values = (v if isinstance(v, Value) else Tuple(tuple(v)) for v in found)
    return Iteration("iter", (Tuple(tuple(values)),))


def _over_items(function: Callable[..., Iterable[Any]]) -> Callable[..., Value]:
    """Register a function of iterables whose other arguments are numbers."""
    name = function.__name__

    def run(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        iterables, numbers = (args, ()) if function in VARIADIC else (args[:1], args[1:])
        if not iterables and function not in VARIADIC:
            raise type_error(m, f"{name}() missing required argument 'iterable' (pos 1)")

        def make() -> Iteration:
            found = computed_iterables.by_number(m, function, iterables, numbers, keywords)
            return _of_known(m, function, iterables, numbers, keywords) if found is None else found

        return (
            make()
            if function in POOLING
            else explicit_iterators.made_at_once(m, function, args, keywords, iterables, make)
        )

    return lowers_builtin(function, name=name)(run)


def _of_known(
    m: Machine,
    function: Callable[..., Iterable[Any]],
    iterables: Sequence[Value],
    numbers: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Iteration:
    """What a function gives of iterables of known length."""
    name = function.__name__
    items = [static_items(m, v, f"itertools.{name}") for v in iterables]
    known = [static(m, v, f"an argument of itertools.{name}") for v in numbers]
    named = {k: v if k == "fillvalue" else static(m, v, f"`{k}`") for k, v in keywords.items()}
    if function is itertools.zip_longest:
        named.setdefault("fillvalue", NONE)
    try:
        return _iterator(m, name, function(*items, *known, **named))
    except TypeError as error:
        raise type_error(m, str(error)) from None
    except ValueError as error:
        m.raise_(ValueError, (str(error),))


POOLING = (itertools.product, itertools.combinations, itertools.combinations_with_replacement, itertools.permutations)
"""Functions that read all elements before they give the first one."""
VARIADIC = (itertools.product, itertools.chain, itertools.zip_longest)
for _function in (
    *VARIADIC,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
    itertools.pairwise,
):
    _over_items(_function)
_slice_of_known = _over_items(itertools.islice)


@lowers_builtin(itertools.islice)
def islice(m: Machine, iterable: Value, /, *bounds: Value) -> Value:
    """`itertools.islice(iterable, stop)`, `itertools.islice(iterable, start, stop, step)`."""
    iterable = settled(m, iterable)
    stepped = any(explicit_iterators.iterators_in(iterable))
    given = (NONE, *bounds, NONE) if len(bounds) == 1 else (*bounds, NONE)[:3]
    known = are_known(settled(m, b) for b in bounds)
    if not 1 <= len(bounds) <= 3 or not (stepped or computed_iterables.are_computed(m, [iterable]) or not known):
        return _slice_of_known(m, iterable, *bounds)
    found = [_bound(m, value, text) for value, text in zip(given, (INDICES, STOP, STEP), strict=True)]
    if stepped:
        return entries.call(m, Static(iterators.sliced), [explicit_iterators.as_one(m, iterable), *found], {})
    if isinstance(iterable, Tensor):
        return computed_iterables.between(m, iterable, *found)
    args = (iterable, *bounds)
    return explicit_iterators.made_at_once(
        m, itertools.islice, args, {}, [iterable], lambda: computed_iterables.between(m, iterable, *found)
    )


def _bound(m: Machine, value: Value, text: str) -> Value:
    """A bound of a slice, as an int or None."""
    if is_just(value, None):
        return value
    if not is_numeric(value) or type_of(value).shape != () or type_of(value).dtype.kind not in "iub":
        m.raise_(ValueError, (text,))
    return as_int(m, value)


@lowers_builtin(itertools.chain.from_iterable, name="chain.from_iterable")
def chain_from_iterable(m: Machine, iterables: Value, /) -> Value:
    what = "itertools.chain.from_iterable"
    function = itertools.chain.from_iterable

    def make() -> Iteration:
        if computed_iterables.is_chained_by_rounds(m, iterables):
            return computed_iterables.chained(m, iterables)
        parts = static_items(m, iterables, what)
        return _iterator(m, "chain", [v for part in parts for v in static_items(m, part, what)])

    read = [iterables, *computed_iterables.items_of(m, settled(m, iterables))]
    return explicit_iterators.made_at_once(m, function, [iterables], {}, read, make)


@lowers_builtin(itertools.repeat)
def repeat(m: Machine, value: Value, times: Value | None = None) -> Value:
    if times is None:
        return Iteration("repeat", (value,))
    return _iterator(m, "repeat", itertools.repeat(value, static(m, times, "`times`")))


def _endless(m: Machine, value: Iteration) -> iteration.Source:
    return iteration.Source(lambda: Static(OUT_OF_REACH), lambda _: value.parts[0], count=OUT_OF_REACH)


iteration.SOURCES["repeat"] = _endless


@lowers_builtin(itertools.count)
def count(m: Machine, start: Value = Static(0), step: Value = Static(1)) -> Value:  # noqa: B008
    """`itertools.count(start, step)` of ints."""
    by = static(m, step, "`step`")
    if not (is_numeric(start) and type_of(start) == PY_INT) or type(by) is not int or by == 0:
        raise m.error("GP318", "itertools.count of other steps than ints has no graph form", hint="use a while loop")
    return entries.call(m, Static(iterators.counter), [start, step], {})


@lowers_builtin(itertools.accumulate)
def accumulate(m: Machine, iterable: Value, func: Value = NONE, *, initial: Value = NONE) -> Value:
    begun = () if is_just(initial, None) else (initial,)

    def step(total: Value, item: Value) -> Value:
        return binary(m, "+", total, item) if is_just(func, None) else entries.call(m, func, [total, item], {})

    def make() -> Iteration:
        if computed_iterables.are_computed(m, [iterable]):
            program = combined.accumulated_from if begun else combined.accumulated
            function = Static(operator.add) if is_just(func, None) else func
            return computed_iterables.iterator(entries.run(m, program, *begun, iterable, function))
        items = [*begun, *static_items(m, iterable, "itertools.accumulate")]
        return _iterator(m, "accumulate", itertools.accumulate(items, step))

    keywords = {"initial": initial} if begun else {}
    return explicit_iterators.made_at_once(m, itertools.accumulate, [iterable, func], keywords, [iterable], make)


lowers_builtin(itertools.starmap)(lambda m, function, iterable, /: Iteration("starmap", (iterable,), function=function))


def _tested(function: Callable[..., Any], program: Callable[..., Any]) -> None:
    """Register a function that goes through one iterable, and asks for each element whether it is to be kept."""

    def lowered(m: Machine, first: Value, second: Value, /) -> Value:
        given = [settled(m, first), settled(m, second)]
        if structure.is_host(*given):
            return host_code.call_host(m, function, given, {})
        return explicit_iterators.made_at_once(
            m, function, given, {}, given, lambda: computed_iterables.iterator(entries.run(m, program, *given))
        )

    lowers_builtin(function)(lowered)


_tested(itertools.takewhile, combined.taken_while)
_tested(itertools.dropwhile, combined.dropped_while)
_tested(itertools.filterfalse, combined.without)
_tested(itertools.compress, combined.compressed)
