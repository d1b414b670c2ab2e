"""The dims of argument specs: which names they have, and specs with names replaced by sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from graph_program.extract.arguments.call_sizes import symbol_name
from graph_program.extract.ir.paths import Path, path_name
from graph_program.extract.ir.specs import ArgSpec, TensorSpec, map_leaves, spec_leaves
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.notation.annotation_reading import parse_annotation, record_fields
from graph_program.extract.types.notation.annotations import (
    Annotation,
    ArrayAnnotation,
    DictAnnotation,
    RecordAnnotation,
    SequenceAnnotation,
    TupleAnnotation,
    UnionAnnotation,
)
from graph_program.extract.types.notation.declared_dims import Bound, DeclaredDims, declared
from graph_program.extract.types.tensors.tensor_type import TensorType

Specs = Sequence[tuple[str, ArgSpec]]


def dim_names(spec: ArgSpec) -> Iterator[str]:
    """The names in an argument's shapes, in order; some may come twice."""
    return (name for _, type_ in _tensors(spec) for size in type_.shape for name in sorted(size.symbols))


def annotated_names(annotations: Iterable[object]) -> set[str]:
    """The names of dims that stand in annotations, also in those of alternatives."""
    found: set[str] = set()
    seen: set[type] = set()
    waiting: list[Annotation | None] = [parse_annotation(a) for a in annotations]
    while waiting:
        note = waiting.pop()
        match note:
            case ArrayAnnotation():
                found |= {n for size in note.dims or () if isinstance(size, Dim) for n in size.symbols}
            case TupleAnnotation(elts) | UnionAnnotation(elts):
                waiting += elts
            case SequenceAnnotation(element) | DictAnnotation(element):
                waiting.append(element)
            case RecordAnnotation(cls) if cls not in seen:
                seen.add(cls)
                waiting += record_fields(note).values()
    return found


def axis_names(specs: Specs) -> dict[str, str]:
    """The names of axes that are called after their parameter, `x_0`, with the names of their dims."""
    found: dict[str, str] = {}
    for name, spec in specs:
        for path, type_ in _tensors(spec, (name,)):
            for axis, size in enumerate(type_.shape):
                plain = symbol_name(size)
                if plain is not None:
                    found[f"{path_name(path)}_{axis}"] = plain
    return found


def _tensors(spec: ArgSpec, path: Path = ()) -> Iterator[tuple[Path, TensorType]]:
    """The arrays and numbers in an argument, each with its place."""
    return ((place, leaf.type) for place, leaf in spec_leaves(spec, path) if isinstance(leaf, TensorSpec))


def named_dims(
    dims: DeclaredDims, specs: Specs, annotated: Collection[str], inferred: Callable[[], Specs | None]
) -> tuple[DeclaredDims, list[str]]:
    """Declared dims by the names that specs have for them, and the names that mean none.

    A dim may also be named after a parameter and its axis, or as the inferred signature names it.

    Parameters
    ----------
    dims : DeclaredDims
    specs : sequence of (str, ArgSpec)
        By parameter.
    annotated : collection of str
        Names that annotations know, if not for these arguments.
    inferred : callable
        Gives the specs of the inferred signature, if there is one.
    """
    names = {name for _, spec in specs for name in dim_names(spec)} | set(annotated)
    if all(name in names for name in dims):
        return dims, []
    found: dict[str, Bound] = {}
    unknown = []
    axes = axis_names(specs)
    for name, bound in dims.items():
        meant = [name] if name in names else [axes[name]] if name in axes else _axes_called(name, axes, inferred())
        unknown += [] if meant else [name]
        for one in meant:
            found[one] = found[one].both(bound) if one in found else bound
    return declared(found), unknown


def _axes_called(name: str, axes: Mapping[str, str], inferred: Specs | None) -> list[str]:
    """The dims at the places where the inferred signature has a name."""
    places = axis_names(inferred or ())
    return sorted({axes[place] for place, other in places.items() if other == name and place in axes})


def with_sizes(spec: ArgSpec, sizes: Mapping[str, int]) -> ArgSpec:
    """The spec with names of dims replaced by sizes; ValueError where a dim gets negative."""
    values = {name: dim(size) for name, size in sizes.items()}
    return _with_shapes(spec, lambda shape: tuple(_sized(d, values) if d.symbols & sizes.keys() else d for d in shape))


def _with_shapes(spec: ArgSpec, change: Callable[[tuple[Dim, ...]], tuple[Dim, ...]]) -> ArgSpec:
    """The spec with the shape of each array changed."""

    def changed(leaf: ArgSpec, _: Path) -> ArgSpec:
        if not isinstance(leaf, TensorSpec):
            return leaf
        return replace(leaf, type=replace(leaf.type, shape=change(leaf.type.shape)))

    return map_leaves(spec, changed)


def _sized(d: Dim, sizes: Mapping[str, Dim]) -> Dim:
    found = d.substitute(sizes)
    if found.constant is not None and found.constant < 0:
        given = ", ".join(f"{name}={sizes[name]}" for name in sorted(d.symbols & sizes.keys()))
        raise ValueError(f"dims: {d} is negative with {given}")
    return found


def same_kinds(a: Mapping[str, ArgSpec], b: Mapping[str, ArgSpec]) -> bool:
    """Whether specs differ in nothing but sizes."""
    return a.keys() == b.keys() and all(_outline(a[name]) == _outline(b[name]) for name in a)


def _outline(spec: ArgSpec) -> ArgSpec:
    """The spec with every size 0."""
    return _with_shapes(spec, lambda shape: (dim(0),) * len(shape))
