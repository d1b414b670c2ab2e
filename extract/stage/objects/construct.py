"""Making instances: dataclasses, named tuples, ordinary classes; `replace`; `super()`."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import types
import typing
from collections.abc import Sequence
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.ir import tree
from graph_program.extract.stage.machine import handlers
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.objects import live_reads, object_tables, own_host_code
from graph_program.extract.stage.objects.argument_binding import bind
from graph_program.extract.stage.operations import attributes, iteration, objects
from graph_program.extract.stage.operations.code_ownership import is_own, own_class
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.operations.of_numbers import number_members
from graph_program.extract.stage.operations.static_evaluation import call_now, evaluate_now
from graph_program.extract.stage.paths.several import mixed_numbers, one_of_several
from graph_program.extract.stage.values.exception_values import ExceptionObject
from graph_program.extract.stage.values.questions import (
    are_known,
    is_array_of_graph,
    is_known,
    is_known_as,
    known_value,
)
from graph_program.extract.stage.values.user_classes import GENERATED, class_of, dataclass_init
from graph_program.extract.stage.values.values import NONE, Bound, Ref, Static, Tuple, Value

KNOWN_NOW = ("numpy", "builtins", "fractions", "enum")
"""Modules with classes that are called while extracting, where the arguments are known."""


def construct(m: Machine, cls: type, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`cls(*args, **keywords)`."""
    if issubclass(cls, enum.Enum) and len(args) == 1 and not keywords and "_missing_" not in vars(cls):
        one_of = one_of_several.choice(args[0]) or mixed_numbers.one_of_numbers(args[0])
        if one_of is not None:
            return one_of_several.of_each(m, one_of, lambda v: construct(m, cls, [v], {}))
        member = number_members.member_of(m, cls, settled(m, args[0]))
        return member or Static(call_now(m, cls, [static(m, args[0], "the value of an enum member")]))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return named_tuple(m, cls, args, keywords)
    if issubclass(cls, BaseException):
        return exception(m, cls, args, keywords)
    if own_class(m, cls) and _begins_on_host(m, cls):
        return host_entries.call_there(m, cls, args, keywords)
    generated = dataclass_init(cls)
    if generated:
        return dataclass_instance(m, cls, args, keywords)
    init = inspect.getattr_static(cls, "__init__", None)
    plain = init is object.__init__ or (isinstance(init, types.FunctionType) and _is_made_here(m, cls))
    if plain and cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__ and own_class(m, cls):
        if inspect.isabstract(cls):
            call_now(m, object.__new__, [cls])
        instance = Ref(cls, m.loc)
        m.live.heap[instance] = {}
        if isinstance(init, types.FunctionType):
            entries.call(m, Bound(instance, Static(init)), args, keywords)
        return object_tables.adopted(m, instance)
    known = are_known([*args, *keywords.values()]) and not own_class(m, cls)
    if known and cls.__module__ in KNOWN_NOW:
        return evaluate_now(m, cls, args, keywords)
    if is_numpy_class(cls):
        raise host_entries.no_graph_form(m, cls)
    return host_entries.call_there(m, cls, args, keywords)


def _begins_on_host(m: Machine, cls: type) -> bool:
    """Whether what makes an instance is host code: it registers it somewhere, or counts them."""
    first = (vars(base).get(name) for base in cls.__mro__ for name in ("__init__", "__post_init__"))
    written = (f for f in first if isinstance(f, types.FunctionType) and f.__code__.co_filename != GENERATED)
    return any(is_own(m, f) and own_host_code.is_host(f) for f in written)


def _is_made_here(m: Machine, cls: type) -> bool:
    """Whether each `__init__` of a class and its bases is the program's own; those of protocols do nothing."""
    inits = [vars(base)["__init__"] for base in cls.__mro__ if "__init__" in vars(base)]
    functions = [init for init in inits if isinstance(init, types.FunctionType)]
    return all(is_own(m, init) or init.__module__ == typing.__name__ for init in functions)


OBJECTS_OF_NUMPY = ("numpy.random", "numpy.polynomial")
"""Packages with classes whose objects are the host's."""


def is_numpy_class(cls: type) -> bool:
    """Whether a class is NumPy's, which works on tensors."""
    return cls.__module__.partition(".")[0] == "numpy" and not cls.__module__.startswith(OBJECTS_OF_NUMPY)


