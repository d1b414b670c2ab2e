"""`itertools` over lists, arrays and ranges of computed length: by number, or as lists that loops of the graph make.

for a, b in itertools.pairwise(x):              ->      for a, b in zip(x, x[1:]):
for a, b in itertools.combinations(x, 2):       ->      for a, b in [(x[0], x[1]), (x[0], x[2]), ...]:
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graph_program.extract.library import combined
from graph_program.extract.stage.arrays.size_checks import quotient
from graph_program.extract.stage.functions.builtins.builtin_iterables import listed
from graph_program.extract.stage.kinds import explicit_iterators
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.checks.lengths import is_growing
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import items, iteration
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.operations.objects import new_list
from graph_program.extract.stage.paths import iterator_exhaustion
from graph_program.extract.stage.values.inside import elements_of
from graph_program.extract.stage.values.questions import has_contents, is_array_of_graph
from graph_program.extract.stage.values.values import (
    NONE,
    Iteration,
    Range,
    Ref,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric,
)

Keywords = Mapping[str, Value]


def by_number(
    m: Machine, function: Any, iterables: Sequence[Value], rest: Sequence[Value], named: Keywords
) -> Iteration | None:
    """What a function of `itertools` gives; None where the elements are taken one by one at extraction."""
    rule = RULES.get(function)
    if rule is None or not are_computed(m, iterables):
        return None
    before = Checkpoint(m)
    found = rule(m, [_indexable(m, v) for v in iterables], rest, named)
    if found is None:
        before.restore()
    return found


def are_computed(m: Machine, iterables: Sequence[Value]) -> bool:
    """Whether how many elements some iterables have is computed, and a loop can go through all of them."""
    checkpoint = Checkpoint(m)
    with iterator_exhaustion.looking_ahead(m):
        sources = [None if any(explicit_iterators.iterators_in(v)) else iteration.iterate(m, v) for v in iterables]
    checkpoint.restore()
    found = [s for s in sources if s is not None]
    if any(s.host is not None for s in found):
        return False
    known = all(s.items is not None and (s.count or 0) <= iteration.MAX_LISTED for s in found)
    if len(found) == len(sources) and known:
        return False
    items = (item for s in found if s.unroll and s.items is not None for item in s.items())
    return all(is_numeric(v) or has_contents(v) for item in items for v in elements_of(item))


def _indexable(m: Machine, value: Value) -> Value:
    """An iterable as something with a length and an index."""
    value = settled(m, value)
    if isinstance(value, Tensor | Range) or is_growing(m, value):
        return value
    return new_list(m, listed(m, value, "itertools"))


def iterator(elements: Value) -> Iteration:
    """An iterator over what a program has made."""
    return Iteration("iter", (elements,))


def between(m: Machine, iterable: Value, start: Value, stop: Value, step: Value) -> Iteration:
    """`islice(iterable, start, stop, step)` of what an index can be asked for."""
    return iterator(entries.run(m, combined.between, _indexable(m, iterable), start, stop, step))


def is_chained_by_rounds(m: Machine, iterables: Value) -> bool:
    """Whether how many elements there are in some iterables together is computed."""
    if are_computed(m, [iterables]):
        return True
    checkpoint = Checkpoint(m)
    with iterator_exhaustion.looking_ahead(m):
        source = iteration.iterate(m, iterables)
        inner = [] if source.items is None else list(source.items())
    checkpoint.restore()
    return source.host is None and are_computed(m, inner)


def chained(m: Machine, iterables: Value) -> Iteration:
    """`chain.from_iterable(iterables)`."""
    return iterator(entries.run(m, combined.chained, iterables))


def items_of(m: Machine, iterables: Value) -> list[Value]:
    """Iterables of which there are as many as is known."""
    return [] if is_growing(m, iterables) else iteration.structure_items(m, iterables) or []


# ---------------------------------------------------------------- rules


def _pairwise(m: Machine, parts: list[Value], rest: Sequence[Value], named: Keywords) -> Iteration:
    return Iteration("zip", (parts[0], entries.run(m, combined.behind_the_first, parts[0])))


def _zip_longest(m: Machine, parts: list[Value], rest: Sequence[Value], named: Keywords) -> Iteration:
    return iterator(entries.run(m, combined.longest, Tuple(tuple(parts)), named.get("fillvalue", NONE)))


def _product(m: Machine, parts: list[Value], rest: Sequence[Value], named: Keywords) -> Iteration | None:
    repeat = static(m, named.get("repeat", Static(1)), "`repeat`")
    pools = [m.copied(p) if is_array_of_graph(p) and p.rank == 1 else _listed(m, p) for p in parts]
    return Iteration("product", tuple(pools) * repeat) if repeat > 0 else None


def _listed(m: Machine, value: Value) -> Value:
    return new_list(m, listed(m, value, "itertools")) if isinstance(value, Ref) else value


def _chosen(program: Callable[..., Any]) -> Callable[..., Iteration | None]:
    def rule(m: Machine, parts: list[Value], rest: Sequence[Value], named: Keywords) -> Iteration | None:
        r = named.get("r", rest[0] if rest else NONE)
        number = static(m, r, "`r`")
        return iterator(entries.run(m, program, parts[0], r)) if type(number) is int and number > 0 else None

    return rule


RULES: dict[Any, Callable[..., Iteration | None]] = {
    itertools.pairwise: _pairwise,
    itertools.chain: lambda m, parts, *_: chained(m, Tuple(tuple(parts))),
    itertools.zip_longest: _zip_longest,
    itertools.product: _product,
    itertools.combinations: _chosen(combined.combinations),
    itertools.combinations_with_replacement: _chosen(combined.combinations_with_replacement),
    itertools.permutations: _chosen(combined.permutations),
}
"""Functions of iterables, with what they do with those of computed length; None is left to the elements."""


def _product_source(m: Machine, value: Iteration) -> iteration.Source:
    """`product(...)`: the k-th element has the digits of k, of which the last runs fastest."""
    sources = [iteration.iterate(m, part) for part in value.parts]

    def trips() -> Value:
        return functools.reduce(functools.partial(arithmetic.arithmetic, m, "*"), (s.trips() for s in sources))

    def element(position: int, k: Value) -> Value:
        source = sources[position]
        return items.get_item(m, value.parts[position], k) if source.unroll else source.item(k)

    def item(k: Value) -> Value:
        found: list[Value] = []
        for position in reversed(range(1, len(sources))):
            k, digit = _divided(m, k, sources[position].trips())
            found.append(element(position, digit))
        return Tuple((element(0, k), *reversed(found)))

    return iteration.Source(trips, item, arrays=tuple(a for s in sources for a in s.arrays))


def _divided(m: Machine, k: Value, length: Value) -> tuple[Value, Value]:
    """`divmod(k, length)` of a position; where there is one, no length is 0."""
    return quotient(m, "floor_divide", k, length), quotient(m, "remainder", k, length)


iteration.SOURCES["product"] = _product_source
