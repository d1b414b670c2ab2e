"""The Python module beside an exported program: its host steps, and a function that is called as the program is.

def load(make=None, *, folder=None):
    if make is None:
        from simulators import make

    def step_0(objects, sent): ...

    def episode(w): ...

    return episode
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from graph_program.backends.host.codegen import parameter_list
from graph_program.backends.host.exported_arguments import ExportedMatcher
from graph_program.backends.host.f_strings import f_string
from graph_program.backends.host.matching import Matcher
from graph_program.backends.host.runner import OnlyRun
from graph_program.backends.host.shim import Body, Callee, part_of
from graph_program.backends.host.steps import OBJECTS, SENT, step_text
from graph_program.backends.host.texts import RUNTIME, Named, RegisteredScope, Registry
from graph_program.extract.arguments.call_sizes import size_conditions
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError
from graph_program.extract.ir import errors
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.interface import ArgInput, CapturedInput, Interface
from graph_program.extract.ir.paths import path_text
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import broadcast_sizes
from graph_program.extract.types.tensors.tensor_type import TensorType

LOCALS = ("steps", "run", "fail", "folder", "load", "program", "values", "errors", "os", "number", "outputs")
"""Names that the module has for itself."""


@dataclass(frozen=True)
class Exported:
    """What the module is written from; `errors` and `error_args` are as in a `GraphProgram`.

    `start` is the expression that makes what runs the program, over `folder` and `steps`.
    """

    callee: Callee
    interface: Interface
    steps: Sequence[HostStep]
    errors: Sequence[ErrorInfo]
    error_args: Sequence[tuple[int, ...]]
    error_index: int | None
    inputs: frozenset[str]
    start: str
    imports: tuple[str, ...]


class _Runner(OnlyRun):
    """Stands for what runs the program; the module has names for it."""

    def __init__(self, exported: Exported):
        self.names = ["outputs"]
        self.inputs = exported.inputs
        self.error_index = exported.error_index
        self.errors: tuple[type[Exception], ...] = ()
        self.run: Callable[[list[str], dict[str, Any], None], list[Any]] = _Sentinel()
        self.fail, self.replay, self.judge = _Sentinel(), _Sentinel(), _Sentinel()


class _Sentinel:
    """Something that the module has a name for."""

    def __call__(self, *_: Any) -> Any: ...


class _Text(Body):
    """The function that is called: it refuses what the program was not exported for, and tries nothing else."""

    def make_matcher(self) -> Matcher:
        return ExportedMatcher(self.scope, self.lines)

    def sizes(self) -> None:
        arrays = self.arrays
        test = size_conditions([(path_text(p), t) for p, t in arrays], self.interface.dims)
        if test:
            given = "".join(f"({path_text(p)!r}, {self.place(p)}, {self.constant(t, 'type')}), " for p, t in arrays)
            self.lines.append(f"{RUNTIME}.require_sizes(lambda s: {_at_run_time(test)}, ({given}))")

    def _feed(self, leaf: ArgInput | CapturedInput) -> str:
        if isinstance(leaf, CapturedInput):
            return self.constant(leaf.array, leaf.name.removesuffix(part_of(leaf))) + part_of(leaf)
        type_ = self.constant(leaf.type, "type")
        place = self.place(leaf.path) + part_of(leaf)
        return f"{RUNTIME}.argument({place}, {type_}, {leaf.name!r})"


def _at_run_time(test: str) -> str:
    """A condition on sizes where this package is not there."""
    return test.replace(f"{broadcast_sizes.__name__}(", f"{RUNTIME}.{broadcast_sizes.__name__}(")


def module_text(exported: Exported) -> str:
    """The text of the module."""
    registry = Registry([*LOCALS, *(f"step_{i}" for i in range(len(exported.steps)))])
    _Writer(exported, registry).write()  # finds all names, so that none is taken by a variable
    return _Writer(exported, registry).write()


class _Writer:
    def __init__(self, exported: Exported, registry: Registry):
        self.exported = exported
        self.registry = registry
        runner = _Runner(exported)
        self.runner = runner
        registry.special = {
            id(runner.run): "run",
            id(runner.fail): "fail",
            id(runner.replay): "fail",
            id(runner.judge): "fail",
            id(runner.names): "None",
        }

    def write(self) -> str:
        name = self.exported.callee.name
        name = name if name.isidentifier() else "program"
        name = f"the_{name}" if name in {*LOCALS, *self.registry.named, *self.exported.imports} else name
        body = [
            *self._steps(),
            *self._errors(),
            f"program = {self.exported.start}",
            "",
            "def run(names, feed, options):",
            "    return program.run(feed, feed.pop('host', ()))",
            "",
            *self._function(name),
            "",
            f"{name}.steps = steps",
            f"return {name}",
        ]
        return "\n".join([*self._head(name, body), *(f"    {line}" if line else "" for line in body), ""])

    def _head(self, name: str, body: list[str]) -> list[str]:
        registry = self.registry
        used = _used(registry, body)
        local = _of_parameters(used, {n.name for n in registry.parameters})
        modules = dict.fromkeys(m for n in used for m in n.modules if m != "numpy")
        given = [n for n in registry.parameters if n.text is None]
        found = [n for n in registry.parameters if n.text is not None]
        parameters = ["*", *(n.name for n in given), *(f"{n.name}=None" for n in found), "folder=None"]
        lines = [
            f'"""`{name}` and what it does on the host; written by graph-program."""',
            "",
            "import os",
            "",
            "import numpy as np",
            *(f"import {module}" for module in modules if module != "os"),
            "",
            "if __package__:",
            *(f"    from . import {module} as {short}" for module, short in self._own_imports()),
            "else:",
            *(f"    import {module} as {short}" for module, short in self._own_imports()),
            "",
            *(f"{n.name} = {_shortened(n.text or '')}" for n in used if n not in local),
            "",
            "",
            f"def load({', '.join(parameters)}):",
            f'    """`{name}`; what is not given is imported from where the program had it."""',
            "    folder = os.path.dirname(os.path.abspath(__file__)) if folder is None else folder",
        ]
        for n in found:
            lines += [f"    if {n.name} is None:", f"        import {n.modules[0]}", "", f"        {n.name} = {n.text}"]
        lines += [f"    {n.name} = {n.text}" for n in local]
        return [*lines, ""]

    def _own_imports(self) -> list[tuple[str, str]]:
        return [("graph_program_runtime", RUNTIME), *((module, module) for module in self.exported.imports)]

    def _scope(self, *taken: str) -> RegisteredScope:
        return RegisteredScope(self.registry, [*LOCALS, *taken])

    def _steps(self) -> list[str]:
        lines: list[str] = []
        rows = []
        for i, step in enumerate(self.exported.steps):
            text = step_text(f"step_{i}", step, self._scope(f"step_{i}", OBJECTS, SENT))
            lines += [*text.rstrip().split("\n"), ""]
            types = (self._types(step.sends), self._types(step.receives))
            ends = step.lifetimes
            lifetimes = f"{RUNTIME}.Lifetimes({ends.groups}, {ends.ends}, {ends.keeps}, {ends.over})"
            rows.append(f"    {RUNTIME}.Step({self._run(i, step)}, {step.results}, {', '.join(types)}, {lifetimes}),")
        return [*lines, "steps = [", *rows, "]", ""]

    def _run(self, number: int, step: HostStep) -> str:
        """What runs a step, with the handlers around it."""
        if not step.catches:
            return f"step_{number}"
        classes = ("".join(f"{self._constant(cls, cls.__name__)}, " for cls in handler) for handler in step.catches)
        handlers = "".join(f"({names}), " for names in classes)
        return f"{RUNTIME}.catching(step_{number}, ({handlers}), {step.results}, {self._types(step.receives)})"

    def _types(self, types: Sequence[TensorType]) -> str:
        return "(" + "".join(self.registry.expression(t, "type") + ", " for t in types) + ")"

    def _errors(self) -> list[str]:
        """The exceptions of the program, and what raises them."""
        if self.exported.error_index is None:
            return []
        rows = []
        for info, wanted in zip(self.exported.errors, self.exported.error_args, strict=True):
            types = self._types(info.arg_types)
            rows.append(f"    (lambda values: {self._exception(info)}, {wanted}, {types}),  # {info.loc.where}")
        return [
            "errors = [",
            *rows,
            "]",
            "",
            "def fail(number, outputs):",
            "    error, wanted, types = errors[int(number) - 1]",
            f"    raise error([{RUNTIME}.argument_value(outputs[i], t) for i, t in zip(wanted, types)])",
            "",
        ]

    def _exception(self, info: ErrorInfo) -> str:
        args = [self._argument(a) for a in info.args] + [f"{k}={self._argument(a)}" for k, a in info.keywords]
        cls = python_class(info.exception)
        text = f"{self._constant(cls, cls.__name__)}({', '.join(args)})"
        context = "" if info.context is None else f", context={self._exception(info.context)}"
        if info.has_cause:
            context = f", cause={None if info.cause is None else self._exception(info.cause)}{context}"
        return f"{RUNTIME}.raised({text}{context})" if context else text

    def _constant(self, value: Any, hint: str) -> str:
        return self._scope().constant(value, hint)

    def _argument(self, argument: errors.Argument) -> str:
        match argument:
            case errors.TextArgument(pieces):
                return f_string(p if isinstance(p, str) else (f"values[{p[0]}]", *p[1:]) for p in pieces)
            case errors.ValueArgument(number):
                return f"values[{number}]"
            case errors.ConstantArgument(Diagnostic(message=text)):
                return repr(text)
            case errors.ConstantArgument(value):
                return self._constant(value, "constant")
            case errors.SequenceArgument(cls, items):
                return f"{self._constant(cls, cls.__name__)}(({''.join(f'{self._argument(i)}, ' for i in items)}))"
            case errors.ObjectArgument(cls, fields):
                given = "".join(f", {name}={self._argument(a)}" for name, a in fields)
                return f"{RUNTIME}.build_record({self._constant(cls, cls.__name__)}{given})"

    def _function(self, name: str) -> list[str]:
        """The function that is called as the program is."""
        callee = self.exported.callee
        scope = self._scope(*callee.signature.parameters)
        parameters = parameter_list(callee.signature, scope)
        lines = _Text(self.exported.interface, self.runner, scope, callee.bound, False).write()
        return [f"def {name}({parameters}):", *(f"    {line}" for line in _without_try(lines))]


def python_class(cls: type[BaseException]) -> type[BaseException]:
    """The class of an exception where this package is not there."""
    if not issubclass(cls, GraphProgramError):
        return cls
    return next(base for base in reversed(cls.__mro__) if base.__module__ == "builtins" and base not in BASES)


BASES = (object, BaseException, Exception, RuntimeError, ArithmeticError)
"""Too general to say what went wrong."""


def _used(registry: Registry, body: list[str]) -> list[Named]:
    """The names of the file that its functions, or others of these names, refer to."""
    words = set(re.findall(r"\w+", "\n".join(body)))
    used = []
    for named in reversed(registry.globals):  # what a name is made from comes before it
        if named.name in words:
            words.update(re.findall(r"\w+", named.text or ""))
            used.append(named)
    return used[::-1]


def _of_parameters(used: list[Named], parameters: set[str]) -> list[Named]:
    """The names that are made of what `load` is given, so that only it can make them."""
    found: dict[str, Named] = {}
    for named in used:
        if not (parameters | found.keys()).isdisjoint(re.findall(r"\w+", named.text or "")):
            found[named.name] = named
    return list(found.values())


def _without_try(lines: list[str]) -> list[str]:
    """There is no other way to explain a failing run here, so nothing is caught."""
    kept = [line for line in lines if not line.startswith("except () as ")]
    return [line.removeprefix("try: ") for line in kept]


def _shortened(text: str) -> str:
    return "np." + text.removeprefix("numpy.") if text.startswith("numpy.") else text


__all__ = ["Exported", "module_text"]
