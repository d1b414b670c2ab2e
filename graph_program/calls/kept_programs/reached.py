"""All that a function may read: what its extraction depends on besides the types of the arguments.

    RATE = 3
    def scaled(x): return x * RATE
    @graph_program
    def run(x): return scaled(x) + 1        reads `run`, `scaled` and `RATE`: texts, code, defaults, values

More is looked at than an extraction reads: whatever the names in a function's code and annotations stand for among its
globals, its closure and the attributes of modules, in the functions found there again, and in classes everything.
Where that cannot be said of a value (an instance, a list, a function that looks names up by text), nothing is kept of
the program.
"""

from __future__ import annotations
import __future__

import builtins
import hashlib
import linecache
import opcode
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache, cached_property
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, GenericAlias, ModuleType, UnionType
from typing import Any

import numpy as np

MOST = 2000
"""A program that reads more than so many values is not kept."""
LARGEST = 2**20
"""The same for captured arrays of more bytes."""
INSTALLED = frozenset({"numpy", "graph_program", "jaxtyping", "ml_dtypes"})
"""Packages of which a function or class is known by its name, as those of Python's own: their versions are part of what
a record is for."""
OF_TYPES = ("graph_program.extract.types.", "graph_program.tensor_api.static")
"""Modules whose objects are parts of annotations."""
SAMPLES = "graph_program.samples"
REFLECTIVE = frozenset(
    {"__dict__", "__globals__", "__import__", "dir", "eval", "exec", "getattr", "globals", "hasattr", "import_module"}
    | {"inspect", "locals", "modules", "operator", "setattr", "vars"}
)
"""Names with which a program may read what no name in it stands for."""
ANNOTATED = re.compile(r"^[ \t]+[\w.]+[ \t]*:[ \t]*[^ \t\n#]", re.MULTILINE)
"""An annotation inside a function, which is in no code; or what looks like one."""
STANDARD = os.path.dirname(os.__file__)
IMPORT = opcode.opmap["IMPORT_NAME"]
WORD = re.compile(r"[^\W\d]\w*")
ABSENT = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, slice)
_OF_A_CLASS = frozenset({"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__"})


class NotKept(Exception):
    """There is something of which is not known what a program may read of it."""


