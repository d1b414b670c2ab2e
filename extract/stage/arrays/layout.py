"""How arrays certainly lie in memory: in C order, `reshape` of them is a view.

    y = np.zeros((4, 6)); v = y.reshape(-1)      # a view: writes to v reach y
    v = y.T.reshape(-1)                          # a copy
    v = parameter.reshape(-1)                    # it depends: if v or the parameter is written, the layout
                                                 # of the argument becomes part of the signature

NumPy keeps its operands' order in the results of elementwise operations, so the order of an
operation's result is that of its operands, traced back through the residual program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import memory
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.residual import Const, Op, Operand
from graph_program.extract.stage.arrays.lowering_arguments import sizes_of
from graph_program.extract.stage.arrays.size_checks import check_reshape
from graph_program.extract.stage.machine.decisions import LAYOUTS
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.values.sharing import ContiguousView, LeadingView, ReversedView
from graph_program.extract.stage.values.values import Tensor, Value, View
from graph_program.tensor_api.opdef import OPS

FAMILIES = ("elementwise", "predicate", "where", "cast")
ELEMENTWISE = frozenset(name for name, op in OPS.items() if op.family in FAMILIES)
ALWAYS_C = frozenset({"full", "iota", "matmul", "gather_nd", "take"})
"""Operations whose results NumPy always lays out in C order."""


IN_PLACE = frozenset(name for name in OPS if name.startswith("set_"))
"""Operations that are writes into an array, whose first operand it is."""
KNOWN_ORDER = "C or both"
"""In C order without gaps; perhaps in Fortran order, too."""
IN_C_ORDER = (memory.C, memory.BOTH, KNOWN_ORDER)


def layout_of(m: Machine, x: Tensor, supposed: set[Path] | None = None) -> str:
    """How an array lies in memory; "" if that is not known for certain.

    With `supposed` those arguments that decide it are taken to be in C order, and noted there.
    """
    if supposed is not None and x.path and x in m.outside.arguments:
        supposed.add(x.path)
        return memory.C
    if x.layout:
        return x.layout
    match x.view:
        case ContiguousView(base=base):
            return layout_of(m, base, supposed)
        case ReversedView(base=base):
            return memory.REVERSED.get(layout_of(m, base, supposed), "")
        case LeadingView(base=base):
            return KNOWN_ORDER if layout_of(m, base, supposed) in IN_C_ORDER else ""
    if x.view is not None or x.sources:
        return ""
    if x.path and x in m.outside.arguments:
        return ""
    return operand_layout(m, x.operand, {}, supposed)


def is_contiguous(m: Machine, x: Tensor) -> bool:
    """Whether an array's elements certainly lie in C order without gaps."""
    return layout_of(m, x) in IN_C_ORDER


def deciding(m: Machine, x: Tensor) -> frozenset[Path]:
    """The arguments whose layouts decide on that of an array; none if it stays unknown."""
    supposed: set[Path] = set()
    return frozenset(supposed) if layout_of(m, x, supposed) else frozenset()


def operand_layout(m: Machine, operand: Operand, seen: dict[str, str], supposed: set[Path] | None) -> str:
    """How a new array computed as this operand lies in memory."""
    if isinstance(operand, Const):
        return KNOWN_ORDER
    if operand in m.outside.orders:
        like = m.outside.orders[operand]
        return memory.F if like is None else operand_layout(m, like, seen, supposed)
    if operand not in seen:
        seen[operand] = ""
        made = definition(m, operand)
        if made is None:
            seen[operand] = _input_layout(m, operand, supposed)
        elif made.op == "transpose":
            whole = made.attrs["perm"] == tuple(range(m.types[operand].rank))[::-1]
            before = operand_layout(m, made.args[0], seen, supposed)
            seen[operand] = memory.REVERSED.get(before, "") if whole else ""
        elif made.op in IN_PLACE:
            seen[operand] = operand_layout(m, made.args[0], seen, supposed)
        elif m.types[operand].rank <= 1 or made.op in ALWAYS_C:
            seen[operand] = KNOWN_ORDER
        else:
            inputs = [a for a in made.args if not isinstance(a, Const) and m.types[a].rank > 1]
            same_rank = all(m.types[a].rank == m.types[operand].rank for a in inputs)
            layouts = {operand_layout(m, a, seen, supposed) for a in inputs}
            seen[operand] = _combined(layouts, made.op in ELEMENTWISE and same_rank)
    return seen[operand]