def exception(m: Machine, cls: type[BaseException], args: list[Value], keywords: dict[str, Value]) -> Value:
    """An exception, which is made when the call raises it."""
    if issubclass(cls, BaseExceptionGroup):
        raise m.error("GP431", "an exception group has no graph form", hint="raise one exception")
    kept = [m.copied(a) if is_array_of_graph(a) else a for a in (one_of_several.read(m, a) for a in args)]
    made = _class_made(m, cls, kept)
    return ExceptionObject(made, tuple(kept), tuple((k, settled(m, v)) for k, v in keywords.items()))


def _class_made(m: Machine, cls: type[BaseException], args: Sequence[Value]) -> type[BaseException]:
    """The class of what a call makes: `OSError(2, text)` is a `FileNotFoundError`."""
    if cls is not OSError or not 2 <= len(args) <= 5:
        return cls
    if is_known(args[0]):
        return type(OSError(args[0].value, ""))
    if handlers.is_caught(m, OSError):
        text = "the class of an OSError whose number is computed is not known in a graph"
        raise m.error("GP430", text, hint="name the class that is meant: FileNotFoundError, TimeoutError, ...")
    return cls


def parameters(signature: inspect.Signature) -> tuple[tree.Param, ...]:
    """The parameters of a live signature as the core tree has them."""
    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "positional",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "normal",
        inspect.Parameter.VAR_POSITIONAL: "var_positional",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_KEYWORD: "var_keyword",
    }
    place = diagnostics.UNKNOWN
    return tuple(tree.Param(p.name, kinds[p.kind], None, None, loc=place) for p in signature.parameters.values())


def bind_live(m: Machine, function: Any, args: list[Value], keywords: dict[str, Value]) -> dict[str, Value]:
    """Bind arguments to a live method's parameters, without its `self`."""
    signature = inspect.signature(function)
    params = parameters(signature)
    empty = inspect.Parameter.empty
    defaults: dict[str, Value] = {
        p.name: Static(p.default) for p in signature.parameters.values() if p.default is not empty
    }
    none: frozenset[str] = frozenset()
    name, qualname = function.__name__, function.__qualname__
    shell = tree.Function(name, qualname, params, (), None, none, none, none, loc=diagnostics.UNKNOWN)
    names = bind(m, shell, [NONE, *args], keywords, defaults)
    return {name: value for name, value in names.items() if name != params[0].name}


def named_tuple(m: Machine, cls: type, args: list[Value], keywords: dict[str, Value]) -> Value:
    names = bind_live(m, cls.__new__, args, keywords)
    return Tuple(tuple(names[f] for f in cls._fields), cls)  # type: ignore[attr-defined]


def makes_named_tuple(method: types.MethodType) -> bool:
    """Whether a method is `_make` of a named tuple class."""
    cls = method.__self__
    return method.__name__ == "_make" and isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def named_tuple_of(m: Machine, cls: Any, items: Value, keywords: dict[str, Value]) -> Value:
    """`cls._make(items)`."""
    return named_tuple(m, cls, iteration.static_items(m, items, "_make"), keywords)


def named_tuple_method(
    m: Machine, value: Tuple, name: str, args: list[Value], keywords: dict[str, Value]
) -> Value | None:
    """`_replace`, `_asdict` and `_make`."""
    fields = value.cls._fields  # type: ignore[union-attr]
    contents = dict(zip(fields, value.elts, strict=True))
    if name == "_replace":
        unknown = keywords.keys() - contents.keys()
        if unknown:
            raise m.error("GP320", f"Got unexpected field names: {sorted(unknown)}", cls=diagnostics.ProgramValueError)
        return Tuple(tuple((contents | keywords).values()), value.cls)
    if name == "_make" and len(args) == 1:
        return named_tuple_of(m, value.cls, args[0], keywords)
    if name == "_asdict":
        return objects.new_dict(m, dict(contents))
    return None


