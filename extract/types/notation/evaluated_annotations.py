"""The annotations of functions and classes as objects: those written as text are evaluated where that is possible."""

from __future__ import annotations

import ast
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from graph_program.extract.types.notation.dims_strings import AnnotationSyntaxError, hint, malformed, read_dims


def function_annotations(fn: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function, those written as text evaluated where that is possible."""
    fn = inspect.unwrap(fn)
    code = getattr(fn, "__code__", None)
    cells = zip(code.co_freevars, fn.__closure__ or (), strict=True) if code is not None else ()
    scope = dict(getattr(fn, "__globals__", {}))
    scope |= {name: cell.cell_contents for name, cell in cells if _is_set(cell)}
    return {name: _evaluate(a, scope, {}) for name, a in inspect.get_annotations(fn).items()}


def class_annotations(cls: type) -> dict[str, Any]:
    """The annotations of a class and its bases, those written as text evaluated where possible."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        module = inspect.getmodule(base)
        scope = vars(module) if module else {}
        found |= {name: _evaluate(a, scope, vars(base)) for name, a in inspect.get_annotations(base).items()}
    return found


def or_none(annotation: Any) -> Any:
    """The annotation of a parameter whose default is None.

    `x: float = None` means `x: float | None`, as it does wherever such annotations are not checked.
    """
    fits = callable(annotation) or isinstance(annotation, types.UnionType)
    return typing.Optional[annotation] if fits else annotation  # noqa: UP045 - the class may have no `|`


def _is_set(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (an empty cell raises)
    except ValueError:
        return False
    return True


def _evaluate(annotation: Any, scope: Mapping[str, Any], names: Mapping[str, Any]) -> Any:
    """The object that a textual annotation names; the text itself if a name in it is not there.

    Named tuples keep such text as a `ForwardRef`.
    """
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        found = eval(annotation, dict(scope), dict(names))
        return eval(found, dict(scope), dict(names)) if isinstance(found, str) else found
    except (NameError, AttributeError, SyntaxError, TypeError):
        return annotation
    except ValueError as error:  # jaxtyping's
        return malformed(refused_text(annotation, error))


def refused_text(annotation: str, error: Exception) -> AnnotationSyntaxError:
    """Why jaxtyping refuses an annotation, of which there is only the text."""
    for node in ast.walk(ast.parse(annotation.strip(), mode="eval")):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                read_dims(node.value)
            except AnnotationSyntaxError as found:
                return found
    return AnnotationSyntaxError(str(error), annotation, 0, len(annotation), hint())