def _combined(layouts: set[str], elementwise: bool) -> str:
    """The layout of a result from those of its operands."""
    if elementwise and layouts in ({memory.C}, {memory.F}):
        return next(iter(layouts))
    return KNOWN_ORDER if layouts <= set(IN_C_ORDER) else ""


def _input_layout(m: Machine, operand: Operand, supposed: set[Path] | None) -> str:
    """The layout of a new array with the contents of an argument or captured array."""
    for captured, tensor in m.outside.captured.values():
        if tensor.operand == operand:
            return _of_copy(memory.layout_of(captured.array))
    found = next((a for a in m.outside.arrays if a.operand == operand), None)
    if found is None or found.rank <= 1:
        return KNOWN_ORDER if found is not None else ""
    return _of_copy(layout_of(m, found, supposed))


def _of_copy(layout: str) -> str:
    """The layout of a new array made of one with gaps: in some order, which is not known."""
    return "" if layout == memory.STRIDED else layout


def kept_layout(m: Machine, array: Tensor, contents: Operand) -> Operand:
    """New contents of an array, told apart from other arrays with the same contents and another layout."""
    if array.rank < 2:
        return contents
    layout, new = layout_of(m, array), operand_layout(m, contents, {}, None)
    if not new or new == layout or (layout in IN_C_ORDER and new in IN_C_ORDER):
        return contents
    return m.operand(made_in_order(m, _told_apart(m, Tensor(contents, array.type)), "K", array))


def _told_apart(m: Machine, x: Tensor) -> Tensor:
    """The same numbers as a variable of its own; transposing twice is nothing in the end."""
    axes = tuple(range(x.rank))[::-1]
    return m.reclassed(m.op("transpose", m.op("transpose", x, perm=axes), perm=axes), x.type.kind)


def needed(m: Machine, x: Tensor, error: GraphProgramError) -> Exception:
    """What to raise where the layout of an array is needed and not known."""
    unknown = deciding(m, x) - m.decided[LAYOUTS].keys()
    return Needed(LAYOUTS, unknown, error) if unknown else error


def order_of(m: Machine, order: Value) -> str | None:
    """The memory order asked for; None for what the function does without one."""
    given = static(m, order, "the order")
    return given.upper() if isinstance(given, str) else None


def made_in_order(m: Machine, x: Tensor, order: str | None, like: Tensor | None = None) -> Tensor:
    """A new array as it is made with an `order`: "K" is that of another array, or C."""
    if x.rank < 2 or order == "C" or (order != "F" and like is None):
        return x
    if order == "F":
        x = _told_apart(m, x)
    if isinstance(x.operand, str):
        m.outside.orders[x.operand] = None if order == "F" or like is None else like.operand
    return x


def definition(m: Machine, name: str) -> Op | None:
    """The operation that defines a variable, in the list being emitted."""
    return next((s for s in reversed(m.out) if isinstance(s, Op) and s.target == name), None)


def viewed(
    m: Machine,
    base: Tensor,
    read: Callable[[Tensor], Tensor],
    write: Callable[[Tensor, Tensor], Tensor] | None,
    cls: type[View] = View,
) -> Tensor:
    """The result of `read`, as a view where the base is an array."""
    result = read(base)
    if result is base:
        result = m.copied(base)
    if base.is_array:
        result.view = cls(base, read, write, m.contents(base))
    return result


def read_only(m: Machine, base: Tensor, read: Callable[[Tensor], Tensor]) -> Tensor:
    """The result of `read` as a view that NumPy does not let be written."""
    result = viewed(m, base, read, None)
    if result.view is not None:
        result.view = replace(result.view, read_only=True)
    return result


def reshaped(m: Machine, base: Tensor, sizes: Sequence[Value]) -> Tensor:
    """`base.reshape(sizes)`: a view where the layout is known, else something that may share memory."""
    check_reshape(m, base, sizes)

    def read(x: Tensor) -> Tensor:
        return m.op("reshape", x, *sizes)

    if not base.is_array:
        return read(base)
    layout = layout_of(m, base)
    if layout in IN_C_ORDER or base.rank == 1:  # one axis can be split whatever lies between its elements
        old = sizes_of(m, base)
        result = viewed(m, base, read, lambda _, contents: m.op("reshape", contents, *old), ContiguousView)
        assert result.view is not None
        result.view = replace(result.view, partial=True)
        return result
    result = read(base)
    certain_copy = layout == memory.F and result.rank == 1
    return result if certain_copy else possible_view(m, result, base)


def possible_view(m: Machine, result: Tensor, base: Tensor) -> Tensor:
    """A result that is a view of its base, or a copy, by the layout of the base."""
    result.sources = (base,)
    result.depends = deciding(m, base)
    return result
