"""What annotations say of the parts of objects on the host: elements, items, attributes, results of methods.

A note is an annotation as Python has it, such as `list[float]` or `Reading`, or a `TensorType` for what the
graph knows of its own values; None where nothing is said.
"""

from __future__ import annotations

import array
import collections.abc
import functools
import inspect
import types
import typing
from typing import Any

from graph_program.extract.arguments.argument_specs import spec_from_annotation
from graph_program.extract.ir.specs import TensorSpec
from graph_program.extract.source.annotation_places import read_annotations
from graph_program.extract.stage.host.library import library_signatures, noted_calls
from graph_program.extract.stage.machine.host_contents import NOTHING, Made, OneNumber
from graph_program.extract.stage.operations import operator_slots
from graph_program.extract.stage.operations.code_ownership import is_installed
from graph_program.extract.stage.values.host_notes import UNIONS, plain, present
from graph_program.extract.types.notation.dims_strings import AnnotationSyntaxError
from graph_program.extract.types.notation.evaluated_annotations import class_annotations, function_annotations
from graph_program.extract.types.tensors.tensor_type import PY_TYPES, Kind, TensorType

MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping, collections.defaultdict)
MAPPINGS += (collections.OrderedDict, collections.Counter)  # type: ignore[assignment]

BINARY = "add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor".split()  # noqa: SIM905
OTHERS = "lt le eq ne gt ge neg pos abs invert int float index array array_ufunc".split()  # noqa: SIM905
OPERATORS = frozenset(f"__{name}__" for name in (*(side + name for name in BINARY for side in ("", "r", "i")), *OTHERS))
"""What a class may say of its instances as operands."""


def tensor_type(note: Any) -> TensorType | None:
    """The type that a note gives a value in the graph; None where it leaves the type open."""
    if isinstance(note, TensorType):
        return note
    if isinstance(note, Made | OneNumber) or note is NOTHING:
        return None
    try:
        spec = spec_from_annotation(note, "value") if note is not None else None
    except AnnotationSyntaxError:
        return None
    return spec.type if isinstance(spec, TensorSpec) else None


def number_of(note: Any) -> type | None:
    """`int` or `float`, where a note is a subclass of it that says nothing of its instances as operands."""
    if not isinstance(note, type) or note in PY_TYPES:
        return None
    base = next((base for base in (int, float) if issubclass(note, base)), object)
    own = {name for cls in note.__mro__ if cls not in base.__mro__ for name in vars(cls)}
    return base if base is not object and own.isdisjoint(OPERATORS) else None


def class_of(note: Any) -> type | None:
    """The class of what a note is about."""
    note = present(note)
    found = typing.get_origin(note) or note
    return found if isinstance(found, type) and not isinstance(note, TensorType) else None


def is_open(note: Any) -> bool:
    """Whether a note leaves open what something is, or what a container of the library's holds."""
    if note is None or note is Any:
        return True
    if isinstance(note, type) and not isinstance(note, types.GenericAlias):
        return hasattr(note, "__class_getitem__") and typing.Generic not in note.__mro__
    return typing.get_origin(note) not in UNIONS and any(
        a is not Ellipsis and is_open(a) for a in typing.get_args(note)
    )


def parts(note: Any) -> tuple[Any, ...] | None:
    """The notes of what a tuple of known length holds."""
    note = present(note)
    args = typing.get_args(note)
    if typing.get_origin(note) is tuple:
        return None if Ellipsis in args else tuple(plain(a) for a in args if a != ())
    if isinstance(note, type) and issubclass(note, tuple) and hasattr(note, "_fields"):
        hints = class_annotations(note)
        return tuple(hints.get(field) for field in note._fields)
    return None


def unpacked(note: Any, count: int, star: int | None) -> list[Any]:
    """The notes of the targets of `a, *b, c = value`."""
    found, each = parts(note), element(note)
    if found is None or len(found) < count - (star is not None):
        notes = [each] * count
    elif star is None:
        notes = list(found) if len(found) == count else [each] * count
    else:
        after = count - star - 1
        notes = [*found[:star], each, *found[len(found) - after :]]
    if star is not None:
        notes[star] = None if notes[star] is None else noted_calls.of(list, notes[star])
    return notes


