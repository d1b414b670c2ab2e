"""The shape language, read: shapes, types and signatures from the text that terms print.

    signature  = [NAME ":"] operands "->" results ["where" condition ("," condition)*]
    operands   = type | "(" [type ("," type)* ["," "..."]] ")"     "..." repeats the last operand
    results    = type | "(" type ("," type)* ")"
    type       = dtype shape
    dtype      = element ("|" element)*                            what NumPy promotes these to
    element    = "float32" | ... | "int" | "float"                 the latter two: Python's numbers
               | NAME                                              a variable
               | "float" "(" dtype ")" | "quotient" "(" dtype ")"  of np.exp; of a division
    shape      = part ("@" part)*                                  one after the other
    part       = "[" [segment ("," segment)*] "]" | NAME           NAME: dims of unknown number
    segment    = dim | "*" | run ("&" run)*                        "*": differs from element to element
    run        = "*" NAME | "[" ... "]" | "*" NAME "(" names ")"   the last: computed from attributes
    dim        = integers and names with + - * // % max(,) min(,) and parentheses; "_" is any dim
               | "rank(s)" | "size(s)" | dim "+..."                in signatures; the sum over repeated operands
    condition  = NAME "is" KIND | dim "=" dim | dim "<=" dim       KIND: bool, integer, float,
                                                               number (not bool), discrete (not float)

`s @ [m, k]` is another way to write `[*s, m, k]`.  In a signature, of a variable that several operands
share, a leading `*s` broadcasts, an element type promotes and a dim is equal; see `Solver.apply`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.dims.parsing import DimSyntaxError, parse_dim
from graph_program.extract.types.notation.terms import (
    KINDS,
    REPEATED,
    Broadcast,
    Computed,
    Condition,
    DTypeTerm,
    DTypeVar,
    Floating,
    Promoted,
    Ragged,
    RankVar,
    Segment,
    ShapeTerm,
    Signature,
    TypeTerm,
    Weak,
)
from graph_program.extract.types.tensors.element_types import named_dtype

T = TypeVar("T")

GRAMMAR = """\
a shape is a list of dims: [n, 4], [2*n + 1, max(m, k)]; a dim is an integer, a name, or + - * // % of dims;
*s stands for any number of dims, [*s, n] or s @ [n]; *s & *r is what two shapes broadcast to; * is a dim
that differs from element to element; _ is any dim.  A type is an element type and a shape: float32 [n, 4],
t [*s, n].  A signature is (t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]."""

_NAME = re.compile(r"[^\W\d]\w*")
_RESERVED = re.compile(r"(float|u?int|complex|bool)\d+")
_OF_A_SHAPE = re.compile(r"\b(rank|size)\((\w+)\)")


class ShapeSyntaxError(ValueError):
    """A text outside the shape language.

    Attributes
    ----------
    message : str
        What is wrong.
    text : str
        All of the text.
    column : int
        Where, counted from 1.
    """

    def __init__(self, message: str, text: str, position: int):
        super().__init__(f"{message} at column {position + 1} of {text!r}\n{GRAMMAR}")
        self.message = message
        self.text = text
        self.column = position + 1


def parse_shape(text: str) -> ShapeTerm:
    """The shape that a text denotes: `[*s, n, 4]` or `s @ [n, 4]`.

    Raises
    ------
    ShapeSyntaxError
        For a text outside the grammar.
    """
    return _Reader(text).whole(_Reader.shape)


def parse_type(text: str) -> TypeTerm:
    """The type that a text denotes: `float32 [n, 4]`, `t | u [*s]`.

    Raises
    ------
    ShapeSyntaxError
        For a text outside the grammar.
    """
    return _Reader(text).whole(_Reader.type)


def parse_signature(text: str) -> Signature:
    """The signature that a text denotes: `matmul: (t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]`.

    Raises
    ------
    ShapeSyntaxError
        For a text outside the grammar.
    """
    return _Reader(text).whole(_Reader.signature)


class _Reader:
    """Recursive descent over the text; dims are read by `parse_dim`."""

    def __init__(self, text: str):
        self.text = text
        self.position = 0
        self.kinds: dict[str, frozenset[str]] = {}

    def whole(self, read: Callable[[_Reader], T]) -> T:
        result = read(self)
        if not self.at_end():
            raise self.fail()
        return result

    # ------------------------------------------------------------ characters

    def fail(self, message: str = "", position: int | None = None) -> ShapeSyntaxError:
        self.skip()
        place = self.position if position is None else position
        found = f"unexpected {self.text[place]!r}" if place < len(self.text) else "unexpected end"
        return ShapeSyntaxError(message or found, self.text, place)

    def skip(self) -> None:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def at_end(self) -> bool:
        self.skip()
        return self.position == len(self.text)

    def sees(self, sign: str) -> bool:
        self.skip()
        return self.text.startswith(sign, self.position)

    def take(self, sign: str) -> bool:
        found = self.sees(sign)
        self.position += len(sign) if found else 0
        return found

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise self.fail()

    def name(self) -> str:
        found = self.name_ahead()
        if found is None:
            raise self.fail()
        self.position += len(found)
        return found

    def name_ahead(self) -> str | None:
        self.skip()
        match = _NAME.match(self.text, self.position)
        return match[0] if match else None

    # ------------------------------------------------------------ signatures

    def signature(self) -> Signature:
        name = ""
        if re.match(r"\s*\w+\s*:", self.text):
            name = self.name()
            self.expect(":")
        operands, variadic = self.types(repeated=True)
        self.expect("->")
        results, _ = self.types(repeated=False)
        conditions: list[Condition] = []
        if self.name_ahead() == "where":
            self.name()
            self.condition(conditions)
            while self.take(","):
                self.condition(conditions)
        parts = [tuple(self.with_kinds(t) for t in types) for types in (operands, results)]
        return Signature(name, parts[0], parts[1], variadic, tuple(conditions))

    def types(self, repeated: bool) -> tuple[list[TypeTerm], bool]:
        """Types in parentheses, or one without; and whether the last is repeated."""
        if not self.take("("):
            return [self.type()], False
        found: list[TypeTerm] = []
        if self.take(")"):
            return found, False
        while True:
            found.append(self.type())
            if self.take(")"):
                return found, False
            self.expect(",")
            if repeated and self.take(REPEATED):
                self.expect(")")
                return found, True

    def condition(self, conditions: list[Condition]) -> None:
        match = re.compile(r"\s*(\w+)\s+is\s+([\w/]+)").match(self.text, self.position)
        if match is not None:
            kinds = KINDS.get(match[2]) or frozenset(match[2].split("/"))
            if not kinds <= set("biuf"):
                raise self.fail(f"no such kind of element type: {match[2]}", match.start(2))
            self.kinds[match[1]] = kinds
            self.position = match.end()
            return
        left = self.dim("<=")
        op = "<=" if self.take("<=") else "="
        if op == "=":
            self.expect("=")
        conditions.append(Condition(left, op, self.dim(",")))

    def with_kinds(self, t: TypeTerm) -> TypeTerm:
        return TypeTerm(self.dtype_with_kinds(t.dtype), t.shape)

    def dtype_with_kinds(self, t: DTypeTerm) -> DTypeTerm:
        match t:
            case DTypeVar(name):
                return DTypeVar(name, self.kinds.get(name))
            case Promoted(of):
                return Promoted(tuple(map(self.dtype_with_kinds, of)))
            case Floating(of, wide):
                return Floating(self.dtype_with_kinds(of), wide)
        return t

    # ------------------------------------------------------------ types

    def type(self) -> TypeTerm:
        return TypeTerm(self.dtype(), self.shape())

    def dtype(self) -> DTypeTerm:
        elements = [self.element()]
        while self.take("|"):
            elements.append(self.element())
        return elements[0] if len(elements) == 1 else Promoted(tuple(elements))

    def element(self) -> DTypeTerm:
        self.skip()
        start = self.position
        name = self.name()
        if name in ("float", "quotient") and self.take("("):
            of = self.dtype()
            self.expect(")")
            return Floating(of, wide=name == "quotient")
        known = named_dtype(name)
        if known is not None:
            return known
        if name in ("int", "float"):
            return Weak({"int": int, "float": float}[name])
        if _RESERVED.fullmatch(name):
            raise self.fail(f"no such element type: {name}", start)
        return DTypeVar(name)

    # ------------------------------------------------------------ shapes

    def shape(self) -> ShapeTerm:
        parts = self.part()
        while self.take("@"):
            parts += self.part()
        return parts

    def part(self) -> ShapeTerm:
        return self.bracketed() if self.sees("[") else (RankVar(self.name()),)

    def bracketed(self) -> ShapeTerm:
        self.expect("[")
        segments: list[Segment] = []
        if self.take("]"):
            return ()
        while True:
            segments.append(self.segment())
            if self.take("]"):
                return tuple(segments)
            self.expect(",")

    def segment(self) -> Segment:
        if not (self.sees("*") or self.sees("[")):
            return self.dim(",]")
        bracketed = self.sees("[")
        first = self.run()
        if not self.sees("&"):
            if bracketed:
                raise self.fail("a shape in brackets stands here only in a broadcast")
            return first[0]
        shapes = [first]
        while self.take("&"):
            shapes.append(self.run())
        return Broadcast(tuple(shapes))

    def run(self) -> ShapeTerm:
        if self.sees("["):
            return self.bracketed()
        if not self.take("*"):
            return (self.dim(",]&"),)
        if self.name_ahead() is None:
            return (Ragged(),)
        name = self.name()
        if not self.take("("):
            return (RankVar(name),)
        arguments = [self.name()]
        while self.take(","):
            arguments.append(self.name())
        self.expect(")")
        return (Computed(name, tuple(arguments)),)

    def dim(self, ends: str) -> Dim:
        """The dim up to one of the characters that end it, outside parentheses."""
        self.skip()
        start = self.position
        depth = 0
        while self.position < len(self.text):
            character = self.text[self.position]
            if not depth and (character in ends or character in "=<"):
                break
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth < 0:
                break
            self.position += 1
        return self.dim_of(self.text[start : self.position], start)

    def dim_of(self, text: str, start: int) -> Dim:
        body = text.rstrip()
        repeated = re.search(r"\+\s*\.\.\.$", body)
        if repeated:
            body = body[: repeated.start()]
        # Names with dots have the same length, so that positions in errors stay right.
        plain = _OF_A_SHAPE.sub(lambda m: f"{m[1]}.{m[2]}.", body)
        try:
            d = parse_dim(plain)
        except DimSyntaxError as error:
            if error.position >= len(plain):
                raise self.fail() from None
            raise self.fail(error.message, start + error.position) from None
        functions = {f"{m[1]}.{m[2]}.": symbol(m[0]) for m in _OF_A_SHAPE.finditer(body)}
        d = d.substitute(functions) if functions else d
        return d + symbol(REPEATED) if repeated else d
