"""Operators on objects: `+ == < in is` of lists, tuples, dicts and instances of the user's classes."""

from __future__ import annotations

import dataclasses
import inspect
import operator
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from graph_program.extract.library import sorted_lists
from graph_program.extract.stage.kinds import computed_keys
from graph_program.extract.stage.lists import columns, growing_lists, list_columns
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.checks import booleans, lengths
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import (
    attributes,
    iteration,
    known_and_truth,
    object_identity,
    operator_slots,
    operators,
)
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled, static, truth_value
from graph_program.extract.stage.operations.objects import (
    call_with,
    dict_contents,
    new_dict,
    new_list,
    new_sequence,
    user_method,
)
from graph_program.extract.stage.operations.of_numbers import number_protocol
from graph_program.extract.stage.operations.operator_slots import UNSAID, Unsaid, has_generated
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.sample_operands import refuse_misfit, refuse_number
from graph_program.extract.stage.paths.several import optional
from graph_program.extract.stage.values import layouts
from graph_program.extract.stage.values.choices import FUNCTIONS
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing
from graph_program.extract.stage.values.inside import held
from graph_program.extract.stage.values.questions import (
    are_known,
    has_contents,
    is_array_of_graph,
    is_false,
    is_just,
    is_known_as,
    is_list,
    is_of_numpy,
    is_optional,
    is_plain_tuple,
    is_ref_to,
    is_unbound,
    known_value,
    missing_flag,
)
from graph_program.extract.stage.values.structure import class_name, is_text, same_value, text_parts
from graph_program.extract.stage.values.user_classes import class_of
from graph_program.extract.stage.values.values import (
    UNBOUND,
    DictView,
    Host,
    Maybe,
    Ref,
    Row,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    is_numeric,
    type_of,
)

ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
Equality = Callable[[Machine, Value, Value], Value]


