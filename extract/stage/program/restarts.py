"""Starting an evaluation again, with what it has found to be needed decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

from graph_program.extract.arguments.spec_dims import with_sizes
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import memory, tree
from graph_program.extract.ir.paths import LayoutStep, LengthStep, Path, SizeStep, follow
from graph_program.extract.ir.specs import ArgSpec, TensorSpec, map_leaves, spec_leaves, with_elements, with_static
from graph_program.extract.records import dataclass
from graph_program.extract.stage.lists.empty_lists import elements
from graph_program.extract.stage.machine.decisions import EMPTINESS, KNOWN, SIZES, TAKEN_APART, Decided, Why
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.signals import EmptinessNeeded, Needed, PeelNeeded, SizeNeeded, StaticNeeded
from graph_program.extract.stage.values.values import size_of
from graph_program.extract.types.dims import Dim, Symbol


@dataclass(frozen=True)
class Entry:
    """The function that is evaluated, with what is known of its arguments."""

    fn: FunctionType
    function: tree.Function
    specs: Mapping[str, ArgSpec]
    values: Mapping[str, Any] | None
    self_object: Any

    def present(self, path: Path) -> Any:
        """The argument at a path, for parameters that are specialised by value."""
        if self.values is None and isinstance(path[-1], LayoutStep):
            return memory.C
        assert self.values is not None
        return follow(self.values[str(path[0])], path)

    def sizes_named(self, dim: Dim | None) -> list[NamedAxis]:
        """The sizes of arguments that are the names in a dim."""
        return [axis for axis in named_axes(self.specs) if dim is not None and axis.name in dim.symbols]

    def as_decided(self, decided: Decided) -> Entry:
        """With what is decided of the arguments: lists taken apart or with elements, sizes that are known."""
        given, apart = elements(decided), decided[TAKEN_APART]
        specs = {n: with_elements(spec, given, (n,)) for n, spec in self.specs.items()}
        specs = {n: with_static(spec, apart.__contains__, (n,)) for n, spec in specs.items()}
        known = fixed_sizes(self, decided)
        sizes = {axis.name: known[axis.path] for axis in named_axes(specs) if axis.path in known}
        specs = {n: with_sizes(spec, sizes) for n, spec in specs.items()}
        marked = partial(_with_filled, decided)
        return replace(self, specs={n: map_leaves(spec, marked, (n,)) for n, spec in specs.items()})


def _with_filled(decided: Decided, leaf: ArgSpec, place: Path) -> ArgSpec:
    """A leaf with a note of which axes of an array are known not to be empty."""
    if not isinstance(leaf, TensorSpec):
        return leaf
    axes = (axis for axis, d in enumerate(leaf.type.shape) if isinstance(d.atom, Symbol))
    new = frozenset(axis for axis in axes if (*place, SizeStep(axis)) in decided[EMPTINESS])
    return replace(leaf, filled=leaf.filled | new)


def fixed_sizes(entry: Entry, decided: Decided) -> dict[Path, Any]:
    """The sizes of arguments that are known by value."""
    known = {path: entry.present(path) for path in decided[SIZES]}
    emptiness = decided[EMPTINESS] if entry.values is not None else ()
    return {**known, **{path: 0 for path in emptiness if entry.present(path) == 0}}


def why_fixed(entry: Entry, decided: Decided) -> dict[Path, Why]:
    """What needed the sizes and lengths of arguments and of the state that are known by value."""
    asked = {**decided[EMPTINESS], **decided[SIZES]}
    lengths = {(*path, LengthStep()): why for path, why in decided[TAKEN_APART].items()}
    return {**{path: asked[path] for path in fixed_sizes(entry, decided)}, **lengths}


# ---------------------------------------------------------------- starting again


def restarted(options: Options, needed: Needed) -> Options:
    """The options to evaluate with again; where nothing new is asked for, the refusal is raised."""
    decision, decided = needed.decision, options.decided
    if is_new(options, needed):
        if decision.finds_again and options.recovery is not None:
            options.recovery.restart()
        return replace(options, decided=decided.and_of(decision, needed.subjects, needed.error))
    assert needed.error is not None
    if not goes_on(options, needed.error):
        raise needed.error from None
    return options


def is_new(options: Options, needed: Needed) -> bool:
    """Whether something is to be decided that has not been."""
    return not options.decided[needed.decision].keys() >= set(needed.subjects)


def peels(options: Options, needed: BaseException) -> bool:
    """Whether an evaluation ends as a loop that is over is to be peeled, and was not."""
    return isinstance(needed, PeelNeeded) and is_new(options, needed)


def known_instead(entry: Entry, options: Options, needed: StaticNeeded) -> Needed:
    """The decision that makes a value known that has to be; where it cannot be, what is to be done instead."""
    found = _known(entry, needed)
    return needed.instead if needed.instead is not None and not is_new(options, found) else found


def _known(entry: Entry, needed: StaticNeeded) -> Needed:
    """The decision that makes a value known; about nothing where the arguments do not tell."""
    error, size = needed.error, size_of(needed.value)
    axes = entry.sizes_named(size)
    places = [axis.path for axis in axes]
    if isinstance(needed, EmptinessNeeded):
        return Needed(EMPTINESS, places, error)
    if isinstance(needed, SizeNeeded):
        told = entry.values is not None and size is not None and size.symbols <= {axis.name for axis in axes}
        return Needed(SIZES, places if told else (), error)
    paths = [need for need in needed.value.needs if isinstance(need, tuple)]
    unknown = entry.values is None and any(path[0] in entry.specs for path in paths)
    return Needed(KNOWN, () if unknown else paths, error)


# ---------------------------------------------------------------- what it goes by


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
