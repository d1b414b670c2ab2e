"""Objects: attributes, items and operators of lists, dicts, tuples, instances and captured objects."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Sequence
from typing import Any

import numpy as np
from graph_program.extract import diagnostics
from graph_program.extract.ir import tree
from graph_program.extract.stage import construct, flow, iteration, names, operators, registry
from graph_program.extract.stage.join import describe, same_value
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.static_evaluation import key_message
from graph_program.extract.stage.use import contents_of, settled, static, truth_value
from graph_program.extract.stage.values import (
    ArrayMethod,
    Bound,
    Closure,
    Iteration,
    Maybe,
    Partial,
    Range,
    Ref,
    SliceValue,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    is_numeric,
    is_numeric_static,
)

MISSING = object()

# ---------------------------------------------------------------- making objects


def new_list(m: Machine, items: Sequence[Value]) -> Ref:
    """A new list."""
    ref = Ref(list, m.loc)
    m.live.heap[ref] = tuple(items)
    return ref


def new_dict(m: Machine, contents: dict[Any, Value]) -> Ref:
    """A new dict with static keys."""
    ref = Ref(dict, m.loc)
    m.live.heap[ref] = dict(contents)
    return ref


def dict_contents(m: Machine, value: Value) -> dict[Any, Value]:
    """The items of a dict of known structure."""
    value = settled(m, value)
    if isinstance(value, Ref) and value.cls is dict:
        return dict(contents_of(m, value))
    if isinstance(value, Static) and isinstance(value.value, dict):
        return {k: m.lift_item(value, k) for k in value.value}
    raise m.error("GP319", f"a {describe(value)} is not a dict of known structure", cls=diagnostics.DTypeError)


def class_of(value: Value) -> type | None:
    """The Python class of a structure or captured object; None for tensors and functions."""
    match value:
        case Ref(cls):
            return cls
        case Tuple(_, cls):
            return cls or tuple
        case Static(obj):
            return type(obj)
    return None


# ---------------------------------------------------------------- attributes


def get_attribute(m: Machine, value: Value, name: str) -> Value:
    """`value.name`."""
    value = settled(m, value)
    if isinstance(value, Static) and m.is_captured_array(value):
        value = m.captured_array(value)
    if isinstance(value, construct.Super):
        return value.attribute(m, name)
    match value:
        case Tensor():
            return array_attribute(m, value, name)
        case Static() if is_numeric_static(value) and (name in registry.ATTRIBUTES or name in registry.METHODS):
            return (
                array_attribute(m, value, name)
                if isinstance(value.value, np.generic)
                else number_attribute(m, value, name)
            )
        case Static():
            return captured_attribute(m, value, name)
        case Ref():
            return instance_attribute(m, value, name)
        case Tuple(elts, cls) if cls is not None and name in getattr(cls, "_fields", ()):
            return elts[cls._fields.index(name)]  # type: ignore[attr-defined]
        case Tuple(_, cls) if cls is not None and name not in ("_replace", "_asdict"):
            return class_attribute(m, value, cls, name)
        case SliceValue() | Range() if name in ("start", "stop", "step"):
            return getattr(value, name)
        case Maybe():
            raise m.error(
                "GP312",
                f"this value may be None, which has no attribute '{name}'",
                cls=diagnostics.ProgramAttributeError,
                hint="test it with `is None` first",
            )
    return ArrayMethod(value, name)


def array_attribute(m: Machine, value: Value, name: str) -> Value:
    """An attribute or method of an array, NumPy scalar or Python number."""
    if isinstance(value, Tensor) and value.is_python:
        return number_attribute(m, value, name)
    if name in registry.ATTRIBUTES:
        return registry.ATTRIBUTES[name](m, [value], {})
    if name in registry.METHODS or name in ("fill", "sort", "put"):
        return ArrayMethod(value, name)
    kind = np.ndarray if isinstance(value, Tensor) and value.is_array else np.generic
    if hasattr(kind, name):
        raise m.error("GP323", f"ndarray.{name} has no graph form", hint="see the operations page")
    raise m.error("GP307", f"'numpy.ndarray' object has no attribute '{name}'", cls=diagnostics.ProgramAttributeError)


def number_attribute(m: Machine, value: Value, name: str) -> Value:
    """An attribute of a Python number."""
    if name in ("real", "numerator"):
        return value
    if name == "imag":
        return Static(0)
    if name in ("is_integer", "bit_length", "conjugate"):
        return ArrayMethod(value, name)
    cls = type(value.value) if isinstance(value, Static) else value.type.python_class  # type: ignore[attr-defined]
    raise m.error(
        "GP307",
        f"'{cls.__name__}' object has no attribute '{name}'",
        cls=diagnostics.ProgramAttributeError,
        hint="a Python number has no array methods; use np functions, or np.float64(...)",
    )


def captured_attribute(m: Machine, value: Static, name: str) -> Value:
    """An attribute of a captured object, class or module."""
    obj = value.value
    if isinstance(obj, list | tuple | dict | str | set | frozenset | bytes | range) and not hasattr(
        type(obj), "_fields"
    ):
        return ArrayMethod(value, name)
    attribute = inspect.getattr_static(type(obj), name, None) if not isinstance(obj, type | types.ModuleType) else None
    if isinstance(attribute, property) and attribute.fget is not None:
        return _call(m, Bound(value, Static(attribute.fget)))
    if isinstance(attribute, types.FunctionType) and name not in getattr(obj, "__dict__", {}):
        return Bound(value, Static(attribute))
    return names.captured_attribute(m, value, name)


def instance_attribute(m: Machine, value: Ref, name: str) -> Value:
    """An attribute of an instance made in the program or passed to it, or a list's or dict's method."""
    if value.cls in (list, dict):
        return ArrayMethod(value, name)
    contents = m.live.heap[value]
    if name in contents:
        return settled(m, contents[name])
    return class_attribute(m, value, value.cls, name)


def class_attribute(m: Machine, value: Value, cls: type, name: str) -> Value:
    """What `value.name` finds on the class: method, property, class method, constant."""
    attribute = inspect.getattr_static(cls, name, MISSING)
    if attribute is MISSING:
        if isinstance(value, Tuple):
            return ArrayMethod(value, name)
        raise m.error(
            "GP307",
            f"'{cls.__name__}' object has no attribute '{name}'",
            cls=diagnostics.ProgramAttributeError,
        )
    if isinstance(attribute, property):
        return _call(m, Bound(value, Static(attribute.fget)))
    if isinstance(attribute, staticmethod):
        return Static(attribute.__func__)
    if isinstance(attribute, classmethod):
        return Bound(Static(cls), Static(attribute.__func__))
    if isinstance(attribute, types.FunctionType) or hasattr(attribute, "python"):
        return Bound(value, Static(attribute))
    if isinstance(value, Tuple) and callable(attribute):
        return ArrayMethod(value, name)
    return m.lift(getattr(cls, name), ())


def set_attribute(m: Machine, holder: Value, name: str, value: Value) -> None:
    """`holder.name = value`."""
    holder = settled(m, holder)
    if not isinstance(holder, Ref) or holder.cls in (list, dict):
        raise m.error(
            "GP335",
            f"this program writes to the attribute '{name}' of {describe(holder)}, which it does not own",
            hint="pass the object as a parameter, or return the new value",
        )
    params = getattr(holder.cls, "__dataclass_params__", None)
    if params is not None and params.frozen and not m.constructing(holder):
        raise m.error(
            "GP324",
            f"cannot assign to field '{name}'",
            cls=diagnostics.ProgramAttributeError,
            hint="the dataclass is frozen: use dataclasses.replace",
        )
    attribute = inspect.getattr_static(holder.cls, name, None)
    if isinstance(attribute, property):
        if attribute.fset is None:
            raise m.error("GP324", f"property '{name}' has no setter", cls=diagnostics.ProgramAttributeError)
        from graph_program.extract.stage import calls

        calls.call(m, Bound(holder, Static(attribute.fset)), [value], {})
        return
    from graph_program.extract.stage import alias

    alias.before_write(m, holder)
    m.live.heap[holder] = {**m.live.heap[holder], name: value}


def delete_item(m: Machine, holder: Value, key: Value) -> None:
    """`del holder[key]`."""
    contents = m.live.heap.get(holder) if isinstance(holder, Ref) else None
    if isinstance(contents, dict):
        k = static(m, key, "a dict key")
        if k not in contents:
            m.raise_(KeyError, key_message(k))
        m.live.heap[holder] = {n: v for n, v in contents.items() if n != k}  # type: ignore[index]
    elif isinstance(contents, tuple):
        position = static(m, key, "a list index")
        items = list(contents)
        try:
            del items[position]
        except IndexError as error:
            m.raise_(IndexError, (str(error),))
        m.live.heap[holder] = tuple(items)  # type: ignore[index]
    else:
        raise m.error("GP299", f"an item of {describe(holder)} cannot be deleted")


# ---------------------------------------------------------------- operators


def _call(m: Machine, function: Value, *args: Value) -> Value:
    from graph_program.extract.stage import calls

    return calls.call(m, function, list(args), {})


def user_method(value: Value, name: str) -> Value | None:
    """A method that the user's class defines, bound to the value."""
    cls = value.cls if isinstance(value, Ref | Tuple) else type(value.value) if isinstance(value, Static) else None
    if cls is None or cls.__module__ in ("builtins", "numpy"):
        return None
    attribute = inspect.getattr_static(cls, name, None)
    return Bound(value, Static(attribute)) if isinstance(attribute, types.FunctionType) else None


