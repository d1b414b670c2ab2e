"""The exception that a handler has: one of several that may have been raised, each known but for its values.

    except (ValueError, OverflowError) as e:            if equal(case, 0): r := text 1
        return str(e)                           ->      else: r := text 2

What is asked of it is evaluated for each, behind a test of which one it is, and the answers are merged.
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Iterable
from dataclasses import replace
from functools import partial, singledispatch
from typing import Any

from graph_program.extract.stage.kinds import formatting
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_other
from graph_program.extract.stage.operations import attributes, code_ownership
from graph_program.extract.stage.paths.several.each_case import of_each
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.questions import are_known, is_known, is_optional, known_value, one_or_many
from graph_program.extract.stage.values.structure import enclosed, joined_text, text_parts
from graph_program.extract.stage.values.values import NONE, Bound, Maybe, Mixed, Ref, Static, Text, Tuple, Value

Part = str | tuple[Value, str, str]


# ---------------------------------------------------------------- instances


def own_init(m: Machine, cls: type) -> bool:
    """Whether the user's own code makes an exception of a class what it is."""
    return _own_method(m, cls, "__init__") is not None


def _own_method(m: Machine, cls: type, name: str) -> types.FunctionType | None:
    """A method that the user's own class says."""
    method = inspect.getattr_static(cls, name)
    return method if isinstance(method, types.FunctionType) and code_ownership.own_class(m, cls) else None


@entries.initialized.given
def initialized(m: Machine, error: ExceptionObject) -> ExceptionObject:
    """The exception with the fields that its own `__init__` sets."""
    if error.instance is not None or not own_init(m, error.cls):
        return error
    args, keywords = list(error.args), dict(error.keywords)
    if user_classes.dataclass_init(error.cls):
        instance = entries.dataclass_instance(m, error.cls, args, keywords)
        assert isinstance(instance, Ref)
        m.live.heap[instance] = {"args": Tuple(error.args), **m.live.heap[instance]}
    else:
        instance = instance_of(m, error)
        init = inspect.getattr_static(error.cls, "__init__")
        entries.call(m, Bound(instance, Static(init)), args, keywords)
    return replace(error, instance=instance)


def instance_of(m: Machine, error: ExceptionObject) -> Ref:
    """The exception as an object with fields."""
    if error.instance is not None:
        return error.instance
    instance = Ref(error.cls, m.loc)
    m.live.heap[instance] = {"args": Tuple(error.args)}
    return instance


def args_of(m: Machine, error: ExceptionObject) -> tuple[Value, ...]:
    """`e.args`."""
    if error.instance is None:
        return _args_kept(m, error)
    args = m.live.heap[error.instance]["args"]
    return one_or_many(args)


def made_of(m: Machine, error: ExceptionObject) -> tuple[Value, ...]:
    """The arguments with which one can make the exception again."""
    return error.args if error.instance is None else args_of(m, error)


def _args_kept(m: Machine, error: ExceptionObject) -> tuple[Value, ...]:
    """What an exception has of its arguments: a class of a library may keep others."""
    init = inspect.getattr_static(error.cls, "__init__", None)
    if code_ownership.own_class(m, error.cls) and not issubclass(error.cls, OSError):
        return error.args
    if are_known(error.given):
        return tuple(map(Static, _made_now(error).args))
    if issubclass(error.cls, OSError) and len(error.args) > 2:
        return error.args[:2]
    if isinstance(init, types.FunctionType):
        raise m.error("GP430", f"the arguments of a {error.cls.__name__} are not known in a graph", hint="use str(e)")
    return error.args


def _made_now(error: ExceptionObject) -> BaseException:
    """The exception itself, where all that it is made of is known."""
    return error.cls(*map(known_value, error.args), **{k: known_value(v) for k, v in error.keywords})


@attributes.attribute.of(Caught)
def attribute(m: Machine, caught: Caught, name: str) -> Value:
    """`e.name`."""
    return of_each(m, caught.cases, lambda error: exception_attribute(m, error, name))


def exception_attribute(m: Machine, error: ExceptionObject, name: str) -> Value:
    """An attribute of one exception."""
    if name == "args":
        return Tuple(args_of(m, error))
    if name == "__class__":
        return Static(error.cls)
    found = inspect.getattr_static(error.cls, name, None)
    if found is not None and not isinstance(found, types.FunctionType | property | classmethod | staticmethod):
        owner = next(c for c in error.cls.__mro__ if name in vars(c))
        if owner.__module__ == "builtins":
            raise m.error(
                "GP430",
                f"'{name}' of an exception that was caught is not known in a graph",
                hint="use str(e), e.args and fields that your own class sets",
            )
    return attributes.get_attribute(m, instance_of(m, error), name)


# ---------------------------------------------------------------- text


def formatted(m: Machine, caught: Caught, conversion: str, spec: str) -> tuple[Any, ...]:
    """The parts of `f"{e!conversion:spec}"`."""
    if spec or conversion == "a":
        raise m.error("GP343", "an exception cannot be put into a message in this way", hint="use str(e)")
    show = shown if conversion == "r" else text
    value = of_each(m, caught.cases, lambda error: show(m, error))
    return text_parts(value)


@entries.own_text_of.given
def own_text_of(m: Machine, error: ExceptionObject) -> Value | None:
    method = _own_method(m, error.cls, "__str__")
    return None if method is None else entries.call(m, Bound(instance_of(m, error), Static(method)), [], {})


