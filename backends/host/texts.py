"""Objects as Python text: what generated code refers to, in a file that is read in another process.

None, 3, "x", (1, 2.5)              literals
np.float64, time.perf_counter       what packages have under a name
make                                what the user's own modules have: a parameter, imported if it is not given
env                                 anything else: a parameter that has to be given
"""

from __future__ import annotations

import builtins
import logging
import math
import sys
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from graph_program.backends.host.miss import MISS
from graph_program.backends.host.names import ReadableScope
from graph_program.backends.host.runtime_file import runtime_name
from graph_program.backends.host.steps import told_value
from graph_program.extract.diagnostics import Diagnostic, Loc, UnsupportedError
from graph_program.extract.ir.errors import RowsType
from graph_program.extract.records import dataclass
from graph_program.extract.stage.host.values.local_function import LocalFunction
from graph_program.extract.stage.operations.code_ownership import comes_installed, public_name
from graph_program.extract.types.tensors.tensor_type import TensorType

RUNTIME = "runtime"
"""The name that generated code has for the runtime file."""
MUTABLE = (list, dict, set)
CONSTANTS = ("constant", "key")
"""Hints of what the program never shows to others, so that a new one each time is as good."""


@dataclass
class Named:
    """One name of the generated file.

    Attributes
    ----------
    name : str
    text : str or None
        The expression that it stands for; None for a parameter that has to be given.
    own : bool
        Whether it is a parameter.
    modules : tuple of str
        What has to be imported.
    """

    name: str
    text: str | None
    own: bool
    modules: tuple[str, ...]


class Registry:
    """The names of a generated file, by the objects that they stand for."""

    def __init__(self, taken: Sequence[str] = ()):
        self.special: dict[int, str] = {}
        self.named: dict[str, Named] = {}
        self._keys: dict[Any, str] = {}
        self._kept: list[Any] = []
        self._roots: set[str] = set()
        self._scope = ReadableScope([RUNTIME, "np", *taken])

    def expression(self, value: Any, hint: str) -> str:
        """How an object is written: a literal, or a name of the file."""
        if id(value) in self.special:
            return self.special[id(value)]
        plain = literal(value) if hint in CONSTANTS or not isinstance(value, MUTABLE) else None
        if plain is not None:
            return plain
        self._kept.append(value)  # while it lives, no other object has its id
        key = _key(value)
        if key not in self._keys:
            self._keys[key] = self._add(value, hint).name
        return self._keys[key]

    def _add(self, value: Any, hint: str) -> Named:
        text, own, modules = _named(self, value, hint)
        imported = set() if own else {module.partition(".")[0] for module in modules}
        for root in imported - self._roots:  # `import time` gives this name to the module, not to `time.time`
            self._roots.add(root)
            self._scope.fresh(root)
        made = Named(self._scope.fresh(hint), text, own, modules)
        self.named[made.name] = made
        return made

    @property
    def parameters(self) -> list[Named]:
        return [n for n in self.named.values() if n.own]

    @property
    def globals(self) -> list[Named]:
        return [n for n in self.named.values() if not n.own]


class RegisteredScope(ReadableScope):
    """A scope whose constants are those of a file."""

    def __init__(self, registry: Registry, taken: Any = ()):
        super().__init__([*taken, *registry.named, RUNTIME, "np"])
        self._registry = registry

    def constant(self, value: Any, hint: str = "c") -> str:
        if getattr(builtins, hint, self) is value:
            return hint
        return self._registry.expression(value, hint)


def _key(value: Any) -> Any:
    """Equal for objects that are written alike."""
    if isinstance(value, partial) and value.func is told_value:
        return "told", tensor_type_text(value.keywords["type_"]), value.keywords["text"], *sorted(_ways(value))
    if isinstance(value, TensorType):
        return tensor_type_text(value)
    return "end" if type(value) is object else id(value)


def _ways(told: partial[Any]) -> list[str]:
    """In which ways a value may be another than it is said to be."""
    return [way for way in ("truth", "listed") if way in told.keywords]


def _named(registry: Registry, value: Any, hint: str) -> tuple[str | None, bool, tuple[str, ...]]:
    """The text that a name stands for, whether it is a parameter, and the modules that are needed."""
    if isinstance(value, partial) and value.func is told_value:
        type_ = registry.expression(value.keywords["type_"], "type")
        ways = "".join(f", {way}=True" for way in _ways(value))
        text = f"{RUNTIME}.told_value(value, {type_}, {value.keywords['text']!r}{ways})"
        return f"lambda value: {text}", False, ()
    if type(value) is object:
        return "object()", False, ()
    name = runtime_name(value)
    if name is not None:
        return f"{RUNTIME}.{name}", False, ()
    if isinstance(value, TensorType):
        return tensor_type_text(value), False, ()
    if isinstance(value, LocalFunction):
        return _function_text(value), False, ()
    if type(value) is logging.Logger:
        return f"logging.getLogger({value.name!r})", False, ("logging",)
    if isinstance(value, Loc):
        return repr(value.where), False, ()
    if is_dataclass(value) and runtime_name(type(value)) is not None:
        values = (getattr(value, f.name) for f in fields(value))
        parts = (registry.expression(v, _part_name(v)) for v in values)
        return f"{RUNTIME}.{type(value).__name__}({', '.join(parts)})", False, ()
    if type(value) is tuple:
        return f"({''.join(f'{registry.expression(v, hint)}, ' for v in value)})", False, ()
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return f"{array_text(np.asarray(value))}[()]", False, ()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" and not value.flags.writeable:
        return array_text(value), False, ()
    return _found(value)


