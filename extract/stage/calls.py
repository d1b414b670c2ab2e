"""Calls: inlining the user's functions, constructing objects, known functions, refusing the rest.

    def f(p, k=2):                       v = f(a)        ->      (p is a, k is 2)
        if p > 0: return p * k                                   if greater(a, 0): r := multiply(a, 2)
        return k                                                 else: r := 2

An inlined function is a `Block` that its `return`s leave; its names live in a frame of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import sysconfig
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir import tree
from graph_program.extract.ir.paths import KeyStep
from graph_program.extract.source.liveness import live_after
from graph_program.extract.source.load import load_function
from graph_program.extract.source.tail_calls import tail_calls
from graph_program.extract.source.unsupported import refuse_construct
from graph_program.extract.stage import (
    choices,
    construct,
    mixed_numbers,
    objects,
    recovery,
    recursion,
    registry,
    reveal,
)
from graph_program.extract.stage.binding import bind
from graph_program.extract.stage.checkpoint import Checkpoint
from graph_program.extract.stage.exits import exit_block
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.opened.values import Open
from graph_program.extract.stage.signals import TailRecursion, Unreachable
from graph_program.extract.stage.state import Frame
from graph_program.extract.stage.structure import describe
from graph_program.extract.stage.use import settled, static
from graph_program.extract.stage.values import (
    NONE,
    UNKNOWN,
    ArrayMethod,
    Bound,
    Closure,
    Partial,
    Ref,
    Static,
    Tensor,
    Tuple,
    Value,
)
from graph_program.extract.stage.words import call_word

RETURN = "<return>"


def call(m: Machine, function: Value, args: list[Value], keywords: dict[str, Value], *, tail: bool = False) -> Value:
    """`function(*args, **keywords)`; `tail` if its result is that of the function that calls it."""
    one_of = choices.choice(function)
    if one_of is not None:
        return choices.of_each(m, one_of, lambda one: call(m, one, args, keywords, tail=tail))
    function = settled(m, function)
    if m.options.recovery is not None and recovery.abandons(m, function, args, keywords):
        return UNKNOWN
    match function:
        case Static(value):
            return call_static(m, function, value, args, keywords, tail)
        case Closure(tree_function, scope, defaults):
            return inline(m, tree_function, None, scope, defaults, args, keywords, tail)
        case Bound(self_, inner):
            return call(m, inner, [self_, *args], keywords, tail=tail)
        case Partial(inner, first, given):
            return call(m, inner, [*first, *args], {**given, **keywords}, tail=tail)
        case ArrayMethod(self_, name):
            return call_method(m, self_, name, args, keywords)
        case Ref():
            method = objects.user_method(function, "__call__")
            if method is not None:
                return call(m, method, args, keywords, tail=tail)
    raise not_callable(m, function)


def not_callable(m: Machine, value: Value) -> diagnostics.GraphProgramError:
    """The TypeError for a call of something else."""
    from graph_program.extract.stage.conversions import class_name

    return m.error("GP302", f"'{class_name(value)}' object is not callable", cls=diagnostics.DTypeError)


def call_static(
    m: Machine, function: Static, value: Any, args: list[Value], keywords: dict[str, Value], tail: bool
) -> Value:
    """A call of a live Python object."""
    if getattr(value, "_object", None) is not None and hasattr(type(value), "__graph_program__"):
        path = function.path[:-1] if function.path[-1:] == (f".{value.__name__}",) else function.path
        bound = Bound(m.lift(value._object, path), Static(unwrapped(value)))
        return call(m, bound, args, keywords, tail=tail)
    value = unwrapped(value)
    said = call_word(m, value, args, keywords)
    if said is not None:
        return said
    if value is print:
        return call_host(m, value, args, keywords)
    known = known_function(value)
    if known is not None:
        each = mixed_numbers.distributed(m, value, args, lambda new: known(m, new, keywords))
        return known(m, args, keywords) if each is None else each
    if isinstance(value, types.MethodType):
        if construct.makes_named_tuple(value) and len(args) == 1:
            return construct.named_tuple_of(m, value.__self__, args[0], keywords)
        if not is_own(m, value.__func__):
            return call_host(m, value, args, keywords)
        bound = Bound(m.lift(value.__self__, function.path), Static(value.__func__))
        return call(m, bound, args, keywords, tail=tail)
    if value is functools.partial and args:
        return Partial(args[0], tuple(args[1:]), keywords)
    if isinstance(value, functools.partial):
        path = function.path
        given = {k: m.lift(v, (*path, ".keywords", KeyStep(k))) for k, v in value.keywords.items()}
        first = [m.lift(v, (*path, ".args", i)) for i, v in enumerate(value.args)]
        return call(m, Static(value.func), [*first, *args], {**given, **keywords}, tail=tail)
    if isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, np.ufunc):
        from graph_program.extract.stage.numpy.ufunc_methods import ufunc_method

        return ufunc_method(m, value.__self__, value.__name__, args, keywords)
    if isinstance(value, np.ufunc):
        raise no_graph_form(m, value)
    if value is object.__setattr__:
        return set_attribute_directly(m, args)
    if isinstance(typing.get_origin(value), type):
        value = typing.get_origin(value)
    if isinstance(value, type):
        return construct.construct(m, value, args, keywords)
    if isinstance(value, types.FunctionType):
        return call_function(m, value, args, keywords, tail)
    from graph_program.extract.stage import higher_order

    got = higher_order.getter(m, value, args, keywords)
    if got is not None:
        return got
    if is_pure(value):
        return evaluate_now(m, value, args, keywords)
    method: Any = inspect.getattr_static(type(value), "__call__", None)
    if not callable(value):
        raise not_callable(m, function)
    if isinstance(method, types.FunctionType) and is_own(m, method):
        return call(m, Bound(function, Static(method)), args, keywords, tail=tail)
    return call_host(m, value, args, keywords)


def known_function(value: Any) -> registry.Lowering | None:
    """The lowering of a NumPy function, builtin or `math` function."""
    try:
        return registry.FUNCTIONS.get(value)
    except TypeError:
        return None


def unwrapped(value: Any) -> Any:
    """The function inside a program object, static method or class method."""
    while hasattr(type(value), "__graph_program__"):
        value = value.__wrapped__
    return value.__func__ if isinstance(value, staticmethod) else value


def call_function(
    m: Machine, function: types.FunctionType, args: list[Value], keywords: dict[str, Value], tail: bool = False
) -> Value:
    """A Python function: inlined if it is the user's own, else the host's."""
    if getattr(function, "__graph_program_host__", False):
        raise host_call(m, function)
    if function is dataclasses.replace:
        return construct.replace(m, args, keywords)
    if function in PURE_FUNCTIONS:
        return evaluate_now(m, function, args, keywords)
    if not is_own(m, function):
        if (function.__module__ or "").startswith("numpy"):
            raise no_graph_form(m, function)
        return call_host(m, function, args, keywords)
    node = load_function(function)
    defaults = function_defaults(function)
    return inline(m, node, function, None, defaults, args, keywords, tail)


def function_defaults(function: types.FunctionType) -> dict[str, Value]:
    """Default values of a live function's parameters."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    positional = function.__defaults__ or ()
    defaults = dict(zip(names[len(names) - len(positional) :], positional, strict=True))
    defaults |= function.__kwdefaults__ or {}
    return {k: Static(v, (function.__qualname__, f".{k}")) for k, v in defaults.items()}