class Reached:
    """What a function may read.

    Attributes
    ----------
    digest : str
        Of all of it, the same in each process where it is the same.
    objects : list
        Functions, classes and arrays, in an order that is the same, too.

    Raises
    ------
    NotKept
    """

    def __init__(self, function: FunctionType):
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self.objects: list[Any] = []
        self._values_met: dict[int, Any] = {}
        self._names: list[tuple[Mapping[str, Any], str, Any]] = []
        self._cells: list[tuple[CellType, Any]] = []
        self._functions: list[tuple[FunctionType, CodeType, Any]] = []
        self._modules: set[tuple[int, frozenset[str]]] = set()
        self._function(function)

    @cached_property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def place(self, found: Any) -> int | None:
        """Where an object is in `objects`."""
        place = self._seen.get(id(found))
        return None if place is None or self.objects[place] is not found else place

    def has_met(self, value: Any) -> bool:
        """Whether a value is one of those that were looked at."""
        return self._values_met.get(id(value), ABSENT) is value or self.place(value) is not None

    def unchanged(self) -> Callable[[], bool] | None:
        """Whether all names still stand for what they stood for; None where there is nothing that may change."""
        names, cells, functions = self._names, self._cells, self._functions[1:]
        if not names and not cells and not functions:
            return None

        def test() -> bool:  # at each call: loops cost less than generators
            for space, name, value in names:
                if space.get(name, ABSENT) is not value:
                    return False
            for cell, value in cells:
                if _content(cell) is not value:
                    return False
            for function, code, defaults in functions:
                if function.__code__ is not code or function.__defaults__ is not defaults:
                    return False
            return True

        return test

    # ------------------------------------------------------------ what is read

    def _note(self, *parts: object) -> None:
        self._hash.update("\0".join(map(str, parts)).encode("utf-8", "surrogatepass") + b"\1")

    def _is_new(self, found: Any) -> bool:
        """Whether an object is met for the first time; else its place stands for it."""
        place = self._seen.get(id(found))
        if place is not None:
            self._note("again", place)
            return False
        if len(self.objects) >= MOST:
            raise NotKept
        self._seen[id(found)] = len(self.objects)
        self.objects.append(found)
        return True

    def _function(self, function: FunctionType) -> None:
        if not self._is_new(function):
            return
        code = function.__code__
        text = _text(function)
        self._note("function", function.__module__, *_code_parts(code), text)
        self._functions.append((function, code, function.__defaults__))
        if os.path.dirname(code.co_filename) == STANDARD:  # around one of a class, such as `__repr__` of a dataclass
            return
        self._values(function.__defaults__ or ())
        self._values([v for item in (function.__kwdefaults__ or {}).items() for v in item])
        self._values([v for item in function.__dict__.items() for v in item])
        words = _names(code)
        read = frozenset(words)  # what annotations mean is settled by the first call
        has_texts = code.co_flags & __future__.annotations.compiler_flag and any(
            isinstance(c, CodeType) for c in code.co_consts
        )
        if has_texts or ANNOTATED.search(text) or sys.flags.optimize:  # without the code of `assert`
            words |= set(WORD.findall(text))
        for name, note in function.__annotations__.items():
            self._values((name, note))
            words |= set(WORD.findall(note)) if isinstance(note, str) else set()
        if not words.isdisjoint(REFLECTIVE):
            raise NotKept
        self._closure(function, frozenset(words))
        self._attributes(function.__globals__, frozenset(words), "globals", read)
        self._builtins(words - function.__globals__.keys())

    def _builtins(self, words: set[str]) -> None:
        """Python's own names, which somebody may have given another meaning."""
        for name in sorted(words & vars(builtins).keys()):
            value = getattr(builtins, name)
            self._note("builtin", name, type(value).__qualname__, _name_of(value))
            if isinstance(value, FunctionType) and not _is_installed(value.__module__):
                self._function(value)

    def _closure(self, function: FunctionType, words: frozenset[str]) -> None:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            content = _content(cell)
            self._cells.append((cell, content))
            self._note("cell", name, content is ABSENT)
            if content is not ABSENT:
                self._read(content, words)

    def _attributes(self, space: Mapping[str, Any], words: frozenset[str], kind: str, read: Set[str]) -> None:
        """What of a namespace some words may name; what may be `read` is looked at again."""
        for name in sorted(words & space.keys()):
            value = space[name]
            self._note(kind, name)
            if name in read and not isinstance(value, ModuleType):
                self._names.append((space, name, value))
            self._read(value, words)

    def _read(self, value: Any, words: frozenset[str]) -> None:
        if isinstance(value, ModuleType):
            self._module(value, words)
        else:
            self._value(value)

    def _module(self, module: ModuleType, words: frozenset[str]) -> None:
        self._note("module", module.__name__)
        if (id(module), words) in self._modules:
            return
        self._modules.add((id(module), words))
        space = vars(module)
        if _is_installed(module.__name__):
            for name in sorted(words & space.keys()):
                value = space[name]
                self._note("attribute", name, type(value).__qualname__, _name_of(value))
                if isinstance(value, ModuleType) and value.__name__.startswith(f"{module.__name__}."):
                    self._module(value, words)
                elif isinstance(value, FunctionType) and not _is_installed(value.__module__):
                    self._function(value)
        elif "__getattr__" in space:
            raise NotKept
        else:
            self._attributes(space, words, "attribute", words)

    def _values(self, values: Iterable[Any]) -> None:
        for value in values:
            self._value(value)

    def _value(self, value: Any) -> None:
        """Anything that a name may stand for."""
        cls = type(value)
        self._values_met[id(value)] = value
        if cls in _PLAIN:
            self._note(cls.__name__, repr(value))
        elif isinstance(value, np.generic) and value.dtype.kind in "biufc":
            self._note(cls.__name__, value.tobytes())
        elif cls is tuple or cls is GenericAlias or cls is UnionType or str(cls.__module__) == "typing":
            self._parts(value)
        elif isinstance(value, np.dtype):
            self._note("dtype", repr(value))
        elif cls is np.ndarray:
            self._array(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, FunctionType) and not _is_installed(value.__module__):
            self._function(value)
        elif isinstance(value, FunctionType | BuiltinFunctionType | np.ufunc):
            if not _name_of(value):
                raise NotKept
            self._note(cls.__name__, _name_of(value))
        elif isinstance(value, staticmethod | classmethod):
            self._note(cls.__name__)
            self._value(value.__func__)
        elif cls is property:
            self._note("property")
            self._values((value.fget, value.fset, value.fdel))
        elif str(cls.__module__).startswith(OF_TYPES):
            self._note(cls.__module__, cls.__qualname__)
            self._values(part for item in sorted(_state_of(value).items()) for part in item)
        elif getattr(cls, "__graph_program__", False) and value._object is None:
            self._note("program", value._options)
            self._value(value.__wrapped__)
        else:
            raise NotKept

    def _parts(self, value: Any) -> None:
        """A tuple, or an annotation with parameters."""
        if isinstance(value, tuple):
            self._note("tuple", len(value))
            self._values(value)
            return
        origin = getattr(value, "__origin__", None)
        self._note(type(value).__name__, "" if origin is not None else repr(value))
        names = ("__args__", "__metadata__", "__bound__", "__constraints__")
        self._values((origin, *(getattr(value, name, None) for name in names)))

    def _array(self, array: np.ndarray[Any, Any]) -> None:
        if not self._is_new(array):
            return
        if array.base is not None or array.dtype.kind not in "biufc" or array.nbytes > LARGEST:
            raise NotKept
        self._note("array", array.dtype.str, array.shape, array.strides, array.flags.num)
        self._hash.update(array.tobytes())

    def _class(self, cls: type) -> None:
        if _is_installed(cls.__module__):
            self._note("class", _name_of(cls), repr(cls) if cls.__module__ == "jaxtyping" else "")
            return
        if not self._is_new(cls):
            return
        if type(cls) is not type:
            raise NotKept
        self._note("class", cls.__module__, cls.__qualname__)
        self._values(cls.__bases__)
        for name, value in vars(cls).items():
            if name in _OF_A_CLASS:
                continue
            self._note("member", name)
            self._names.append((vars(cls), name, value))
            if name == "__dataclass_fields__":
                self._note(*((f.name, f.init, f.kw_only, f.compare, str(f._field_type)) for f in value.values()))
                for f in value.values():
                    self._values((f.type, _given(f.default), _given(f.default_factory)))
            elif name == "__dataclass_params__":
                self._note(repr(value))
            elif name == "__annotations__":
                self._values(part for item in value.items() for part in item)
            else:
                self._value(value)