def text(m: Machine, error: ExceptionObject) -> Value:
    """`str(e)`."""
    own = own_text_of(m, error)
    if own is not None:
        return own
    method = inspect.getattr_static(error.cls, "__str__")
    args = made_of(m, error)
    if are_known((*args, *(v for _, v in error.keywords))) and error.instance is None:
        return Static(str(_made_now(error)))
    if method not in PLAIN and len(args) > 1:
        raise m.error("GP430", f"the text of a {error.cls.__name__} with these arguments is not known in a graph")
    return _text_of(m, args, "r" if issubclass(error.cls, KeyError) else "")


def _text_of(m: Machine, args: tuple[Value, ...], conversion: str) -> Value:
    """The text that the arguments make; `conversion` is that of one alone."""
    if not args:
        return Static("")
    shown, how = (args[0], conversion) if len(args) == 1 else (Tuple(args), "")
    return joined_text(entries.message_value(m, shown, how, ""))


PLAIN = {BaseException.__str__: "", KeyError.__str__: "r"}
"""Texts that are those of the arguments, with the conversion of one that is alone."""


def inherited_text(m: Machine, self: Value, conversion: str) -> Value:
    """`super().__str__()` in the `__str__` of an exception class."""
    return _text_of(m, one_or_many(m.live.heap[_own(m, self)]["args"]), conversion)


for _str, _conversion in PLAIN.items():
    lowers_other(_str, name="__str__")(partial(inherited_text, conversion=_conversion))


def shown(m: Machine, error: ExceptionObject) -> Value:
    """`repr(e)`."""
    if _own_method(m, error.cls, "__repr__") is not None:
        own = formatting.own_text(m, instance_of(m, error), "r", "")
        if own is not None:
            return own[0]
    given = (entries.message_value(m, value, "r", "") for value in args_of(m, error))
    return joined_text(enclosed(f"{error.cls.__name__}(", given, ")"))


# ---------------------------------------------------------------- classes


def class_of(m: Machine, caught: Caught) -> Value:
    """`type(e)`."""
    return of_each(m, caught.cases, lambda error: Static(error.cls))


def is_instance(m: Machine, caught: Caught, classes: Any) -> Value:
    """`isinstance(e, classes)`; where it is tested, what it is not is no longer considered."""
    having = tuple(c for c in caught.cases if issubclass(c.exception.cls, classes))
    others = tuple(c for c in caught.cases if c not in having)
    if not having or not others:
        return Static(bool(having))
    result = of_each(m, caught.cases, lambda error: Static(issubclass(error.cls, classes)))
    if not is_known(result):
        caught.tests.append((result, Caught(having, caught.origin), Caught(others, caught.origin)))
    return result


# ---------------------------------------------------------------- exceptions that say what was caught


@singledispatch
def _choice_in(value: Value) -> Mixed | Maybe | None:
    return None


_choice_in.register(Mixed, lambda value: None if value.selector is None else value)
_choice_in.register(Maybe, lambda value: value if is_optional(value) else None)
_choice_in.register(Text, lambda value: first_choice(value.computed))
_choice_in.register(Tuple, lambda value: first_choice(value.elts))


def first_choice(values: Iterable[Value]) -> Mixed | Maybe | None:
    return next((found for found in map(_choice_in, values) if found is not None), None)


@singledispatch
def chosen(value: Value, mixed: Mixed | Maybe, choice: Value) -> Value:
    """A value with one of several put in their place."""
    return choice if value is mixed else value


@chosen.register
def _of_text(value: Text, mixed: Mixed | Maybe, choice: Value) -> Value:
    return joined_text([new for part in value.parts for new in _chosen_part(part, mixed, choice)])


@chosen.register
def _of_tuple(value: Tuple, mixed: Mixed | Maybe, choice: Value) -> Value:
    return Tuple(tuple(chosen(v, mixed, choice) for v in value.elts), value.cls)


@chosen.register
def _of_exception(value: ExceptionObject, mixed: Mixed | Maybe, choice: Value) -> Value:
    args = tuple(chosen(v, mixed, choice) for v in value.args)
    return replace(value, args=args, keywords=tuple((k, chosen(v, mixed, choice)) for k, v in value.keywords))


def _chosen_part(part: Part, mixed: Mixed | Maybe, choice: Value) -> tuple[Any, ...]:
    if isinstance(part, str) or part[0] is not mixed:
        return (part,)
    plain = part[1] in ("", "s") and not part[2]
    return text_parts(choice) if plain and not isinstance(choice, Mixed) else ((choice, *part[1:]),)


def set_args(m: Machine, self: Value, /, *args: Value) -> Value:
    """`super().__init__(*args)` in the `__init__` of an exception class."""
    own = _own(m, self)
    m.live.heap[own] = {**m.live.heap[own], "args": Tuple(tuple(args))}
    return NONE


def _own(m: Machine, self: Value) -> Ref:
    """An exception that the program makes."""
    if not isinstance(self, Ref):
        raise m.error("GP335", "this exception is not made by the program, and its arguments cannot be asked for")
    return self


for _init in {
    cls.__init__ for cls in vars(builtins).values() if isinstance(cls, type) and issubclass(cls, BaseException)
}:
    lowers_other(_init, name="__init__")(set_args)
