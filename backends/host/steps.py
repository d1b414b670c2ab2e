"""Host steps to Python: a function for each, on the lines of the user's file that it comes from.

def step_3(objects, sent):
    (env,) = objects
    (action,) = sent
    # cartpole.py:31: obs, reward, done = env.step(action)
    object_1 = env.step(action.item())
    obs, reward, done = object_1
    told = as_bool(done)
    return (obs,), (told,)

`host_source` gives this text, and `compile_steps` runs it.
"""

from __future__ import annotations

import ast
import linecache
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from keyword import iskeyword
from pathlib import PurePath
from typing import Any

import numpy as np

from graph_program.backends.host.codegen import Scope
from graph_program.backends.host.errors import called_from, module_names, move, named, raised
from graph_program.backends.host.exchange import Step
from graph_program.backends.host.handlers import as_before, beyond, catching, enter, with_fields
from graph_program.backends.host.names import ReadableScope
from graph_program.backends.host.results import Results
from graph_program.backends.host.tally import Tally
from graph_program.backends.host.watching import as_copied, as_given, classes_in, lend, look_again, require_unchanged
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.host import ERROR, HostStep
from graph_program.extract.ir.results import (
    CapturedResult,
    ConstantResult,
    DictResult,
    ListResult,
    PickedResult,
    RecordResult,
    Result,
    RowsResult,
    SharedResult,
    parts_of,
)
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

OBJECTS, SENT = "objects", "sent"
Line = tuple[str, Loc]
"""A statement, and where the user's is that it comes from."""


def compile_steps(steps: Sequence[HostStep], tally: Tally | None = None) -> list[Step]:
    """What runs each step, and counts how often it does."""
    tally = tally or Tally(len(steps))
    functions = [_counted(_written(f"step_{i}", _alone(step)), tally.counter(i)) for i, step in enumerate(steps)]
    return [
        catching(_compiled(function), step.catches, step.results, step.receives, step.outside)
        for function, step in zip(functions, steps, strict=True)
    ]


def _counted(function: _Function, count: Callable[[], int]) -> _Function:
    """The function with a call in front; inside, so that tracebacks have no more frames than the user's code."""
    counting = f"{function.scope.constant(count, 'count')}()"
    return replace(function, lines=[(counting, function.loc), *function.lines])


def _alone(step: HostStep) -> HostStep:
    """A step without what is added for the handlers around it."""
    if not step.catches:
        return step
    names = step.variables
    names = replace(names, results=names.results[:-1], receives=names.receives[:-1])
    return replace(step, results=step.results - 1, receives=step.receives[:-1], variables=names)


def host_source(steps: Sequence[HostStep]) -> str:
    """The same as text, but for how long objects live: a function for each step, the user's lines as comments."""
    written = (_written(f"step_{i}", _alone(step), lifetimes=False) for i, step in enumerate(steps))
    return "\n\n".join(map(_text, written, steps))


# ---------------------------------------------------------------- functions


@dataclass(frozen=True)
class _Function:
    name: str
    scope: ReadableScope
    lines: list[Line]

    @property
    def loc(self) -> Loc:
        return self.lines[0][1]


def step_text(name: str, step: HostStep, scope: ReadableScope) -> str:
    """The text of one step without its handlers, with the names of a scope."""
    return _text(_written(name, _alone(step), scope), replace(step, catches=()))


def _written(name: str, step: HostStep, scope: ReadableScope | None = None, lifetimes: bool = True) -> _Function:
    """The function of a step: what it reads gets names, its parts do their work, what is read of it is returned.

    With `lifetimes` it lets go of objects that have lost their names, keeps those that have one, and deletes its own.
    """
    variables = step.variables
    scope = scope or ReadableScope([name, OBJECTS, SENT])
    lines: list[Line] = []
    places: dict[str, str] = {}
    for names, source in ((variables.objects, OBJECTS), (variables.sends, SENT)):
        for variable in names:
            places[variable] = scope.fresh(variable)
        if names:
            lines.append((f"{_listed([places[v] for v in names])} = {source}", step.loc))
    parts = step.parts or (step,)
    written: list[tuple[str, list[Line]]] = []
    made = set[str]()
    for i, part in enumerate(parts):
        wanted = {v for p in parts[i + 1 :] for v in (*p.variables.objects, *p.variables.sends)}
        wanted |= {*variables.results, *variables.receives}
        handled = "" if part.handled < 0 else places[part.variables.objects[part.handled]]
        inside = _part(part, places, scope, wanted)
        if lifetimes:
            made |= {v for v in part.variables.results if places[v] != "_"}
            over = sorted(made - wanted, key=list(places).index) if i + 1 < len(parts) else []
            made -= {*over}
            inside = [*_left(part), *inside, *_held(part, places), *((f"del {places[v]}", part.loc) for v in over)]
        written.append((handled, inside))
    for handled, some in groupby(written, key=lambda each: each[0]):
        together = [line for _, part_lines in some for line in part_lines]
        lines += _handling(handled, together, scope) if handled else together
    given = (_tuple([places[v] for v in names]) for names in (variables.results, variables.receives))
    lines.append((f"return {', '.join(given)}", parts[-1].loc))
    return _Function(name, scope, lines)