def _given(default: Any) -> Any:
    """The default of a field of a dataclass, if it has one."""
    return default if type(default).__name__ != "_MISSING_TYPE" else None


def _state_of(value: Any) -> dict[str, Any]:
    if hasattr(type(value), "__slots__"):
        raise NotKept
    return dict(vars(value))


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def _is_installed(module: str | None) -> bool:
    return bool(module) and _is_package(str(module).partition(".")[0]) and not str(module).startswith(SAMPLES)


@cache
def _is_package(name: str) -> bool:
    """Whether a name is that of an installed package, and not of a file of the user's that is called like it."""
    if name not in sys.stdlib_module_names:
        return name in INSTALLED
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is None or os.path.dirname(file).startswith(STANDARD)


def _name_of(value: Any) -> str:
    """The name under which a package has a function or class; for numbers and strings their text."""
    if type(value) in _PLAIN:
        return repr(value)
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", getattr(value, "__name__", None))
    if isinstance(value, np.ufunc):
        module = "numpy"
    return f"{module}.{name}" if isinstance(module, str) and _is_installed(module) and isinstance(name, str) else ""


def _names(code: CodeType) -> set[str]:
    """The names in code, that of functions inside included.

    Raises
    ------
    NotKept
        Where it imports something.
    """
    if IMPORT in code.co_code[::2]:
        raise NotKept
    found = {*code.co_names, *code.co_freevars}
    for constant in code.co_consts:
        found |= _names(constant) if isinstance(constant, CodeType) else set()
    return found


def _code_parts(code: CodeType) -> list[object]:
    """All of a code object, in an order that does not depend on the process."""
    parts: list[object] = [code.co_filename, code.co_qualname, code.co_firstlineno, code.co_flags, code.co_argcount]
    parts += [code.co_posonlyargcount, code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_freevars]
    parts += [code.co_cellvars, code.co_code.hex(), code.co_linetable.hex(), code.co_exceptiontable.hex()]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            parts += _code_parts(constant)
        elif isinstance(constant, frozenset):
            parts += ["frozenset", *sorted(f"{type(part).__name__} {part!r}" for part in constant)]
        else:
            parts.append(f"{type(constant).__name__} {constant!r}")
    return parts


def _text(function: FunctionType) -> str:
    """The lines of a function, as extraction reads them; those of annotations that are in no code, too."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first, last = code.co_firstlineno, _last_line(code)
    if not lines or last > len(lines):
        return ""
    if code.co_name != "<lambda>":
        start = lines[first - 1]
        indent = len(start) - len(start.lstrip())
        while last < len(lines) and _goes_on(lines[last], indent):
            last += 1
    return "".join(lines[first - 1 : last])


def _last_line(code: CodeType) -> int:
    found = [end for _, end, _, _ in code.co_positions() if end is not None]
    found += [_last_line(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return max(found, default=code.co_firstlineno)


def _goes_on(line: str, indent: int) -> bool:
    """Whether a line is still one of a block."""
    stripped = line.lstrip()
    return not stripped or stripped[0] in "#)]}" or len(line) - len(stripped) > indent


__all__ = ["NotKept", "Reached"]
