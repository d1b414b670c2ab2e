"""Lists of the caller whose length no signature fixes: each number in their elements is a column, an input.

    def total(xs):                   inputs   xs: float64 [xs_0]
        return sum(xs)

They are lists of computed length from the start (`stage/lists/columns`).  Where the program needs such a list taken
apart, the evaluation starts again with the list at the length that it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graph_program.extract.ir.interface import ArgInput
from graph_program.extract.ir.paths import OFFSETS, ROW, KeyStep, Path, path_name, path_text, tuple_steps
from graph_program.extract.ir.specs import (
    ArgSpec,
    DictSpec,
    RecordSpec,
    RowsSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
    spec_parts,
)
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.lists import nested_columns
from graph_program.extract.stage.machine.decisions import TAKEN_APART
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import captured_arrays
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.objects import given_rows
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.inside import inner_values
from graph_program.extract.stage.values.layouts import Group, Layout, Leaf, Listed, Same, counted, leaves
from graph_program.extract.stage.values.values import Ref, Static, Tensor, Value
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType
from graph_program.tensor_api.ops.indexing import INT64_MAX

if TYPE_CHECKING:
    from graph_program.extract.stage.program.arguments import Arguments


def given(arguments: Arguments, spec: RowsSpec, path: Path) -> Ref:
    """The list as a value; its columns are inputs."""
    m = arguments.m
    m.options.rows.add(path)
    ref = arguments.object(list, path)
    layout = _layout(spec.element, (*path, ROW))
    columns = tuple(_columns(arguments, spec.element, (*path, ROW), spec.length))
    made = growing.stand_ins(m, layout, [])
    places = frozenset([path]) if spec.static is not None else None
    growing.note_listed(m, layout)
    contents = Growing(layout, columns, **made, loops=places, apart=True)
    return arguments.fill(ref, given_rows.in_tables(m, contents, path) if m.rows.tables else contents)


def _layout(element: ArgSpec, path: Path) -> Layout:
    """How elements are made of what the columns have for them."""
    match element:
        case TensorSpec(type_):
            return Leaf(type_)
        case RowsSpec(inner):
            return Listed(counted(_layout(inner, (*path, ROW))))
        case StaticSpec():
            return Same(Static(element.value, path))
        case TupleSpec(elts, cls):
            steps = tuple_steps(cls, len(elts))
            parts = tuple(_layout(e, (*path, step)) for e, step in zip(elts, steps, strict=True))
            return Group(cls, tuple(range(len(elts))), parts)
        case DictSpec(items):
            parts = tuple(_layout(e, (*path, KeyStep(key))) for key, e in items)
            return Group(dict, tuple(key for key, _ in items), parts, True)
        case RecordSpec(cls, fields):
            parts = tuple(_layout(e, (*path, f".{name}")) for name, e in fields)
            return Group(cls, tuple(name for name, _ in fields), parts, True)
    raise AssertionError(element)


def _columns(arguments: Arguments, element: ArgSpec, path: Path, length: Dim) -> Iterator[Column]:
    """The columns of what stands in one place of all elements: inputs, of lists with where each of them ends."""
    m = arguments.m
    if isinstance(element, RowsSpec):
        ends = _input(arguments, (*path, OFFSETS), TensorType(INT64, (length + 1,)))
        first, last = (m.op("slice", ends, *bounds, axes=(0,), steps=(1,)) for bounds in BOUNDS)
        counts = m.op("subtract", last, first)
        inner = _columns(arguments, element.element, (*path, ROW), element.length)
        for leaf, column in zip(leaves(_layout(element.element, path)), inner, strict=True):
            yield from nested_columns.nested(m, leaf, column, counts)
    elif isinstance(element, TensorSpec):
        yield Column(_input(arguments, path, TensorType(element.type.dtype, (length, *element.type.shape))))
    for step, part in [] if isinstance(element, RowsSpec) else spec_parts(element) or []:
        yield from _columns(arguments, part, (*path, step), length)


BOUNDS = ((Static(0), Static(-1)), (Static(1), Static(INT64_MAX)))


def _input(arguments: Arguments, path: Path, type_: TensorType) -> Tensor:
    m = arguments.m
    name = m.input_name(path_name(path), type_)
    arguments.inputs.append(ArgInput(name, path, type_))
    column = Tensor(name, type_, m.loc)
    m.rows.columns.append(column)
    return column


# ---------------------------------------------------------------- what is given back


def require_own_arrays(m: Machine, result: Value) -> None:
    """Have the lists taken apart whose arrays the result has: those are the caller's own, not copies.

    Raises
    ------
    Needed
    """
    lists = [(ref, held) for ref, held in m.outside.objects.items() if isinstance(held, Growing)]
    apart = [(r, h.arrays) for r, h in lists if h.arrays is not None and h.loops and not captured_arrays.is_state(m, r)]
    for one in inner_values(m.live.heap, result) if apart else ():
        contents = m.live.heap.get(one)
        array = contents.arrays if isinstance(contents, Growing) else one
        for ref, arrays in apart:
            is_whole = contents is not None and m.outside.arguments.get(one) is contents  # type: ignore[call-overload]
            if isinstance(array, Tensor) and not is_whole and sharing.may_share(array, arrays):
                error = m.error("GP356", f"the result has arrays of the list '{path_text(ref.path)}'")
                raise Needed(TAKEN_APART, [ref.path], error)


def needed_apart(m: Machine, place: Path, other: Path) -> Needed:
    """What to raise where one of the elements of a list is somewhere else as well."""
    text = f"'{path_text(place)}' is '{path_text(other)}' as well"
    inside = frozenset(path for path in m.options.rows if place[: len(path)] == path)
    return Needed(TAKEN_APART, inside, m.error("GP356", text))


def require_unshared(m: Machine) -> None:
    """Have the lists taken apart whose objects would have copies of the caller's arrays after the call.

    Raises
    ------
    Needed
    """
    arrays = m.outside.arrays
    for cls, table in m.rows.tables.items():
        held = m.live.heap[table]
        lists = frozenset(ref.path[: ref.path.index(ROW)] for ref in m.rows.given if ref.cls is cls and ROW in ref.path)
        if not lists or not isinstance(held, Growing) or held.arrays is None:
            continue
        for array in arrays:
            if sharing.may_share(array, held.arrays):
                text = f"a {cls.__name__} would have a copy of '{path_text(array.path)}' after the call"
                raise Needed(TAKEN_APART, lists, m.error("GP356", text, hint="keep a .copy()"))