def _handling(error: str, lines: list[Line], scope: ReadableScope) -> list[Line]:
    """Lines that are run in the handler of an exception, which is as it was for them."""
    before, restore = scope.fresh("before"), scope.constant(as_before, "as_before")
    head = [
        f"{before} = {error}.__traceback__, {error}.__context__",
        "try:",
        f"    raise {error}",
        "except BaseException:",
        f"    {restore}({error}, *{before})",
    ]
    place = lines[0][1]
    return [*((text, place) for text in head), *((f"    {text}", loc) for text, loc in lines)]


def _part(step: HostStep, places: dict[str, str], scope: ReadableScope, wanted: set[str]) -> list[Line]:
    """The lines of one thing that is done."""
    lines: list[str] = []
    read = step.variables
    writer = _Writer(scope, lines, [places[v] for v in read.objects], [places[v] for v in read.sends])
    args = [writer.expression(a) for a in step.args]
    keywords = [(k, writer.expression(v)) for k, v in step.keywords]
    told = [scope.fresh(v) for v in read.receives]
    held = {v for v, _ in step.holds}
    made = [scope.fresh(v) if v in wanted or v in held or told else "_" for v in read.results]
    places.update(zip(read.results, made, strict=True))
    places.update(zip(read.receives, told, strict=True))
    lines += FORMS[step.kind](_Form(step, args, keywords, made, told, scope))
    if step.looks:
        lines.append(f"{scope.constant(look_again, 'look_again')}({OBJECTS}.table)")
    return [(line, step.loc) for line in lines]


def _left(step: HostStep) -> list[Line]:
    """Let go of what has had a name."""
    places: dict[str, set[str]] = {}
    for place, variable in step.lets_go:
        places.setdefault(place, set()).add(variable)
    return [(f"{OBJECTS}.table.leave({places!r})", step.loc)] if places else []


def _held(step: HostStep, places: Mapping[str, str]) -> list[Line]:
    """Keep what has a name."""
    return [(f"{OBJECTS}.table.hold({place!r}, {v!r}, {places[v]})", step.loc) for v, place in step.holds]


def _listed(names: Sequence[str]) -> str:
    """Targets of an assignment."""
    return ", ".join(names) if len(names) > 1 else f"({names[0]},)"