@operator_slots.comparison_of_structures.given
def comparison_of_structures(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    name = arithmetic.COMPARE[op][2]
    if op in ("==", "!="):
        equal = equality(m, a, b) if op == "==" else operators.comparison(m, "==", a, b) if _inverts(a, b) else None
        equal = equality(m, a, b) if op == "!=" and equal is None else equal
        if is_array_of_graph(equal) and equal.rank:
            return m.op("invert", equal) if op == "!=" else equal
        if equal is not None:
            return operators.unary(m, "not", equal) if op == "!=" else equal
    ordered = [_ordered_fields(m, v, f"__{name}__") for v in (a, b)]
    if ordered[0] is not None and ordered[1] is not None and class_of(a) is class_of(b):
        return lexicographic(m, op, ordered[0], ordered[1])
    if op in ORDERS and any(lengths.is_growing(m, v) for v in (a, b)):
        return _order_of_growing(m, op, a, b)
    both = [iteration.sequence_items(m, v) for v in (a, b)]
    if op in ORDERS and both[0] is not None and both[1] is not None:
        refuse_misfit(m, arithmetic.COMPARE[op][0], a, b)
        return lexicographic(m, op, both[0], both[1])
    return None


def _inverts(a: Value, b: Value) -> bool:
    """Whether `!=` asks an `__eq__` of the user, as it does where the class defines no `__ne__`."""
    own = [v for v in (a, b) if user_method(v, "__eq__") is not None and not has_generated(v, "__eq__")]
    return any(inspect.getattr_static(class_of(v), "__ne__") is object.__ne__ for v in own)


def _ordered_fields(m: Machine, value: Value, method: str) -> list[Value] | None:
    """The fields that `@dataclass(order=True)` compares."""
    if (
        method in ("__eq__", "__ne__")
        or not has_contents(value)
        or not dataclasses.is_dataclass(value.cls)
        or not has_generated(value, method)
    ):
        return None
    return [attributes.get_attribute(m, value, f.name) for f in dataclasses.fields(value.cls) if f.compare]


def lexicographic(m: Machine, op: str, a: list[Value], b: list[Value]) -> Value:
    """Order of sequences: the first elements that differ decide, else the lengths."""
    if not a or not b:
        return Static(arithmetic.COMPARE[op][0](len(a), len(b)))
    return flow.choose(
        m,
        same_item(m, a[0], b[0]),
        lambda: lexicographic(m, op, a[1:], b[1:]),
        lambda: operators.comparison(m, op, a[0], b[0]),
    )


def _order_of_growing(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """Order of two lists or tuples, one of which has a computed length."""
    found = [_contents(m, v) for v in (a, b)]
    if found[0] is None or found[1] is None or found[0][0] is not found[1][0]:
        return None
    return entries.run(m, sorted_lists.lexicographic, a, b, Static(ORDERS[op]))


def equality(m: Machine, a: Value, b: Value) -> Value | None:
    """`a == b` for structures; None where it is a matter of numbers or arrays."""
    for one, other in ((a, b), (b, a)):
        found = operator_slots.equal(m, one, other)
        if found is not UNSAID:
            return found
    structured = any(class_of(v) not in (None, np.ndarray) and not is_numeric(v) for v in (a, b))
    return Static(False) if structured and not are_known((a, b)) else None


@operator_slots.equal.of(Tuple)
@operator_slots.equal.of(Ref, Static, holding=(list, tuple))
def _equal_sequences(m: Machine, a: Value, b: Value) -> Value | Unsaid | None:
    """A list or tuple, and another; an array makes one of it."""
    if any(lengths.is_growing(m, v) for v in (a, b)):
        found = [_contents(m, v) for v in (a, b)]
        if found[0] is not None and found[1] is not None:
            same = found[0][0] is found[1][0]
            return growing_lists.equal(m, found[0][1], found[1][1]) if same else Static(False)
    else:
        items = [iteration.sequence_items(m, v) for v in (a, b)]
        if items[0] is not None and items[1] is not None:
            return _all_equal(m, items[0], items[1]) if is_list(a) == is_list(b) else Static(False)
    return None if is_of_numpy(b) else UNSAID


@operator_slots.equal.of(Tensor)
def _equal_array(m: Machine, a: Tensor, b: Value) -> Value | Unsaid | None:
    """An array, or number of NumPy's, and something that is no number: False for every element."""
    if a.is_python or is_numeric(b) or is_optional(b):
        return UNSAID
    if iteration.sequence_items(m, b) is not None or is_known_as(b, np.ndarray):
        return None
    return m.broadcast(m.constant(np.zeros((), bool)), a) if a.rank else Static(False)


@operator_slots.equal.of(*FUNCTIONS)
def _equal_functions(m: Machine, a: Value, b: Value) -> Value | Unsaid:
    return UNSAID if is_of_numpy(b) or is_optional(b) else Static(same_value(a, b))


@operator_slots.equal.of(Ref)
def _equal_objects(m: Machine, a: Ref, b: Value) -> Value | Unsaid:
    if not isinstance(b, Ref):
        return _equal_instances(m, a, b)
    if a is b:
        return Static(True)
    if a.cls is b.cls and getattr(a.cls, "__eq__", None) is object.__eq__:
        return object_identity.identical(m, a, b)
    if a.cls is not b.cls or (a.cls is not dict and not has_generated(a, "__eq__")):
        return Static(False)
    if a.cls is not dict:
        return _equal_fields(m, a, b)
    x, y = (contents_of(m, v, ordered=False) for v in (a, b))
    return _all_equal(m, list(x.values()), [y[k] for k in x]) if x.keys() == y.keys() else Static(False)


@operator_slots.equal.of(Static)
def _equal_instances(m: Machine, a: Value, b: Value) -> Value | Unsaid:
    """A captured dataclass instance, and another object of its class."""
    cls = class_of(a)
    same = cls is class_of(b) and dataclasses.is_dataclass(cls) and has_generated(a, "__eq__")
    return _equal_fields(m, a, b) if same and not are_known((a, b)) else UNSAID


@operator_slots.equal.of(Row)
def _equal_rows(m: Machine, a: Row, b: Value) -> Value | Unsaid:
    """Two objects in tables, as the class has it: one object is equal to itself."""
    if not isinstance(b, Row):
        return _equal_instances(m, a, b)
    one = object_identity.is_one(m, a, b)
    if a.cls is not b.cls or not has_generated(a, "__eq__"):
        return one
    if tables.is_recursive(m, a.cls):
        raise m.error(
            "GP325",
            f"`==` between two {a.cls.__name__} goes on in those that they refer to, as far as there are any",
            hint="compare with `is`, or compare the fields that matter",
        )
    return flow.choose(m, one, lambda: Static(True), lambda: _equal_fields(m, a, b))


@operator_slots.equal.of(Maybe)
def _equal_optional(m: Machine, a: Maybe, b: Value) -> Value:
    if is_just(b, None):
        return truth_value(m, a.missing)
    present = booleans.negate(m, a.missing)
    nothing = b.missing if is_optional(b) else Static(False)
    return flow.choose(m, present, lambda: operators.comparison(m, "==", a.value, b), lambda: nothing)


def _equal_fields(m: Machine, a: Value, b: Value) -> Value:
    """What the `__eq__` says that `@dataclass` writes: it compares tuples of the fields, or since 3.13 the fields."""
    names = [f.name for f in dataclasses.fields(class_of(a)) if f.compare]  # type: ignore[arg-type]
    x, y = ([attributes.get_attribute(m, v, name) for name in names] for v in (a, b))
    return _all_equal(m, x, y, same_item if sys.version_info < (3, 13) else _equal_item)


def _all_equal(m: Machine, a: Sequence[Value], b: Sequence[Value], item: Equality | None = None) -> Value:
    """Whether all are equal; what may raise is compared only where those before it are."""
    if len(a) != len(b):
        return Static(False)
    item = item or same_item
    result: Value = Static(True)
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if not are_known([result]) and not (_is_safely_compared(x) and _is_safely_compared(y)):
            rest = partial(_all_equal, m, a[i:], b[i:], item)
            return flow.choose(m, result, rest, lambda: Static(False))
        result = booleans.both(m, result, item(m, x, y))
        if is_false(result):
            break
    return result


def _is_safely_compared(value: Value) -> bool:
    """Whether `==` with another such value raises nothing and does nothing else."""
    if isinstance(value, Maybe | Tuple):
        return all(map(_is_safely_compared, held(value)))
    return not type_of(value).rank if is_numeric(value) else are_known([value]) and not is_known_as(value, np.ndarray)


def _equal_item(m: Machine, a: Value, b: Value) -> Value:
    return truth_value(m, operators.comparison(m, "==", a, b))


def same_item(m: Machine, a: Value, b: Value) -> Value:
    """`a is b or a == b`, as sequences compare their elements."""
    return Static(True) if same_value(a, b) else _equal_item(m, a, b)


@operator_slots.sequence_operator.given
def sequence_operator(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    if any(is_of_numpy_in(op, v) for v in (a, b)):
        return None
    computed = _computed_list(m, op, a, b)
    if computed is not None:
        return computed
    if op == "|" and is_ref_to(a, dict):
        return new_dict(m, dict_contents(m, a) | dict_contents(m, b))
    if op not in ("+", "*"):
        return None
    if op == "+" and any(isinstance(v, Text) for v in (a, b)):
        are_texts = all(is_text(v) or is_known_as(v, str) for v in (a, b))
        return Text((*text_parts(a), *text_parts(b))) if are_texts else None
    for one, other in ((a, b), (b, a)):
        items = iteration.sequence_items(m, one)
        if items is None or (op == "+" and one is not a):
            continue
        if op == "+":
            more = iteration.sequence_items(m, other)
            if more is None:
                return None
            return _like(m, one, [*items, *more])
        if is_known_as(other, int | np.integer):
            return _like(m, one, items * int(other.value))
        if _is_count(other):
            return _like(m, one, items * static(m, other, "the repeat count of a sequence"))
    return None


def is_of_numpy_in(op: str, value: Value) -> bool:
    """Whether an operator on a list and this value is NumPy's: an array's, and a number's where it repeats nothing."""
    return value.is_array or is_known_as(value, np.ndarray) if op == "*" else is_of_numpy(value)


def _computed_list(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """`+` and `*` where the length of the list is computed; None elsewhere."""
    if op == "+" and any(lengths.is_growing(m, v) for v in (a, b)):
        both = [_contents(m, v) for v in (a, b)]
        if both[0] is None or both[1] is None or both[0][0] is not both[1][0]:
            return None
        return new_sequence(m, both[0][0], columns.joined(m, [c[1] for c in both if c is not None]))
    for one, times in ((a, b), (b, a)):
        found = _contents(m, one) if op == "*" else None
        if found is None or not (_is_count(times) or lengths.is_growing(m, one)):
            continue
        if isinstance(found[1], Growing) or known_and_truth.is_computed(m, times):
            return new_sequence(m, found[0], growing_lists.repeated(m, found[1], times))
    return None


def _is_count(value: Value) -> bool:
    """Whether a value is an integer of the graph."""
    return isinstance(value, Tensor) and not value.is_array and value.type.dtype.kind in "biu"


def _contents(m: Machine, value: Value) -> tuple[type, layouts.Contents] | None:
    """The class and the contents of a list or a plain tuple."""
    if is_ref_to(value, *SEQUENCES):
        return value.cls, growing_lists.contents(m, value)
    if is_plain_tuple(value):
        return tuple, value.elts
    cls = type(known_value(value))
    if cls in SEQUENCES:
        return cls, tuple(iteration.structure_items(m, value) or ())
    return None


def _like(m: Machine, value: Value, items: Sequence[Value]) -> Value:
    return new_list(m, items) if is_list(value) else Tuple(tuple(items))


def extended(m: Machine, old: Ref, value: Value) -> Ref:
    """`old + list(value)`."""

    more = iteration.elements(m, value, "the right side of +=")
    return new_list(m, columns.joined(m, [growing_lists.contents(m, old), more]))


@operator_slots.contains.given
def contains(m: Machine, container: Value, item: Value) -> Value:
    container = optional.present(m, container, lambda none: 0 in none)
    method = user_method(container, "__contains__")
    if method is not None:
        return truth_value(m, call_with(m, method, item))
    container = iteration.begun(m, container)
    container = m.in_graph(container)
    if are_known((container, item)):
        return Static(call_now(m, operator.contains, (known_value(container), known_value(item))))
    if is_known_as(container, str):
        raise number_protocol.type_error(m, f"'in <string>' requires string as left operand, not {class_name(item)}")
    found = operator_slots.contained_in(m, container, item)
    if found is not None:
        return found
    if lengths.is_growing(m, container):
        return growing_lists.contains(m, m.live.heap[container], item)
    return booleans.any_of(m, (same_item(m, element, item) for element in iteration.static_items(m, container, "`in`")))


operator_slots.contained_in.register(Host, lambda m, container, item: host_entries.comparison(m, "in", item, container))


@operator_slots.contained_in.of(DictView)
def _in_view(m: Machine, container: DictView, item: Value) -> Value | None:
    return contains(m, container.dictionary, item) if container.kind == "keys" else None


@operator_slots.contained_in.of(Tensor)
def _in_array(m: Machine, container: Tensor, item: Value) -> Value:
    refuse_number(m, operator.contains, container)
    equal = operators.comparison(m, "==", container, item)
    return truth_value(m, registry.METHODS["any"](m, [equal], {})) if isinstance(equal, Tensor) else equal


@operator_slots.contained_in.of(Ref, holding=dict)
def _in_dict(m: Machine, container: Ref, item: Value) -> Value:
    item, known = settled(m, item), m.live.heap[container]
    if computed_keys.is_asked(m, known, item) and all(v.there is v for v in known.values()):
        return computed_keys.has(m, known, item)
    key = host_entries.known_key(m, container, item)
    return booleans.negate(m, missing_flag(m.live.heap[container].get(key, UNBOUND), is_unbound))


@known_and_truth.truth.of(Ref, Row, Tuple)
def truth_of_object(m: Machine, value: Ref | Row | Tuple) -> Value:
    """`bool(value)` of a list, dict, tuple or instance."""
    if lengths.is_growing(m, value):
        return arithmetic.compare(m, ">", list_columns.length(m, m.live.heap[value]), Static(0))
    if is_ref_to(value, *SEQUENCES, dict):
        return Static(bool(contents_of(m, value, ordered=False)))
    return number_protocol.truth(m, value) or Static(bool(value.elts) if isinstance(value, Tuple) else True)