def element(note: Any) -> Any:
    """The note of what an iterable gives; None where it is not known or not always the same."""
    note = present(note)
    if isinstance(note, TensorType):
        return noted_calls.row_of(note)
    if note is NOTHING:
        return NOTHING
    found = parts(note)
    if found is not None:
        return plain(found[0]) if found and all(part == found[0] for part in found) else None
    cls, args = class_of(note), typing.get_args(note)
    if cls is None or cls is tuple:
        return args[0] if args else None
    if args and issubclass(cls, collections.abc.Iterable):
        return plain(args[0])
    if cls in library_signatures.ELEMENTS:
        return library_signatures.ELEMENTS[cls]
    following = result_of_method(cls, "__next__")
    return element(result_of_method(cls, "__iter__")) if following is None else following


def or_default(note: Any, given: noted_calls.Given) -> Any:
    """The note of `next(items, default)` and the like, which give what they are given where there is nothing else."""
    if note is None or len(given.args) < 2:
        return note
    default, type_ = given.note(1), tensor_type(note)
    if default == note or (type_ is not None and type_ == tensor_type(default)):
        return note
    if default is not types.NoneType:
        return None
    note = next((cls for cls, python in PY_TYPES.items() if python == note), note)
    return None if isinstance(note, TensorType) else note | None


def item(note: Any, key: object = None) -> Any:
    """The note of `value[key]`; `key` is None where it is not known at extraction."""
    note = present(note)
    found = parts(note)
    if found is not None:
        return found[key] if isinstance(key, int) and -len(found) <= key < len(found) else element(note)
    cls, args = class_of(note), typing.get_args(note)
    if cls is None or isinstance(note, TensorType):
        return None
    if cls in MAPPINGS:
        return plain(args[-1]) if len(args) == 2 else int if cls is collections.Counter else None
    if typing.is_typeddict(cls):
        return class_annotations(cls).get(str(key))
    if issubclass(cls, collections.abc.Sequence) or cls is tuple:
        return element(note)
    return result_of_method(cls, "__getitem__")


@operator_slots.is_count.given
def is_count(note: Any) -> bool:
    numpy_ = isinstance(note, TensorType) and note.kind is Kind.NUMPY and note.dtype.kind in "iu"
    return numpy_ or noted_calls.is_whole(note)


def of_text_operator(op: str, a: Any, b: Any) -> Any:
    """`str` where `a op b` gives one for what is known of its operands."""
    numbers = [is_count(v) for v in (a, b)]
    texts = [v is str for v in (a, b)]
    holds = {"+": all(texts), "%": texts[0], "*": any(texts) and any(numbers)}.get(op, False)
    return str if holds else None


def slice_of(note: Any) -> Any:
    """The note of `value[a:b]`."""
    cls = class_of(note)
    if isinstance(note, Made):
        return list[note.__args__[0]] if cls is list else None
    return present(note) if cls in (list, str, bytes, bytearray, array.array, tuple) and parts(note) is None else None


def attribute(note: Any, name: str) -> tuple[Any, Any]:
    """The note of `value.name`; and the function, where that is a method."""
    cls = class_of(note)
    if cls is None:
        return (NOTHING if note is NOTHING else None), None
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, property):
        return (None if found.fget is None else result_of(found.fget)), None
    if isinstance(found, functools.cached_property):
        return result_of(found.func), None
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    shipped = library_signatures.member(cls, name)
    if isinstance(found, types.FunctionType):
        return None, noted_calls.Method(note, name, found, shipped)
    if shipped is not None and callable(found) and not hasattr(type(found), "__set__"):
        return None, noted_calls.Method(note, name, None, shipped)
    return class_annotations(cls).get(name) if shipped is None else shipped, None


def result_of_method(cls: type, name: str) -> Any:
    """What a method of a class says that it returns."""
    found = inspect.getattr_static(cls, name, None)
    return result_of(found) if isinstance(found, types.FunctionType) else None


def result_of(function: Any) -> Any:
    """What a function says that it returns: an annotation, `NoneType`, or None where it says nothing."""
    found = function
    while isinstance(found, functools.partial | types.MethodType):
        found = found.func if isinstance(found, functools.partial) else found.__func__
    if isinstance(found, functools._lru_cache_wrapper):
        found = found.__wrapped__
    if isinstance(found, type):
        return found
    if not isinstance(found, types.FunctionType) or "return" not in found.__annotations__:
        return None
    try:
        return _returned(found)
    except AnnotationSyntaxError:
        return None


@functools.lru_cache(maxsize=256)
def _returned(function: types.FunctionType) -> Any:
    """What a function's annotation says: read once, as two readings of one array's annotation are not equal."""
    read = function_annotations if is_installed(function) else read_annotations
    note = read(function).get("return")
    return types.NoneType if note is None else plain(note)