def _tuple(names: Sequence[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"


def _text(function: _Function, step: HostStep) -> str:
    names = (_tuple([cls.__name__ for cls in classes]) for classes in step.catches)
    lines = [f"@catching({', '.join(names)})"] if step.catches else []
    lines += [f"def {function.name}({OBJECTS}, {SENT}):"]
    said = ""
    for line, loc in function.lines:
        comment = _comment(loc)
        if comment not in ("", said) and not line.endswith((f" = {OBJECTS}", f" = {SENT}")):
            lines.append(f"    {line[: len(line) - len(line.lstrip())]}# {comment}")
            said = comment
        lines.append(f"    {line}")
    return "\n".join([*lines, ""])


def _comment(loc: Loc) -> str:
    """`sensors.py:12: obs = env.step(action)`."""
    line = linecache.getline(loc.file, loc.line).strip()
    return f"{PurePath(loc.file).name}:{loc.line}: {line}" if line else ""


def _compiled(function: _Function) -> Step:
    """The function that the text says, at the user's lines, in frames of the calls that were inlined around them."""
    loc = function.loc
    header = f"def _factory({', '.join(function.scope.constants)}):\n    def _step({OBJECTS}, {SENT}):\n"
    body = "".join(f"        {line}\n" for line, _ in function.lines)
    tree = ast.parse(f"{header}{body}    return _step")
    places = [loc, loc, *(place for _, place in function.lines), loc]
    move(tree, places)
    namespace = module_names(loc.file)
    exec(compile(tree, loc.file, "exec"), namespace)
    made = namespace["_factory"](**function.scope.constants)
    made.__code__ = named(made.__code__, loc)
    return called_from(made, loc, f"{OBJECTS}, {SENT}")


class _Writer(Results):
    """Expressions over objects and over what was sent, which stands where a call's outputs would."""

    def __init__(self, scope: ReadableScope, lines: list[str], objects: Sequence[str], sent: Sequence[str]):
        outputs = f"({''.join(f'{s}, ' for s in sent)}{OBJECTS}.table,)"
        super().__init__(scope, lambda path: "", lines, objects.__getitem__, sent.__getitem__, outputs)

    def expression(self, result: Result) -> str:
        match result:
            case CapturedResult(value):
                name = "place" if isinstance(value, Loc) else getattr(value, "__name__", type(value).__name__)
                return self.scope.constant(value, name)
            case ConstantResult(value) if type(value) is int or (type(value) is float and np.isfinite(value)):
                return f"({value!r})" if value < 0 else repr(value)
        return super().expression(result)


# ---------------------------------------------------------------- what the kinds of steps do


@dataclass(frozen=True)
class _Form:
    """What a kind of step is written with: expressions that it reads, names that it gives."""

    step: HostStep
    args: list[str]
    keywords: list[tuple[str, str]]
    made: list[str]
    told: list[str]
    scope: ReadableScope

    def tell(self, value: str, slot: int) -> str:
        """A value as the graph takes it."""
        type_ = self.step.receives[slot]
        ways = {"truth": slot in self.step.truths, "listed": self.step.is_array_of_list}
        chosen = {name: True for name, holds in ways.items() if holds}
        check = partial(told_value, type_=type_, text=self.step.text, **chosen)
        name = "as_" + re.sub(r"\W+", "_", str(type_)).strip("_")
        return f"{self.told[slot]} = {self.scope.constant(check, name)}({value})"

    def give(self, value: str) -> list[str]:
        """New objects, and what is told of them."""
        told = [self.tell(self.made[place], slot) for slot, place in enumerate(self.step.tells)]
        return [value if self.made == ["_"] else f"{self.made[0]} = {value}", *told]


Form = Callable[[_Form], list[str]]


def _value(write: Callable[[HostStep, list[str]], str]) -> Form:
    """A step that is one expression, whose value is the new object."""
    return lambda f: f.give(write(f.step, f.args))


def _statement(write: Callable[[HostStep, list[str]], str]) -> Form:
    """A step that makes nothing."""
    return lambda f: [write(f.step, f.args)]


def _call(f: _Form) -> list[str]:
    function, *rest = f.args
    lines, checks = list[str](), list[str]()

    def watched(result: Result, given: str, place: int) -> str:
        own = is_mutable(result)
        if not f.step.changes or not (own or place in f.step.watched):
            return given
        kept = f.scope.fresh("given")
        lines.append(f"{kept} = {given}")
        _watch(f, kept, lines, checks, classes_in(result) if own else None)
        return kept

    rest = [watched(result, rest[i], i + 1) for i, result in enumerate(f.step.args[1:])]
    named = [(k, watched(result, v, -1)) for (k, result), (_, v) in zip(f.step.keywords, f.keywords, strict=True)]
    if f.step.changes and 0 in f.step.watched:
        owner = f.scope.fresh("owner")
        lines.append(f"{owner} = getattr({function}, '__self__', None)")
        _watch(f, owner, lines, checks)
    rest, keywords = with_levels(f.step.args[0], rest, named, f.scope)
    if all(k.isidentifier() and not iskeyword(k) for k, _ in keywords):
        rest += [f"{k}={v}" for k, v in keywords]
    else:
        rest.append(f"**{{{', '.join(f'{k!r}: {v}' for k, v in keywords)}}}")
    call = f"{function}({', '.join(rest)})"
    return [*lines, *(f.give(call) if f.made else [call]), *checks]


def _watch(f: _Form, value: str, lines: list[str], checks: list[str], given: set[type] | None = None) -> None:
    """Have objects compared behind a call with what they were before.

    It is the program's own, with objects of `given` classes in it, or holds copies of others that are.
    """
    before, taken = f.scope.fresh("before"), as_copied if given is None else as_given
    own = f.step.copied if given is None else sorted(given, key=lambda cls: cls.__qualname__)
    names = [f.scope.constant(cls, cls.__name__) for cls in own or ()]
    classes = "None" if own is None else f"({''.join(f'{name}, ' for name in names)})"
    lines.append(f"{before} = {f.scope.constant(taken, taken.__name__)}({value}, {classes})")
    unchanged = f.scope.constant(require_unchanged, "require_unchanged")
    checks.append(f"{unchanged}({before}, {classes}, {f.step.text!r})")
    if f.step.lends and given is not None:
        lent = f.scope.constant(lend, "lend")
        checks.append(f"{lent}({OBJECTS}.table, {value}, {classes}, {f.step.text!r})")


def with_levels(
    function: Any, args: list[str], keywords: Sequence[tuple[str, str]], scope: Scope
) -> tuple[list[str], list[tuple[str, str]]]:
    """The arguments of a call, with stack levels that count the user's frames."""

    def counted(level: str) -> str:
        return f"{scope.constant(beyond, 'beyond')}({level})"

    if isinstance(function, CapturedResult) and function.value is warnings.warn and len(args) > 2:
        args = [*args[:2], counted(args[2]), *args[3:]]
    return args, [(name, counted(value) if name == "stacklevel" else value) for name, value in keywords]


def _truth(f: _Form) -> list[str]:
    return [f"{f.told[0]} = True if {f.args[0]} else False"]


def _test(f: _Form) -> list[str]:
    return [f"{f.told[0]} = {f.args[0]} {f.step.detail} {f.args[1]}"]


def _next(f: _Form) -> list[str]:
    end = f.scope.constant(object(), "end")
    item, *parts = f.made
    there = f.told[0]
    lines = [f"{item} = next({f.args[0]}, {end})", f"{there} = {item} is not {end}"]
    if parts:
        lines.append(f"{_listed(parts)} = {item} if {there} else {f.scope.constant((None,) * len(parts), 'nothing')}")
    for slot, place in enumerate(f.step.tells):
        if place >= 0:
            name, _, value = f.tell(f.made[place], slot).partition(" = ")
            type_ = f.step.receives[slot]
            none = f"({[size.constant or 0 for size in type_.shape]}, {type_.dtype.name!r})"
            lines.append(f"{name} = {value} if {there} else {f.scope.constant(np.zeros, 'zeros')}{none}")
    return lines


def _tell(f: _Form) -> list[str]:
    return [f.tell(a, slot) for slot, a in enumerate(f.args)]


def _unpack(f: _Form) -> list[str]:
    starred = [f"*{n}" if str(i) == f.step.detail else n for i, n in enumerate(f.made)]
    told = [f.tell(f.made[place], slot) for slot, place in enumerate(f.step.tells)]
    return [f"{_listed(starred) if starred else '()'} = {f.args[0]}", *told]


def _in_place(f: _Form) -> list[str]:
    value = f.scope.fresh("value")
    lines, checks = [f"{value} = {f.args[0]}"], list[str]()
    if 0 in f.step.watched:
        given = f.scope.fresh("given")
        lines.append(f"{given} = {value}")
        _watch(f, given, lines, checks)
    return [*lines, f"{value} {f.step.detail}= {f.args[1]}", *checks, *f.give(value)]


def _raise(f: _Form) -> list[str]:
    return ["raise" if f.step.detail == "again" else f"raise {' from '.join(f.args)}"]


def _error(f: _Form) -> list[str]:
    words, (cls, *rest) = f.step.detail.split(), f.args
    count = len(words) - ("fields" in words)
    behind = [f"{word}={value}" for word, value in zip(words, rest[:count], strict=False)]
    given = [f"{name}={value}" for name, value in f.keywords]
    if "fields" in words:
        made = f"{f.scope.constant(with_fields, 'with_fields')}({', '.join([cls, _tuple(rest[count:]), *given])})"
    else:
        made = f"{cls}({', '.join([*rest[count:], *given])})"
    return f.give(f"{f.scope.constant(raised, 'raised')}({', '.join([made, *behind])})" if behind else made)


def _enter(f: _Form) -> list[str]:
    return [f"{_listed(f.made)} = {f.scope.constant(enter, 'enter')}({f.args[0]})"]


def _exit(f: _Form) -> list[str]:
    leave, error = f.args
    return [f"{f.told[0]} = True if {leave}(type({error}), {error}, {error}.__traceback__) else False"]


MUTABLE = (SharedResult, ListResult, DictResult, RecordResult, RowsResult, PickedResult)
"""What a host function may change: the program has its own, and would not see it."""


def is_mutable(result: Result) -> bool:
    """Whether a host function may change what it is given, or something in it."""
    return isinstance(result, MUTABLE) or any(map(is_mutable, parts_of(result)))


FORMS: dict[str, Form] = {
    "call": _call,
    "keep": _value(lambda step, a: a[0]),
    "attribute": _value(lambda step, a: f"{a[0]}.{step.detail}"),
    "item": _value(lambda step, a: f"{a[0]}[{a[1]}]"),
    "slice": _value(lambda step, a: f"{a[0]}[{a[1]}:{a[2]}:{a[3]}]"),
    "binary": _value(lambda step, a: f"{a[0]} {step.detail} {a[1]}"),
    "in_place": _in_place,
    "compare": _value(lambda step, a: f"{a[0]} {step.detail} {a[1]}"),
    "unary": _value(lambda step, a: f"{step.detail} {a[0]}"),
    "iterate": _value(lambda step, a: f"iter({a[0]})"),
    "next": _next,
    "truth": _truth,
    "test": _test,
    "tell": _tell,
    "unpack": _unpack,
    "raise": _raise,
    ERROR: _error,
    "enter": _enter,
    "exit": _exit,
    "set_attribute": _statement(lambda step, a: f"{a[0]}.{step.detail} = {a[1]}"),
    "set_item": _statement(lambda step, a: f"{a[0]}[{a[1]}] = {a[2]}"),
    "delete_attribute": _statement(lambda step, a: f"del {a[0]}.{step.detail}"),
    "delete_item": _statement(lambda step, a: f"del {a[0]}[{a[1]}]"),
}
"""How each kind of step is written."""


def told_value(value: Any, type_: TensorType, text: str, truth: bool = False, listed: bool = False) -> Any:
    """A host value as the graph takes it: an array, or a Python number.

    Its class has to be the one that was said, not one like it: an `int` for a `float`, or an `np.float64`, which
    is a `float`, too, would give other results in the graph than in Python.  Where only the `truth` of a bool
    matters, NumPy's is as good.  An array of what is `listed` has the type of the elements also where there are none.

    Raises
    ------
    TypeError
        Where it has another type than it was said to have.
    OverflowError
        For an int outside int64.
    """
    said, cls = str(type_), type(value)
    if type_.kind is Kind.PYTHON:
        if cls is int and said == "int" and not -(2**63) <= value < 2**63:
            raise OverflowError(f"{text} gave {value}, which is outside int64")
        if cls.__name__ == said and cls in (bool, int, float):
            return value
        if truth and cls is np.bool_:
            return bool(value)
    elif cls in (np.ndarray, np.memmap) if type_.kind is Kind.ARRAY else isinstance(value, np.generic):
        array = np.array(value)  # the host may write to its own before the graph reads this one
        if listed and array.shape == (0,):
            array = array.astype(type_.dtype)
        fits = array.dtype == type_.dtype and array.ndim == type_.rank
        if fits and all(d.constant in (None, n) for d, n in zip(type_.shape, array.shape, strict=True)):
            return array
    shown = " ".join(repr(value).split())
    if isinstance(value, np.ndarray):
        shown = f"{shown[:60]} ({value.dtype} {list(value.shape)})"
    advice = ""
    if type_.kind is Kind.PYTHON and isinstance(value, np.generic | int):
        own = f"say np.{value.dtype}, or " if isinstance(value, np.generic) else ""
        advice = f": {own}give {said}(...)"
    raise TypeError(f"{text} gave {shown:.100}, which is not {said}{advice}")


__all__ = ["OBJECTS", "SENT", "compile_steps", "host_source", "step_text", "told_value", "with_levels"]
