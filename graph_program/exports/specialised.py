"""What a model is fixed to: numbers that the caller has named, and nothing else.

x.sum(axis)        export(path, (x, 0))                     refused, with this line
                   export(path, (x, 0), static=("axis",))   a model for axis = 0
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Label, Loc
from graph_program.extract.ir.interface import Fixed, Guard
from graph_program.extract.ir.paths import LengthStep, Path, SizeStep, follow, path_name, path_text
from graph_program.extract.ir.specs import ArgSpec, StaticSpec, TensorSpec, map_leaves, spec_leaves
from graph_program.extract.stage.operations.known_and_truth import HINT_OF_STATIC

if TYPE_CHECKING:
    from graph_program.backends.onnxruntime.cache import Specs
    from graph_program.calls.subject import Values
    from graph_program.extract.extraction import Extraction


def with_static(specs: Specs, values: Values, names: Sequence[str], known: Collection[Path], loc: Loc) -> Specs:
    """The specs with the numbers and arrays that the caller has named as static values.

    What the program needs anyhow (`known`) is left for it to find, with the line.

    Raises
    ------
    GraphProgramError
        GP511 where the value of one is not known.
    """

    def shown(leaf: ArgSpec, path: Path) -> ArgSpec:
        named = [name for name in names if name in _names(path)]
        if not named or not isinstance(leaf, TensorSpec) or path in known:
            return leaf
        if path[0] not in values:
            text = f"static names {named[0]!r}, whose value is not known"
            raise GraphProgramError(Diagnostic("GP511", text, loc, hint="give example arguments with `args=(...)`"))
        return StaticSpec(follow(values[str(path[0])], path))

    return tuple((name, map_leaves(spec, shown, (name,))) for name, spec in specs)


def require_named(extraction: Extraction, names: Sequence[str], loc: Loc) -> None:
    """Refuse a model that is right for some values of its arguments only, which nobody has asked for.

    A list of a certain length has an input for each element, so nobody can take it for a model of any list.

    Raises
    ------
    GraphProgramError
        GP510 at the line that needs such a value, GP511 for a name that means nothing.
    """
    _require_known(extraction, names, loc)
    if found := unasked(extraction, names):
        raise GraphProgramError(_refusal(found))


def unasked(extraction: Extraction, names: Sequence[str]) -> list[Fixed]:
    """What is known by value that nobody has named."""
    return [f for f in extraction.fixed if not is_named(f.path, names) and not isinstance(f.path[-1], LengthStep)]


def _refusal(found: list[Fixed]) -> Diagnostic:
    first, *others = found
    told: set[Loc] = {first.needed.loc}
    labels = []
    for other in others:
        if other.needed.loc not in told:
            told.add(other.needed.loc)
            labels.append(Label(other.needed.loc, f"{shown_path(other.path)} = {other.value!r} is needed here"))
    values = " and ".join(f"{shown_path(f.path)} = {f.value!r}" for f in found)
    return Diagnostic(
        "GP510",
        f"the model would be right for {values} only: {reason(first)}",
        first.needed.loc,
        tuple(labels),
        hint=_advice(found),
    )


def _advice(unasked: list[Fixed]) -> str:
    """What to write to have it so, and what to write instead."""
    numbers = [f.path for f in unasked if not isinstance(f.path[-1], SizeStep)]
    sizes = [f for f in unasked if isinstance(f.path[-1], SizeStep)]
    named = " ".join(f'"{path_text(path)}",' for path in numbers)
    sized = ", ".join(f'"{_dim_name(f.path)}": {f.value}' for f in sizes)
    wanted = [f"`static=({named.rstrip(',') if len(numbers) > 1 else named})`"] if numbers else []
    wanted += [f"`dims={{{sized}}}`"] if sizes else []
    text = f"for a model of just that, write {' and '.join(wanted)}"
    if len(numbers) == 1 and len(numbers[0]) == 1:
        text += f", or annotate `{numbers[0][0]}: Static[{type(unasked[0].value).__name__}]`"
    instead = dict.fromkeys(f.needed.hint for f in unasked if f.needed.hint not in ("", HINT_OF_STATIC))
    return "; ".join([text, *instead])


def guard_name(guard: Guard) -> str:
    """The expression of a captured value."""
    return guard.text.partition("@")[0]  # what follows tells objects apart


def reason(fixed: Fixed) -> str:
    """What needs a value, in a few words."""
    return fixed.needed.message.partition(", but it is a computed ")[0]


def _require_known(extraction: Extraction, names: Sequence[str], loc: Loc) -> None:
    known = list(_known_names(extraction))
    for name in names:
        if name not in known:
            parameters = ", ".join(parameter for parameter, _ in extraction.interface.parameters)
            text = f"static names {name!r}, but `{extraction.session.name}` has no such parameter"
            hint = f"its parameters are {parameters}" if parameters else "it has no parameters"
            raise GraphProgramError(Diagnostic("GP511", text, loc, hint=hint + "; a field is named as in `p.n`"))


def _known_names(extraction: Extraction) -> Iterator[str]:
    """What `static` may name: parameters and parts of them and of the state, and what is captured."""
    described = extraction.interface
    for name, spec in described.parameters:
        yield name
        for path, _ in spec_leaves(spec, (name,)):
            yield from _names(path)
    for path, spec in described.state.attributes():
        for inside, _ in spec_leaves(spec, path):
            yield from _names(inside)
    yield from map(guard_name, described.guards)


def _names(path: Path) -> set[str]:
    """How a place, and what it is a part of, may be named: `p`, `p.sizes`, `p.sizes[0]` or `p.sizes.0`."""
    if isinstance(path[-1], SizeStep | LengthStep):
        return set()
    return {text(path[:end]) for end in range(1, len(path) + 1) for text in (path_name, path_text)}


def is_named(path: Path, names: Iterable[str]) -> bool:
    """Whether a place, or what it is a part of, is among names."""
    known = _names(path)
    return any(name in known for name in names)


def shown_path(path: Path) -> str:
    """`p.n`, `x.shape[0]` or `len(xs)`."""
    last = path[-1]
    if isinstance(last, LengthStep):
        return f"len({path_text(path[:-1])})"
    return f"{path_text(path[:-1])}.shape[{last.axis}]" if isinstance(last, SizeStep) else path_text(path)


def _dim_name(path: Path) -> str:
    last: Any = path[-1]
    return f"{path_name(path[:-1])}_{last.axis}"


__all__ = ["guard_name", "is_named", "reason", "require_named", "shown_path", "with_static"]