@entries.dataclass_instance.given
def dataclass_instance(m: Machine, cls: type, args: list[Value], keywords: dict[str, Value]) -> Value:
    given = bind_live(m, cls.__init__, args, keywords)  # type: ignore[misc]
    all_fields: dict[str, Any] = cls.__dataclass_fields__  # type: ignore[attr-defined]
    contents: dict[str, Value] = {}
    init_only: list[Value] = []
    for name, field in all_fields.items():
        kind = field._field_type.name
        if kind == "_FIELD_CLASSVAR":
            continue
        value = given.get(name) if field.init else None
        if (value is None or _is_factory(value)) and field.default_factory is not dataclasses.MISSING:
            value = entries.call(m, Static(field.default_factory), [], {})
        if value is None and field.default is not dataclasses.MISSING:
            value = Static(field.default)
        if value is None:
            continue
        if kind == "_FIELD_INITVAR":
            init_only.append(value)
        else:
            contents[name] = value
    instance = Ref(cls, m.loc)
    m.live.heap[instance] = contents
    post = inspect.getattr_static(cls, "__post_init__", None)
    if isinstance(post, types.FunctionType):
        entries.call(m, Bound(instance, Static(post)), init_only, {})
    return object_tables.adopted(m, instance)


def _is_factory(value: Value) -> bool:
    return type(known_value(value)).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"


def replace(m: Machine, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`dataclasses.replace(obj, **changes)`."""
    obj = settled(m, args[0])
    cls = class_of(obj)
    if len(args) != 1 or cls is None or not dataclasses.is_dataclass(cls):
        raise m.error("GP302", "replace() should be called on dataclass instances")
    changes = dict(keywords)
    for field in dataclasses.fields(cls):
        if field.init and field.name not in changes:
            changes[field.name] = attributes.get_attribute(m, obj, field.name)
    return construct(m, cls, [], changes)


def super_object(m: Machine) -> Value:
    """`super()` in a method: the object, seen from the class after the method's own."""
    frame = live_reads.root(m.frame)
    function = frame.python
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)) if function else {}
    params = frame.function.params
    if "__class__" not in cells or not params:
        raise m.error("GP346", "super(): no arguments", hint="use it in a method")
    self_ = m.live.frames[frame.id][params[0].name]
    return Super(self_, cells["__class__"].cell_contents)


def method_of_program(attribute: Any) -> Any:
    """What a class would have if a method were not decorated as a program: a function, static or class method."""
    while hasattr(type(attribute), "__graph_program__"):
        attribute = getattr(attribute, "_target", attribute.__wrapped__)
    return attribute


class Super(Value):
    """The result of `super()`."""

    def __init__(self, self_: Value, cls: type):
        self.self_, self.cls = self_, cls

    def attribute(self, m: Machine, name: str) -> Value:
        """`super().name`."""
        one_of = one_of_several.one_of_objects(self.self_)
        if one_of is not None:
            return one_of_several.of_each(m, one_of, lambda one: Super(one, self.cls).attribute(m, name))
        own = class_of(self.self_)
        own = self.self_.value if is_known_as(self.self_, type) else own
        assert own is not None
        order = own.__mro__
        for cls in order[order.index(self.cls) + 1 :]:
            if name in vars(cls):
                return self._found(m, own, cls, name, vars(cls)[name])
        raise m.error("GP307", f"'super' object has no attribute '{name}'")

    def _found(self, m: Machine, own: type, cls: type, name: str, attribute: Any) -> Value:
        attribute = method_of_program(attribute)
        if isinstance(attribute, property):
            return entries.call(m, Bound(self.self_, Static(attribute.fget)), [], {})
        if isinstance(attribute, classmethod):
            return Bound(Static(own), Static(attribute.__func__))
        if isinstance(attribute, staticmethod):
            return Static(attribute.__func__)
        if isinstance(attribute, types.FunctionType | functools.singledispatchmethod):
            if name == "__init__" and dataclass_init(cls):
                raise m.error(
                    "GP346",
                    "super().__init__ of a dataclass has no graph form",
                    hint="set the fields one by one, or let @dataclass write this __init__, too",
                )
            return Bound(self.self_, Static(attribute))
        if name == "__init__" and issubclass(cls, BaseException):
            return Bound(self.self_, Static(BaseException.__init__))
        if name == "__init__" and cls is object:
            return Static(_nothing)
        if name == "__post_init__":
            return Static(_nothing)
        if attribute is object.__setattr__ or (name == "__str__" and issubclass(cls, BaseException)):
            return Bound(self.self_, Static(attribute))
        return Static(attribute)


attributes.attribute.register(Super, lambda m, value, name: value.attribute(m, name))


def _nothing() -> None:
    return None
