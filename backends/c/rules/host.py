"""Steps on the host: what each is sent is put side by side, and what it tells becomes variables and memory."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.backends.c.arrays import Array, in_memory
from graph_program.backends.c.c_types import HALVES, kept_type, literal, stored
from graph_program.backends.c.expression import Expr, call, product
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.pauses import JUMP
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.ir.host import EXCHANGE, FAILED


@rule(FAILED)
def _failed(fn: Function, node: Node) -> Expr:
    """A step that has raised has ended the function."""
    return literal(node.outputs[0].type.dtype, False)


@rule(EXCHANGE)
def _exchange(fn: Function, node: Node) -> None:
    step = node.attrs["step"]
    host, *rest = node.inputs
    count = len(rest) - len(fn.program.host[step].sends)
    objects = [fn.number(value).text for value in rest[:count]]
    sent = [_sent(fn, value) for value in rest[count:]]
    fn.place_of(node.loc)
    last, *told = node.outputs
    name = fn.fresh(last.name)
    fn.line(f"int64_t {name} = {fn.number(host).text};")
    fn.values[last] = Expr(name)
    read = [place for place, value in enumerate(told) if fn.is_read(value)]
    values, owner = fn.fresh("values"), fn.fresh("told")
    if read:
        fn.line(f"gp_array *{values}[{len(told)}];")
    given = ", ".join(
        [
            f"&{name}, {step}",
            _list("int64_t", objects),
            _list("gp_sent", sent),
            f"{values if read else 'NULL'}, {len(told) if read else 0}",
        ]
    )
    fn.line(f"gp_object *{owner} = gp_step({given});")
    fn.line(f"if (!{owner}) {JUMP}")
    for place in read:
        _read(fn, told[place], f"{values}[{place}]")
    fn.line(f"gp_end_step({owner});")


def _list(c_type: str, items: Sequence[str]) -> str:
    """An array of so many items, and their number."""
    return f"({c_type}[]){{{', '.join(items)}}}, {len(items)}" if items else "NULL, 0"


def _sent(fn: Function, value: Value) -> str:
    """A value with its element type, size of an element, rank and sizes."""
    dtype = value.type.dtype
    c_type = kept_type(dtype)
    if not value.type.rank:
        data, shape = f"&({c_type}){{{stored(dtype, fn.number(value)).text}}}", ""
    else:
        array = fn.stored(value)
        assert array.place is not None
        data, shape = array.place.name, ", ".join(size.text for size in array.shape)
    sizes = f"(int64_t[]){{{shape}}}" if shape else "NULL"
    return f"{{{fn.dtype(dtype)}, {data}, sizeof({c_type}), {value.type.rank}, {sizes}}}"


def _read(fn: Function, value: Value, told: str) -> None:
    """Copy what a step tells."""
    dtype = value.type.dtype
    if not value.type.rank:
        fn.values[value] = _number(fn, value, told)
        return
    shape = [
        Expr(str(size.constant)) if size.constant is not None else fn.size(Expr(f"{told}->sizes[{axis}]"))
        for axis, size in enumerate(value.type.shape)
    ]
    place = fn.allocate(dtype, shape, value.name)
    array: Array = in_memory(place, dtype, shape)
    size = product(shape)
    if size.text != "0":
        test = "" if size.text.isdigit() else f"if ({size.text} > 0) "
        fn.line(f"{test}memcpy({place.name}, {told}->data, sizeof *{place.name} * (size_t)({size.text}));")
    fn.values[value] = array


def _number(fn: Function, value: Value, told: str) -> Expr:
    dtype = value.type.dtype
    name = fn.fresh(value.name)
    fn.line(f"{kept_type(dtype)} {name};")
    fn.line(f"memcpy(&{name}, {told}->data, sizeof {name});")
    half = HALVES.get(dtype.name)
    return fn.variable("float", name, call(f"gp_{half}_load", Expr(name))) if half else Expr(name)
