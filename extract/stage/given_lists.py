"""Lists of the caller whose length no signature fixes: each number in their elements is a column, an input.

    def total(xs):                   inputs   xs: float64 [xs_0]
        return sum(xs)

They are lists of computed length from the start (`stage/growing`).  Where the program needs such a list taken apart,
the evaluation starts again with the list at the length that it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.interface import ArgInput
from graph_program.extract.ir.paths import ROW, Path, path_name
from graph_program.extract.ir.specs import ArgSpec, RowsSpec, TensorSpec
from graph_program.extract.stage import growing
from graph_program.extract.stage.elements import Column, Growing
from graph_program.extract.stage.layouts import Layout, Leaf
from graph_program.extract.stage.values import Ref, Tensor
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensor_type import Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.arguments import Arguments


def given(arguments: Arguments, spec: RowsSpec, path: Path) -> Ref:
    """The list as a value; its columns are inputs."""
    m = arguments.m
    m.options.rows.add(path)
    ref = arguments.object(list, path)
    layout = _layout(spec.element)
    columns = tuple(_columns(arguments, spec.element, (*path, ROW), spec.length))
    made = growing.stand_ins(m, layout, [])
    places = frozenset([path]) if spec.static is not None else None
    return arguments.fill(ref, Growing(layout, columns, **made, loops=places, apart=True))


def _layout(element: ArgSpec) -> Layout:
    assert isinstance(element, TensorSpec)
    return Leaf(element.type)


def _columns(arguments: Arguments, element: ArgSpec, path: Path, length: Dim) -> Iterator[Column]:
    assert isinstance(element, TensorSpec)
    m = arguments.m
    name = m.input_name(path_name(path))
    m.types[name] = type_ = column_type(element.type, length)
    arguments.inputs.append(ArgInput(name, path, type_))
    yield Column(Tensor(name, type_, m.loc))


def column_type(element: TensorType, length: Dim) -> TensorType:
    """The type of a column of numbers or arrays."""
    return TensorType(element.dtype, (length, *element.shape), Kind.ARRAY)


# ---------------------------------------------------------------- lists that are taken apart after all


def places(needed: frozenset[Loc | Path]) -> frozenset[Path]:
    """The lists among what makes a length known."""
    return frozenset(one for one in needed if not isinstance(one, Loc))


def loops(needed: frozenset[Loc | Path]) -> frozenset[Loc]:
    """The loops among what makes a length known."""
    return frozenset(one for one in needed if isinstance(one, Loc))
