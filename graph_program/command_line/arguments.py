"""`--arg x=float32[n] --arg k=3`: types and values of a program's parameters, as they are typed.

x=float32[n, 3]     an array, by its element type and shape; names are dims
x=frame.npy         the array in a file
k=int               a number; also list[float32[2]], or a class of the module
k=3, c=Config(3)    a value
"""

from __future__ import annotations

import ast
import traceback
from types import ModuleType
from typing import TYPE_CHECKING, Any

import jaxtyping
import numpy as np

import graph_program
from graph_program.command_line.array_files import one_array
from graph_program.command_line.errors import CommandError
from graph_program.extract.arguments.argument_specs import spec_from_annotation
from graph_program.extract.ir.specs import TensorSpec
from graph_program.extract.types.notation import shaped

if TYPE_CHECKING:
    from graph_program.program import GraphProgramFunction

NUMBERS: dict[str, type] = {"int": int, "float": float, "bool": bool, "complex": complex, "str": str}
CONTAINERS: dict[str, Any] = {"list": list, "tuple": tuple, "dict": dict}
SHAPED = {name.lower(): name for name in graph_program.__all__ if hasattr(jaxtyping, name)}
"""`Float32`, by the name that NumPy has for it."""


def example_arguments(
    program: GraphProgramFunction[..., Any], module: ModuleType, texts: dict[str, str]
) -> dict[str, Any] | None:
    """The example arguments, if there is a value for each parameter; else the program gets to know the types."""
    if not texts:
        return None
    calls = program._ready()
    unknown = [name for name in texts if name not in calls.parameters]
    if unknown:
        known = ", ".join(calls.parameters) or "none"
        raise CommandError(f"{calls.fn.__name__} has no parameter {unknown[0]!r}; its parameters: {known}")
    types, values = dict[str, Any](), dict[str, Any]()
    for name, text in texts.items():
        found = _type(text, module)
        if found is None:
            values[name] = _value(name, text, module)
        else:
            types[name] = found
    if not types and calls.defaults.keys() | values.keys() >= set(calls.parameters):
        return values
    for name, type_ in types.items():
        _require_same_kind(name, calls.annotations.get(name), type_)
    calls.suppose(types, values)
    return None


def _require_same_kind(name: str, annotation: Any, type_: Any) -> None:
    """Refuse a type that contradicts what the parameter is annotated as."""
    said, given = (None if note is None else spec_from_annotation(note, name) for note in (annotation, type_))
    if isinstance(said, TensorSpec) and isinstance(given, TensorSpec):
        wanted, found = said.type, given.type
        if (wanted.dtype, wanted.kind, wanted.rank) != (found.dtype, found.kind, found.rank):
            raise CommandError(f"--arg {name}: it is annotated as {wanted}, not {found}")


def _type(text: str, module: ModuleType) -> Any:
    """The annotation that a text stands for; None where it is a value."""
    try:
        return _annotation(ast.parse(text.strip(), mode="eval").body, module)
    except SyntaxError:
        return None


def _annotation(node: ast.expr, module: ModuleType) -> Any:
    match node:
        case ast.Name(name) if name in NUMBERS:
            return NUMBERS[name]
        case ast.Name(name) if name in SHAPED:
            return getattr(np, name, None)
        case ast.Name(name) | ast.Attribute(attr=name):
            found = getattr(module, name, None)
            return found if isinstance(found, type) else None
        case ast.Subscript(ast.Name(name), slice=shape) if name in SHAPED:
            return getattr(shaped, SHAPED[name])[np.ndarray, _dims(shape)]
        case ast.Subscript(ast.Name(name), slice=ast.Tuple(parts)) if name in CONTAINERS:
            found = tuple(_annotation(part, module) for part in parts)
            return None if None in found else CONTAINERS[name][found]
        case ast.Subscript(ast.Name(name), slice=part) if name in CONTAINERS:
            inner = _annotation(part, module)
            return None if inner is None else CONTAINERS[name][inner]
    return None


def _dims(shape: ast.expr) -> str:
    """`n, 2 * m` as annotations have it, `n 2*m`."""
    parts = shape.elts if isinstance(shape, ast.Tuple) else [shape]
    return " ".join("..." if _is_dots(part) else ast.unparse(part).replace(" ", "") for part in parts)


def _is_dots(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _value(name: str, text: str, module: ModuleType) -> Any:
    if text.endswith(".npy"):
        return one_array(f"--arg {name}", text)
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return evaluated(module, text, f"--arg {name}")


def evaluated(module: ModuleType, text: str, option: str) -> Any:
    """What an expression gives in a module; whatever it raises ends the command."""
    try:
        return eval(compile(text.strip(), f"<{option}>", "eval"), dict(vars(module)))
    except SyntaxError:
        raise CommandError(f"{option}: {text!r} is not an expression of Python") from None
    except (Exception, SystemExit) as error:  # the user's own
        said = "".join(traceback.format_exception_only(error)).strip()
        raise CommandError(f"{option}: {text} raised {said}") from None


__all__ = ["evaluated", "example_arguments"]
