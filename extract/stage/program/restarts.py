"""Starting an evaluation again, with other options or sizes, where it has found what it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from graph_program.extract.arguments.spec_dims import with_sizes
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.paths import Path, SizeStep, follow
from graph_program.extract.ir.specs import ArgSpec, TensorSpec, map_leaves, spec_leaves
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.signals import (
    ChoicesNeeded,
    ColumnsNeeded,
    HostDictNeeded,
    KeysNeeded,
    LayoutNeeded,
    NumbersNeeded,
    OriginalNeeded,
    PartsNeeded,
    PeelNeeded,
    StateNeeded,
    StaticNeeded,
    StepsNeeded,
    TablesNeeded,
    UnrollNeeded,
)
from graph_program.extract.stage.program import given_lists
from graph_program.extract.types.dims import Dim, Symbol

Restart = (
    StateNeeded
    | NumbersNeeded
    | ChoicesNeeded
    | KeysNeeded
    | LayoutNeeded
    | PartsNeeded
    | UnrollNeeded
    | StepsNeeded
    | ColumnsNeeded
    | HostDictNeeded
    | TablesNeeded
    | OriginalNeeded
    | PeelNeeded
)
"""What starts an evaluation again with other options."""
RESTARTS = (
    StateNeeded,
    NumbersNeeded,
    ChoicesNeeded,
    KeysNeeded,
    LayoutNeeded,
    PartsNeeded,
    UnrollNeeded,
    StepsNeeded,
    ColumnsNeeded,
    HostDictNeeded,
    TablesNeeded,
    OriginalNeeded,
    PeelNeeded,
)


def restarted(options: Options, needed: Restart) -> Options:
    """The options to evaluate with again; where nothing new is asked for, the refusal is raised."""
    match needed:
        case StateNeeded():
            return with_state(options, needed)
        case NumbersNeeded():
            return replace(options, numbers=True)
        case StepsNeeded():
            if options.recovery is not None:
                options.recovery.restart()
            return replace(options, steps=True)
        case LayoutNeeded():
            return replace(options, layouts=options.layouts | needed.paths)
        case ColumnsNeeded():
            return replace(options, columns=options.columns | needed.places)
        case TablesNeeded():
            if options.recovery is not None:
                options.recovery.restart()
            new = dict.fromkeys(needed.classes, needed.error)
            return replace(options, tables={**options.tables, **new}, unrolled=frozenset(), choices=frozenset())
        case OriginalNeeded(place=place):
            return replace(options, originals=options.originals | {place})
        case HostDictNeeded(place=place) if place not in options.host_dicts:
            return replace(options, host_dicts=options.host_dicts | {place})
        case PartsNeeded(place=place) if place not in options.parted:
            return replace(options, parted=options.parted | {place})
        case ChoicesNeeded():
            return replace(options, choices=options.choices | needed.places)
        case PeelNeeded(place=place, error=error) if place is not None and place not in options.peeled:
            return replace(options, peeled={**options.peeled, place: error})
        case KeysNeeded(place=place) if place is not None and place not in options.splits:
            return replace(options, splits=options.splits | {place})
    if isinstance(needed, UnrollNeeded) and not given_lists.loops(needed.loops) <= options.unrolled:
        return replace(options, unrolled=options.unrolled | given_lists.loops(needed.loops))
    if not goes_on(options, needed.error):
        raise needed.error from None
    return options


def peels(options: Options, needed: BaseException) -> bool:
    """Whether an evaluation ends as a loop that is over is to be peeled, and was not."""
    return isinstance(needed, PeelNeeded) and needed.place is not None and needed.place not in options.peeled


def with_state(options: Options, needed: StateNeeded) -> Options:
    """The options for starting again with one more attribute as state.

    What was reached through that attribute is read with it from now on.
    """
    new = needed.attribute
    inside = (*new.path, f".{new.name}")
    kept = (a for a in options.state if a.path[: len(inside)] != inside)
    if options.recovery is not None:
        options.recovery.restart()
    return replace(options, state=(*kept, new))


def specialised(options: Options, needed: StaticNeeded, unknown: frozenset[str]) -> Options | None:
    """The options for starting again with leaves known by value; None where that does not help.

    `unknown` are the parameters that have no values.
    """
    new = {n: needed.error.diagnostic for n in needed.value.needs if isinstance(n, tuple)}
    if new.keys() <= options.static_parameters.keys() or any(str(path[0]) in unknown for path in new):
        return None
    return replace(options, static_parameters={**new, **options.static_parameters})


def with_needed_sizes(
    specs: Mapping[str, ArgSpec], values: Mapping[str, Any] | None, needed: Dim | None
) -> Mapping[str, ArgSpec] | None:
    """The specs with the sizes that the arguments give to the names in a dim; None where they do not tell."""
    if values is None or needed is None:
        return None
    axes = [axis for axis in named_axes(specs) if axis.name in needed.symbols]
    sizes = {axis.name: follow(values[str(axis.path[0])], axis.path) for axis in axes}
    if not sizes or not needed.symbols <= sizes.keys():
        return None
    return {name: with_sizes(spec, sizes) for name, spec in specs.items()}


def with_known_emptiness(
    specs: Mapping[str, ArgSpec], values: Mapping[str, Any] | None, needed: Dim | None
) -> Mapping[str, ArgSpec] | None:
    """The specs with the names in a dim as 0 where they are, and else not empty; None where that is known.

    Types that come without arguments are of arrays with elements.
    """
    if needed is None:
        return None
    axes = [axis for axis in named_axes(specs) if axis.name in needed.symbols]
    empty = {a.name: 0 for a in axes if values is not None and follow(values[str(a.path[0])], a.path) == 0}
    filled = {axis.path for axis in axes if axis.name not in empty}

    def marked(leaf: ArgSpec, place: Path) -> ArgSpec:
        if not isinstance(leaf, TensorSpec):
            return leaf
        new = frozenset(axis for axis in range(leaf.type.rank) if (*place, SizeStep(axis)) in filled)
        return replace(leaf, filled=leaf.filled | new)

    found = {name: map_leaves(with_sizes(spec, empty), marked, (name,)) for name, spec in specs.items()}
    return None if found == dict(specs) else found


def with_static_sizes(
    options: Options, before: Mapping[str, ArgSpec], after: Mapping[str, ArgSpec], error: GraphProgramError
) -> Options:
    """The options with a note of the sizes that have become known, and of what needed them."""
    left = {axis.path for axis in named_axes(after)}
    new = {axis.path: error.diagnostic for axis in named_axes(before) if axis.path not in left}
    return replace(options, static_sizes={**options.static_sizes, **new})


class NamedAxis(NamedTuple):
    """An axis of an argument whose size is a name: the path leads to the size; `filled`: it is known not to be 0."""

    name: str
    path: Path
    filled: bool


def named_axes(specs: Mapping[str, ArgSpec]) -> Iterator[NamedAxis]:
    """The axes of arguments whose sizes are a name each."""
    for name, spec in specs.items():
        for path, leaf in spec_leaves(spec, (name,)):
            if not isinstance(leaf, TensorSpec):
                continue
            for axis, d in enumerate(leaf.type.shape):
                if isinstance(d.atom, Symbol):
                    yield NamedAxis(d.atom.name, (*path, SizeStep(axis)), axis in leaf.filled)


def goes_on(options: Options, error: GraphProgramError) -> bool:
    """Whether to start again: more is known, or the refusal is taken as final, to find those behind it."""
    return has_news(options) or (options.recovery is not None and options.recovery.give_up(error))


def has_news(options: Options) -> bool:
    """Whether to start again, as other things are in the program's containers on the host than was supposed."""
    news = options.contents is not None and options.contents.is_news()
    if news and options.recovery is not None:
        options.recovery.restart()
    return news
