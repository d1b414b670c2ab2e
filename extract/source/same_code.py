"""Does a piece of text still mean a given code object?

The text is compiled (never run) in a scope that has the function's free variables and class, and the
two code objects are compared.  So a file that was edited after it was imported is noticed, and
lambdas that share a line are told apart.
"""

from __future__ import annotations
import __future__

import dis
import warnings
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType
from typing import Any

from graph_program.extract.source.segment import Segment

_FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag


def private_class(qualname: str) -> str:
    """The class whose name mangles `__private` names in the function `qualname`, or ""."""
    parts = qualname.split(".")
    pairs = pairwise(parts)
    # a comprehension or a lambda has a part of its own, `<listcomp>`
    classes = [name for name, inner in pairs if name.isidentifier() and inner != "<locals>"]
    return classes[-1] if classes else ""


def compile_segment(segment: Segment, code: CodeType) -> CodeType | None:
    """What `segment` compiles to in a scope like that of `code`; None if it does not compile."""
    text, rows = _in_scope(segment, code)
    shift = max(0, code.co_firstlineno - 1 - rows)  # classes know their line since Python 3.13
    text, rows = "\n" * shift + text, shift + rows
    flags = code.co_flags & _FUTURE_FLAGS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = compile(text, code.co_filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _descend(module, code.co_name, rows)


def _in_scope(segment: Segment, code: CodeType) -> tuple[str, int]:
    """The segment under headers that give it its free variables and class; how many lines of them."""
    given = sorted(n for n in code.co_freevars if n.isidentifier() and not _implicit(n))
    owner = private_class(code.co_qualname)
    width = _indentation(segment)
    if owner and given and 0 < width < 2:
        owner = ""
    headers = [f"def _({', '.join(given)}):\n"] if given else []
    if owner:
        if given and owner not in given:
            headers.append(f" global {owner}\n")  # the class does not become a local of `_`
        headers.append(f"{' ' * bool(given)}class {owner}:\n")
    if segment.is_lambda:
        blanks = " " * (len(segment.prefix.encode()) - len(segment.prefix))
        headers.append(" " * len(headers) + "(\n")
        return "".join(headers) + blanks + segment.text + "\n)\n", len(headers)
    if width and not headers:
        headers.append("if 1:\n")
    return "".join(headers) + segment.text, len(headers)


def _implicit(name: str) -> bool:
    return name in ("__class__", "__classdict__")


def _indentation(segment: Segment) -> int:
    if segment.is_lambda:
        return 0
    return len(segment.text) - len(segment.text.lstrip(" \t\f"))


def _descend(code: CodeType, name: str, rows: int) -> CodeType | None:
    """The outermost function called `name` below the headers: at each level the last one made."""
    while True:
        inner = [c for c in inner_codes(code) if c.co_name == name or c.co_name != "__annotate__"]
        if not inner:
            return None
        code = inner[-1]
        if code.co_name == name and code.co_firstlineno > rows:
            return code


def inner_codes(code: CodeType) -> Iterator[CodeType]:
    """The code of functions and classes that are written in a function, not that in these."""
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


_EQUAL_PARTS = ("co_name", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars")
_COMPILED_PARTS = ("co_names", "co_varnames", "co_cellvars")


def same_code(first: CodeType, second: CodeType) -> bool:
    """Whether two code objects do the same, places aside.

    Code that was compiled from a transformed tree (pytest rewrites `assert`) has names that no
    source text can spell; of such code only name and parameters are compared.
    """
    if any(getattr(first, part) != getattr(second, part) for part in _EQUAL_PARTS):
        return False
    if parameters(first) != parameters(second):
        return False
    if transformed(first) or transformed(second):
        return True
    return (
        all(getattr(first, part) == getattr(second, part) for part in _COMPILED_PARTS)
        and len(first.co_consts) == len(second.co_consts)
        and all(map(_same_constant, _constants(first), _constants(second)))
        and _same_instructions(first, second)
    )


def _same_instructions(first: CodeType, second: CodeType) -> bool:
    """Whether the instructions agree, but for how methods are called.

    `name.method()` compiles differently where the module imports `name` at its top level, which a
    segment alone does not show.
    """
    return first.co_code == second.co_code or _instructions(first) == _instructions(second)


_METHOD_CALL_PARTS = frozenset({"PUSH_NULL", "EXTENDED_ARG"})
_NAME_OPS = frozenset(dis.hasname)
_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)


def _instructions(code: CodeType) -> list[tuple[str, Any]]:
    """What is done with what; a jump's argument is the position in this list."""
    found: list[dis.Instruction] = []
    position: dict[int, int] = {}
    for instruction in dis.get_instructions(code):
        position[instruction.offset] = len(found)
        if instruction.opname not in _METHOD_CALL_PARTS:
            found.append(instruction)
    return [(_plain_name(i), _argument(i, position)) for i in found]


def _plain_name(instruction: dis.Instruction) -> str:
    return "LOAD_ATTR" if instruction.opname == "LOAD_METHOD" else instruction.opname


def _argument(instruction: dis.Instruction, position: dict[int, int]) -> Any:
    if instruction.opcode in _JUMPS:
        return position[instruction.argval]
    return instruction.argval if instruction.opcode in _NAME_OPS else instruction.arg


def parameters(code: CodeType) -> tuple[str, ...]:
    """The parameter names in order, with `*` and `**` marked."""
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames)
    result = names[:count]
    for flag, mark in ((0x04, "*"), (0x08, "**")):
        if code.co_flags & flag:
            result.append(mark + names[count])
            count += 1
    return tuple(result)


def transformed(code: CodeType) -> bool:
    """Whether `code` has names that cannot be written in Python."""
    names = (*code.co_names, *code.co_varnames)
    return any(not name.isidentifier() and not name.startswith(".") and "." not in name for name in names)


def same_places(first: CodeType, second: CodeType) -> bool:
    """Whether instructions stand at the same columns, and at the same lines from the first on."""
    return _places(first) == _places(second)


def _places(code: CodeType) -> list[tuple[int | None, ...]]:
    base = code.co_firstlineno
    return [
        (line and line - base, end_line and end_line - base, column, end_column)
        for line, end_line, column, end_column in code.co_positions()
    ]


def _constants(code: CodeType) -> list[object]:
    """The constants, less the body of a class's own name, which depends on where the class stands."""
    return [None if constant == code.co_qualname else constant for constant in code.co_consts]


def _same_constant(first: object, second: object) -> bool:
    if isinstance(first, CodeType) and isinstance(second, CodeType):
        return same_code(first, second)
    if isinstance(first, frozenset):
        return first == second
    # repr tells 1 from True and 0.0 from -0.0, also inside tuples
    return type(first) is type(second) and repr(first) == repr(second)