def operator_method(m: Machine, name: str, a: Value, b: Value) -> Value | None:
    """`a.__op__(b)` or `b.__rop__(a)` where the user's classes define them."""
    for method, other in ((user_method(a, f"__{name}__"), b), (user_method(b, f"__r{name}__"), a)):
        if method is not None:
            result = _call(m, method, other)
            if not (isinstance(result, Static) and result.value is NotImplemented):
                return result
    return None


def unary_method(m: Machine, name: str, value: Value) -> Value | None:
    method = user_method(value, f"__{name}__")
    return None if method is None else _call(m, method)


def in_place_method(m: Machine, name: str, a: Value, b: Value) -> Value | None:
    method = user_method(a, f"__i{name}__")
    return None if method is None else _call(m, method, b)


def comparison_method(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """Comparison of structures and of instances of the user's classes."""
    _, _, name, mirrored = operators.COMPARE[op]
    for one, other, method in ((a, b, name), (b, a, mirrored)):
        found = user_method(one, f"__{method}__")
        if found is not None and not _generated(one, method):
            return _call(m, found, other)
    if op in ("==", "!="):
        equal = equality(m, a, b)
        if equal is not None:
            return operators.negate(m, equal) if op == "!=" else equal
    both = [_sequence(m, v) for v in (a, b)]
    if op in ("<", "<=", ">", ">=") and both[0] is not None and both[1] is not None:
        return lexicographic(m, op, both[0], both[1])
    return None


def _generated(value: Value, name: str) -> bool:
    """Whether a comparison method is the one that `@dataclass` writes."""
    cls = class_of(value)
    return dataclasses.is_dataclass(cls) and name in ("eq", "lt", "le", "gt", "ge")


def _sequence(m: Machine, value: Value) -> list[Value] | None:
    if isinstance(value, Tuple) or (isinstance(value, Ref) and value.cls is list):
        return iteration.structure_items(m, value)
    if isinstance(value, Static) and isinstance(value.value, tuple | list):
        return iteration.structure_items(m, value)
    return None


def lexicographic(m: Machine, op: str, a: list[Value], b: list[Value]) -> Value:
    """Order of sequences: the first elements that differ decide, else the lengths."""
    if not a or not b:
        return Static(operators.COMPARE[op][0](len(a), len(b)))
    equal = truth_value(m, operators.comparison(m, "==", a[0], b[0]))
    return flow.choose(
        m, equal, lambda: lexicographic(m, op, a[1:], b[1:]), lambda: operators.comparison(m, op, a[0], b[0])
    )


def equality(m: Machine, a: Value, b: Value) -> Value | None:
    """`a == b` for structures; None where it is a matter of numbers or arrays."""
    sequences = [_sequence(m, v) for v in (a, b)]
    if sequences[0] is not None and sequences[1] is not None:
        if isinstance(a, Tuple) != isinstance(b, Tuple) and not isinstance(a, Static) and not isinstance(b, Static):
            return Static(False)
        return _all_equal(m, sequences[0], sequences[1])
    if any(isinstance(v, Maybe) for v in (a, b)):
        return _optional_equality(m, a, b)
    if isinstance(a, Ref) and isinstance(b, Ref):
        if a is b:
            return Static(True)
        if a.cls is not b.cls or (a.cls is not dict and not dataclasses.is_dataclass(a.cls)):
            return Static(False)
        x, y = m.live.heap[a], m.live.heap[b]
        if a.cls is not dict:
            fields = [f.name for f in dataclasses.fields(a.cls) if f.compare]
            x, y = ({k: d[k] for k in fields if k in d} for d in (x, y))
        return _all_equal(m, list(x.values()), [y[k] for k in x]) if x.keys() == y.keys() else Static(False)
    structured = [
        isinstance(v, Ref | Tuple)
        or (isinstance(v, Static) and not is_numeric(v) and not isinstance(v.value, np.ndarray | list | tuple))
        for v in (a, b)
    ]
    if any(structured) and not all(isinstance(v, Static) for v in (a, b)):
        return Static(False)
    return None


def _optional_equality(m: Machine, a: Value, b: Value) -> Value:
    optional, other = (a, b) if isinstance(a, Maybe) else (b, a)
    assert isinstance(optional, Maybe)
    if isinstance(other, Static) and other.value is None:
        return truth_value(m, optional.missing)
    present = operators.negate(m, optional.missing)
    return flow.choose(m, present, lambda: operators.comparison(m, "==", optional.value, other), lambda: Static(False))


def _all_equal(m: Machine, a: Sequence[Value], b: Sequence[Value]) -> Value:
    if len(a) != len(b):
        return Static(False)
    result: Value = Static(True)
    for x, y in zip(a, b, strict=True):
        equal = truth_value(m, operators.comparison(m, "==", x, y))
        result = operators.both(m, result, equal)
    return result


def sequence_operator(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """`+` and `*` of lists and tuples, `|` of dicts."""
    if op == "|" and isinstance(a, Ref) and a.cls is dict:
        return new_dict(m, dict_contents(m, a) | dict_contents(m, b))
    if op not in ("+", "*"):
        return None
    if op == "+" and (isinstance(a, Text) or isinstance(b, Text)):
        texts = [v.parts if isinstance(v, Text) else (v.value,) if _is_string(v) else None for v in (a, b)]
        return None if texts[0] is None or texts[1] is None else Text((*texts[0], *texts[1]))
    for one, other in ((a, b), (b, a)):
        items = _sequence(m, one)
        if items is None or (op == "+" and one is not a):
            continue
        if op == "+":
            more = _sequence(m, other)
            if more is None:
                return None
            return _like(m, one, [*items, *more])
        if isinstance(other, Static) and isinstance(other.value, int):
            return _like(m, one, items * other.value)
        if isinstance(other, Tensor) and other.is_python:
            return _like(m, one, items * static(m, other, "the repeat count of a sequence"))
    return None


def _is_string(value: Value) -> bool:
    return isinstance(value, Static) and isinstance(value.value, str)


def _like(m: Machine, value: Value, items: Sequence[Value]) -> Value:
    is_list = isinstance(value, Ref) or (isinstance(value, Static) and isinstance(value.value, list))
    return new_list(m, items) if is_list else Tuple(tuple(items))


def extended(m: Machine, old: Ref, value: Value) -> Ref:
    """`old + list(value)`."""
    return new_list(m, [*contents_of(m, old), *iteration.static_items(m, value, "the right side of +=")])


def identical(m: Machine, a: Value, b: Value) -> Value:
    """`a is b`."""
    for one, other in ((a, b), (b, a)):
        optional = isinstance(one, Maybe) and one.absent == "none"
        if optional and isinstance(other, Static) and other.value is None:
            return truth_value(m, one.missing)  # type: ignore[attr-defined]
    a, b = settled(m, a), settled(m, b)
    if isinstance(a, Maybe) or isinstance(b, Maybe):
        raise m.error("GP325", "`is` between a value that may be None and another value is not decided")
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a is b:
            return Static(True)
        if a.sources or b.sources or not (a.is_array and b.is_array):
            raise m.error(
                "GP325", "`is` between these values depends on the path taken", hint="compare with == instead"
            )
        return Static(False)
    return Static(same_value(a, b))


def contains(m: Machine, container: Value, item: Value) -> Value:
    """`item in container`."""
    method = user_method(container, "__contains__")
    if method is not None:
        return truth_value(m, _call(m, method, item))
    if isinstance(container, Static) and m.is_captured_array(container):
        container = m.captured_array(container)
    if isinstance(container, Static) and isinstance(item, Static):
        try:
            return Static(item.value in container.value)
        except TypeError as error:
            raise m.error("GP302", str(error), cls=diagnostics.DTypeError) from None
    if isinstance(container, Tensor):
        equal = operators.comparison(m, "==", container, item)
        return truth_value(m, registry.METHODS["any"](m, [equal], {})) if isinstance(equal, Tensor) else equal
    if isinstance(container, Ref) and container.cls is dict:
        return Static(static(m, item, "a dict key") in contents_of(m, container))
    if isinstance(container, Range):
        return range_contains(m, container, item)
    result: Value = Static(False)
    for element in iteration.static_items(m, container, "`in`"):
        equal = truth_value(m, operators.comparison(m, "==", element, item))
        result = operators.either(m, result, equal)
    return result


def range_contains(m: Machine, container: Range, item: Value) -> Value:
    """`item in range(start, stop, step)` for a static step."""
    step = static(m, container.step, "the step of the range")
    first, last = ("<=", "<") if step > 0 else (">=", ">")
    low = truth_value(m, operators.comparison(m, first, container.start, item))
    high = truth_value(m, operators.comparison(m, last, item, container.stop))
    offset = operators.binary(m, "%", operators.binary(m, "-", item, container.start), Static(abs(step)))
    on_step = truth_value(m, operators.comparison(m, "==", offset, Static(0)))
    return operators.both(m, operators.both(m, low, high), on_step)


def truth_of_object(m: Machine, value: Ref) -> Value:
    """`bool(value)` of a list, dict or instance."""
    if value.cls in (list, dict):
        return Static(bool(contents_of(m, value)))
    for name in ("__bool__", "__len__"):
        method = user_method(value, name)
        if method is not None:
            return truth_value(m, _call(m, method))
    return Static(True)


# ---------------------------------------------------------------- comprehensions


def comprehension(m: Machine, node: tree.Comprehension) -> Value:
    """A comprehension over structures of known length, unrolled."""
    from graph_program.extract.stage import expressions, targets

    found: list[tuple[Value | None, Value]] = []
    assert m.frame is not None
    table = m.live.frames[m.frame.id]
    bound = {n for c in node.clauses for n in _names(c.target)}
    saved = {n: table[n] for n in bound if n in table}
    locals_ = m.frame.function.locals
    frame = m.frame
    scope = dataclasses.replace(frame.function, locals=locals_ | bound)
    original, frame.function = frame.function, scope

    def clause(position: int) -> None:
        if position == len(node.clauses):
            key = None if node.key is None else expressions.evaluate(m, node.key)
            found.append((key, expressions.evaluate(m, node.element)))
            return
        current = node.clauses[position]
        source = expressions.evaluate(m, current.iter)
        for item in iteration.static_items(m, source, "this comprehension"):
            targets.assign(m, current.target, item)
            if all(static(m, expressions.truth(m, test), "the condition of a comprehension") for test in current.ifs):
                clause(position + 1)

    try:
        clause(0)
    finally:
        frame.function = original
    table = m.live.frames[m.frame.id]
    for name in bound:
        table.pop(name, None)
    table.update(saved)
    m.node_loc = node.loc
    return _comprehended(m, node.kind, found)


def _names(target: tree.Expr) -> frozenset[str]:
    from graph_program.extract.stage.loops import assigned_in_target

    return assigned_in_target(target)


def _comprehended(m: Machine, kind: str, found: list[tuple[Value | None, Value]]) -> Value:
    values = [v for _, v in found]
    if kind == "dict":
        return new_dict(m, {static(m, k, "a dict key"): v for k, v in found if k is not None})
    if kind == "set":
        return Static({static(m, v, "an element of a set") for v in values})
    return new_list(m, values) if kind == "list" else Tuple(tuple(values))


__all__ = ["Closure", "Iteration", "Partial", "get_attribute", "new_dict", "new_list", "set_attribute"]