# ---------------------------------------------------------------- whose code


PACKAGE_FOLDERS = frozenset(["site-packages", "dist-packages"])


@functools.lru_cache(maxsize=1)
def installed_paths() -> tuple[str, ...]:
    """Folders of installed packages and of the standard library."""
    keys = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({sysconfig.get_paths()[k] for k in keys})


def is_own(m: Machine, function: Any) -> bool:
    """Whether a function is the user's own code, to be inlined."""
    module = function.__module__ or ""
    top = module.partition(".")[0]
    if top in m.options.inline or module in m.options.inline or (m.options.home and top == m.options.home):
        return True
    if top in sys.stdlib_module_names:
        return module == "__main__"
    file = function.__code__.co_filename
    return not is_installed(file) and not file.startswith("<frozen")


@functools.cache
def is_installed(file: str) -> bool:
    """Whether a file belongs to an installed package, of this environment or of one that it extends."""
    return file.startswith(installed_paths()) or not PACKAGE_FOLDERS.isdisjoint(Path(file).parts)


def call_host(m: Machine, value: Any, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A call of host code: made after the run if it can wait, else refused."""
    from graph_program.extract.slice import effects

    if effects.can_wait(value):
        return effects.reach(m, value, args, keywords)
    raise host_call(m, value)


def host_call(m: Machine, value: Any) -> diagnostics.GraphProgramError:
    """The refusal of a call that would run on the host."""
    module = getattr(value, "__module__", None) or ""
    if module.partition(".")[0] == "numpy" and not module.startswith("numpy.random"):
        return no_graph_form(m, value)
    cached = isinstance(value, functools._lru_cache_wrapper)
    return m.error(
        "GP330",
        f"{value.__name__ if cached else public_name(value)}(...) is host code, which cannot run inside a program yet",
        hint="its cache makes it so: take that off, or call the function inside, which is its `__wrapped__`"
        if cached
        else "call it outside and pass its result; for your own code in another package use inline=[...]",
    )


def public_name(value: Any) -> str:
    """Where a function is found: a method of a module's hidden object is that module's function."""
    owner = getattr(value, "__self__", None)
    name = getattr(value, "__name__", "")
    packages = type(owner).__module__.split(".")
    for length in range(1, len(packages) + 1):
        module = ".".join(packages[:length])
        if owner is not None and getattr(sys.modules.get(module), name, None) == value:
            return f"{module}.{name}"
    name = getattr(value, "__qualname__", None) or type(value).__name__
    module = getattr(value, "__module__", None) or "builtins"
    return name if module == "builtins" else f"{module}.{name}"


def no_graph_form(m: Machine, value: Any) -> diagnostics.GraphProgramError:
    """The refusal of a NumPy function that no operation stands for."""
    name = getattr(value, "__name__", type(value).__name__)
    module = (getattr(value, "__module__", None) or "numpy").replace("numpy", "np", 1)
    from graph_program.extract.stage.array_writes import INSTEAD

    general = "see the operations page for what has; combine those, or call it outside the program"
    return m.error("GP323", f"{module}.{name} has no graph form", hint=INSTEAD.get(name, general))


PURE_FUNCTIONS: set[Any] = {
    np.finfo,
    np.iinfo,
    np.result_type,
    np.promote_types,
    np.can_cast,
    np.issubdtype,
}
"""Functions without effects, evaluated at extraction when their arguments are static."""


def is_pure(value: Any) -> bool:
    """Whether a builtin may be evaluated at extraction."""
    if value in PURE_FUNCTIONS if _hashable(value) else False:
        return True
    owner = getattr(value, "__self__", None)
    if isinstance(value, types.BuiltinMethodType | types.MethodWrapperType) and isinstance(
        owner, str | bytes | int | float | tuple | frozenset | np.dtype | np.generic
    ):
        return True
    return getattr(value, "__module__", None) in ("math", "operator", "_operator", "itertools")


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def evaluate_now(m: Machine, function: Any, args: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """A pure function of static arguments; what it raises, the program raises when it gets there."""
    name = getattr(function, "__name__", "this function")
    values = [static(m, a, f"an argument of {name}") for a in args]
    named = {k: static(m, v, f"an argument of {name}") for k, v in keywords.items()}
    try:
        return Static(function(*values, **named))
    except (ArithmeticError, ValueError, LookupError) as error:
        m.raise_(type(error), (str(error),))
    except TypeError as error:
        raise m.error("GP302", str(error), cls=diagnostics.DTypeError) from None
    raise AssertionError


def set_attribute_directly(m: Machine, args: list[Value]) -> Value:
    """`object.__setattr__(self, name, value)`, which frozen dataclasses use in `__post_init__`."""
    holder, name, value = args
    objects.store_attribute(m, settled(m, holder), static(m, name, "an attribute name"), value)
    return NONE


def call_method(m: Machine, self_: Value, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A method that the extractor itself knows."""
    from graph_program.extract.stage import array_writes

    if isinstance(self_, Open):
        lowering = registry.METHODS.get(name)
        return m.inferring.lost(m) if lowering is None else lowering(m, [self_, *args], keywords)
    if isinstance(self_, Tensor) or (isinstance(self_, Static) and isinstance(self_.value, np.generic | int | float)):
        if name in array_writes.METHODS:
            return array_writes.METHODS[name](m, self_, args, keywords)
        if name in registry.METHODS:
            return registry.METHODS[name](m, [self_, *args], keywords)
        if isinstance(self_, Static):
            return evaluate_now(m, getattr(self_.value, name), args, keywords)
        raise m.error("GP323", f"{describe(self_)}.{name} has no graph form")
    if isinstance(self_, Tuple) and self_.cls is not None:
        found = construct.named_tuple_method(m, self_, name, args, keywords)
        if found is not None:
            return found
    from graph_program.extract.stage import sequence_methods

    result = sequence_methods.call_method(m, self_, name, args, keywords)
    if result is None:
        text = f"'{describe(self_)}' object has no attribute '{name}'"
        raise m.error("GP307", text, cls=diagnostics.ProgramAttributeError)
    return result


# ---------------------------------------------------------------- inlining


def inline(
    m: Machine,
    function: tree.Function,
    python: types.FunctionType | None,
    scope: Frame | None,
    defaults: dict[str, Value],
    args: list[Value],
    keywords: dict[str, Value],
    tail: bool = False,
) -> Value:
    """Evaluate a function's body in a frame of its own."""
    if function.is_async or function.is_generator:
        raise refuse_construct("async_function" if function.is_async else "generator", m.loc)
    site = dataclasses.replace(m.loc)  # each call has a place of its own, by which its code is told apart
    frame = Frame(function, scope, python, site, live_after=live_after(function), caller=m.frame, tail=tail)
    names = bind(m, function, args, keywords, defaults)
    recursion.enter(m, frame, names)
    state = m.live
    state.frames[frame.id] = names
    outer, m.frame = m.frame, frame
    place = m.node_loc
    try:
        run_function_body(m, function, frame)
    finally:
        m.frame = outer
        m.node_loc = place
    if m.state is None:
        raise Unreachable
    result = m.live.frames[frame.id].pop(RETURN, NONE)
    if not frame.escapes:
        del m.live.frames[frame.id]
    return result


def run_function_body(m: Machine, function: tree.Function, frame: Frame) -> None:
    """The statements of a function, as a block that `return` leaves."""
    label = m.fresh(f"return_{function.name}" if function.name.isidentifier() else "return")
    frame.labels[RETURN] = label
    frame.tail_calls = tail_calls(function)
    reveal.answer_parameters(m, function)
    if not frame.tail_calls:
        with exit_block(m, label, function):
            recursion.run_once(m, frame)
        return
    checkpoint = Checkpoint(m)
    try:
        with exit_block(m, label, function):
            recursion.run_once(m, frame)
    except TailRecursion as found:
        if found.frame is not frame:
            raise
        checkpoint.restore()
        with exit_block(m, label, function):
            recursion.run_as_loop(m, frame, label)


# ---------------------------------------------------------------- forms that are not plain calls


def special_form(m: Machine, function: Value, node: tree.Call) -> Value | None:
    """`super()`, which reads the frame it stands in; `any` and `all` of a generator, which may stop early."""
    if isinstance(function, Static) and function.value is super and not node.args:
        return construct.super_object(m)
    if (
        isinstance(function, Static)
        and (function.value is any or function.value is all)
        and len(node.args) == 1
        and not node.keywords
    ):
        generator = node.args[0]
        if isinstance(generator, tree.Comprehension) and generator.kind == "generator":
            from graph_program.extract.stage import comprehensions

            return comprehensions.quantified(m, function.value.__name__, generator)
    return None