def _part_name(value: Any) -> str:
    """What a field of a description is called: a class of the user's, who may give another, by its name."""
    return value.__name__ if isinstance(value, type) and value.__module__ != "builtins" else "part"


def _function_text(made: LocalFunction) -> str:
    """What makes a function that was written in the program."""
    text = made.text
    if text is None:
        raise UnsupportedError(
            Diagnostic(
                "GP529",
                f"the function {made.__name__} that host code is given cannot be written into a file by itself",
                made.loc,
                hint="make it a function of the module, or a lambda that reads nothing of its module",
            )
        )
    return text


def _found(value: Any) -> tuple[str | None, bool, tuple[str, ...]]:
    """Where modules have an object."""
    module, name = _place(value)
    if module is None:
        return None, True, ()
    if module == "builtins":
        return name, False, ()
    text = f"{module}.{name}" if name else module
    return text, not _is_package(module), (module,)


def _place(value: Any) -> tuple[str | None, str]:
    """The module and the name under which an object is found; (None, "") for none."""
    if type(value) is type(sys):
        return value.__name__, ""
    for text in dict.fromkeys([public_name(value), _written(value)]):
        parts = text.split(".")
        for length in range(len(parts), -1, -1):
            module = ".".join(parts[:length]) or "builtins"
            names = parts[length:]
            known = module in sys.modules and module not in ("__main__", "__mp_main__")
            if known and names and _read(sys.modules[module], names) is value:
                return module, ".".join(names)
    return None, ""


def _written(value: Any) -> str:
    """`tuple.__new__` and the like, and methods of classes."""
    owner = getattr(value, "__self__", None)
    if isinstance(owner, type):
        return f"{owner.__module__}.{owner.__qualname__}.{value.__name__}"
    return public_name(value)


def _read(module: Any, names: list[str]) -> Any:
    found = module
    for name in names:
        found = getattr(found, name, None)
    return found


def _is_package(module: str) -> bool:
    """Whether a module comes from an installed package or with Python."""
    file = getattr(sys.modules[module], "__file__", None)
    return module.partition(".")[0] in sys.stdlib_module_names or comes_installed(module, file)


# ---------------------------------------------------------------- literals


def literal(value: Any) -> str | None:
    """The literal of an object, if it has one."""
    if value is MISS:
        return f"{RUNTIME}.Kind"  # something that no argument is
    if value is None or value is Ellipsis or type(value) in (bool, int, str, bytes):
        return repr(value)
    if type(value) is float:
        return repr(value) if math.isfinite(value) else f'float("{value!r}")'
    if type(value) is complex and math.isfinite(value.real) and math.isfinite(value.imag):
        return repr(value)
    if isinstance(value, np.dtype) and value.names is None:
        return f"np.dtype({value.str!r})"
    if type(value) in _BRACKETS:
        return _collection(value)
    if type(value) is dict:
        pairs = [(literal(k), literal(v)) for k, v in value.items()]
        return f"{{{', '.join(f'{k}: {v}' for k, v in pairs)}}}" if all(k and v for k, v in pairs) else None
    return None


_BRACKETS: dict[Any, str] = {tuple: "(%s)", list: "[%s]", set: "{%s}", frozenset: "frozenset({%s})"}


def _collection(value: Any) -> str | None:
    parts = [literal(v) for v in value]
    if None in parts or (not parts and type(value) in (set, frozenset)):
        return None
    comma = "," if type(value) is tuple and len(parts) == 1 else ""
    return _BRACKETS[type(value)] % (", ".join(map(str, parts)) + comma)


def array_text(array: np.ndarray[Any, Any]) -> str:
    """An array as an expression."""
    flat = ", ".join(literal(v) or repr(v) for v in array.ravel().tolist())
    return f"np.array([{flat}], {array.dtype.name!r}).reshape({array.shape})"


def tensor_type_text(type_: TensorType) -> str:
    """A type of a tensor as an expression."""
    sizes = [size.constant for size in type_.shape]
    text = f"{RUNTIME}.tensor_type({type_.dtype.name!r}, {sizes}, {type_.kind.value!r}, {str(type_)!r})"
    if isinstance(type_, RowsType):
        return f"{RUNTIME}.rows_type({text}, {type_.cls.__name__}, {tensor_type_text(type_.element)})"
    return text


__all__ = ["RUNTIME", "Named", "RegisteredScope", "Registry", "literal", "tensor_type_text"]
