"""Annotations inside a program: which object the expression names, and what that says.

Python never evaluates the annotation of a local variable; a name in it that does not exist is no error.
"""

from __future__ import annotations

from typing import Any

from graph_program.extract.diagnostics import Diagnostic, ProgramValueError
from graph_program.extract.ir import tree
from graph_program.extract.source.annotation_places import text_place
from graph_program.extract.source.closure import lookup
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.objects.live_reads import root
from graph_program.extract.types.notation.annotation_reading import parse_annotation
from graph_program.extract.types.notation.annotations import Annotation
from graph_program.extract.types.notation.dims_strings import AnnotationSyntaxError, malformed
from graph_program.extract.types.notation.evaluated_annotations import refused_text


class _Unknown(Exception):
    """An annotation that names nothing that is known."""


def read_local_annotation(m: Machine, node: tree.Expr) -> Annotation | None:
    """What an annotation in the program's text says; None where it says nothing that is understood.

    Raises
    ------
    ProgramValueError
        GP411 where its text cannot be read.
    """
    note = read_local_note(m, node)
    return None if note is None else parse_annotation(note)


def read_local_note(m: Machine, node: tree.Expr) -> Any:
    """The object that an annotation in the program's text names; None where it says nothing that is understood.

    Raises
    ------
    ProgramValueError
        GP411 where its text cannot be read.
    """
    try:
        found = _object(m, node)
        parse_annotation(found)
        return found
    except _Unknown:
        return None
    except AnnotationSyntaxError as error:
        place = text_place(node.loc, error) or node.loc
        message = f"an annotation cannot be read: {error.message}"
        raise ProgramValueError(Diagnostic("GP411", message, place, hint=error.hint)) from None


def _object(m: Machine, node: tree.Expr) -> Any:
    """The object that an annotation's expression names."""
    match node:
        case tree.Constant(value):
            return _evaluated(m, value) if isinstance(value, str) else value
        case tree.Name(name):
            return _captured(m, name)
        case tree.Attribute(owner, attribute):
            found = getattr(_object(m, owner), attribute, _Unknown)
            if found is _Unknown:
                raise _Unknown
            return found
        case tree.Subscript(owner, index):
            return _subscript(_object(m, owner), _index(m, index))
        case tree.Binary("|", left, right):
            try:
                return _object(m, left) | _object(m, right)
            except TypeError:
                raise _Unknown from None
    raise _Unknown


def _index(m: Machine, node: tree.Expr) -> Any:
    """A subscript: texts stay texts there."""
    if isinstance(node, tree.TupleExpr):
        return tuple(_index(m, elt) for elt in node.elts)
    return node.value if isinstance(node, tree.Constant) else _object(m, node)


def _subscript(owner: Any, index: Any) -> Any:
    try:
        return owner[index]
    except (TypeError, LookupError, AttributeError):
        raise _Unknown from None
    except ValueError as error:  # jaxtyping's
        text = index[-1] if isinstance(index, tuple) and isinstance(index[-1], str) else ""
        return malformed(refused_text(repr(text), error))


def _captured(m: Machine, name: str) -> Any:
    function = root(m.frame).python
    if function is None:
        raise _Unknown
    try:
        return lookup(function, name).read()
    except NameError:
        raise _Unknown from None


def _evaluated(m: Machine, text: str) -> Any:
    """An annotation written as text."""
    try:
        return eval(text, dict(m.global_names()))
    except (NameError, AttributeError, SyntaxError, TypeError):
        raise _Unknown from None
    except ValueError as error:
        return malformed(refused_text(text, error))
