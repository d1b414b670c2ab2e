"""The dims strings of jaxtyping's annotations, read strictly: what is probably a mistake is refused.

    shape = entry entry ...                       separated by spaces
    entry = "*" NAME | "..."                      any number of dims, at most once
          | "_" | "_" NAME | "#" dim              any size
          | [NAME "="] dim                        the name only documents
    dim   = NAME | SIZE | an expression of these without spaces: n+1, 2*n, n//2, max(n,m)

jaxtyping itself reads `"n + 1"` as three dims and `"batch<=8"` as 8, and ignores what it cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.dims.parsing import DimSyntaxError, parse_dim
from graph_program.extract.types.notation.terms import RankVar

Entry = Dim | RankVar | None
"""One dim; several, for a rank variable (without a name for `...`); None for a dim of any size."""

GRAMMAR = (
    "dims are separated by spaces; each is a name `n`, a size `4`, an expression without spaces `2*n+1`, "
    "`_` for any size, or once `*s` or `...` for any number of dims"
)


class AnnotationSyntaxError(ValueError):
    """A text in an annotation that cannot be read.

    Attributes
    ----------
    text : str
        The whole text.
    start, end : int
        The part of it that is wrong.
    message : str
        What is wrong.
    hint : str
        What to write instead, and the grammar.
    """

    def __init__(self, message: str, text: str, start: int, end: int, hint: str):
        super().__init__(message)
        self.message, self.text, self.start, self.end, self.hint = message, text, start, end, hint


class Malformed:
    """What an annotation evaluates to whose text cannot be read; subclasses carry the `error`."""

    error: AnnotationSyntaxError


def malformed(error: AnnotationSyntaxError) -> type[Malformed]:
    """A class, as annotations are, that is refused where the annotation is used."""
    return type("Malformed", (Malformed,), {"error": error})


@dataclass(frozen=True)
class _Part:
    """An entry of a dims string, with its place."""

    text: str
    start: int
    whole: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def error(self, message: str, instead: str = "", start: int = 0, end: int | None = None) -> AnnotationSyntaxError:
        """A refusal of this part, or of `text[start:end]`."""
        last = self.end if end is None else self.start + end
        return AnnotationSyntaxError(message, self.whole, self.start + start, last, hint(instead))

    def replaced(self, text: str, since: int | None = None, to: int | None = None) -> str:
        """The whole string, quoted, with another text in place of this part."""
        first, last = self.start if since is None else since, self.end if to is None else to
        return f'"{self.whole[:first]}{text}{self.whole[last:]}"'


def hint(instead: str = "") -> str:
    """What to write instead, and the grammar."""
    return f"write {instead}; {GRAMMAR}" if instead else GRAMMAR


def read_dims(text: str) -> tuple[Entry, ...]:
    """The entries of a jaxtyping dims string.

    Raises
    ------
    AnnotationSyntaxError
        For what is outside the grammar, also where jaxtyping takes it.
    """
    parts = [_Part(m.group(), m.start(), text) for m in re.finditer(r"\S+", text)]
    _refuse_brackets(text)
    _refuse_commas(text)
    _refuse_bounds(text)
    for part, after in zip(parts, [*parts[1:], None], strict=False):
        _refuse_spaces(part, after)
    entries = tuple(_entry(part) for part in parts)
    several = [p for p, e in zip(parts, entries, strict=True) if isinstance(e, RankVar)]
    if len(several) > 1:
        shape = ", ".join(p.text for p in parts)
        raise several[1].error(
            "a second part of unknown length, which jaxtyping's strings cannot have",
            f'Shaped[Tensor, "float32 [{shape}]"]',
        )
    return entries


def _refuse_brackets(text: str) -> None:
    if "[" not in text:
        return
    inner = text[text.index("[") + 1 :].rpartition("]")[0] or text[text.index("[") + 1 :]
    spaced = " ".join(part.strip().replace(" ", "") for part in inner.split(","))
    whole = _Part(text, 0, text)
    raise whole.error("a bracket, which this string cannot have", f'"{spaced}", or Shaped[Tensor, "float32 [{inner}]"]')


def _refuse_commas(text: str) -> None:
    """Commas between dims; those of `max(n,m)` are inside parentheses."""
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            spaced = " ".join(re.sub(r",", " ", text).split())
            raise AnnotationSyntaxError("dims are not separated by commas", text, i, i + 1, hint(f'"{spaced}"'))


_BOUND = re.compile(r"(?P<left>\S*?)\s*(?P<sign>[<>]=?|==|!=)\s*(?P<right>\S*)")
_BOUNDS: dict[str, Callable[[int], str]] = {
    "<": lambda size: f"(0, {size - 1})",
    "<=": lambda size: f"(0, {size})",
    ">": lambda size: f"({size + 1}, None)",
    ">=": lambda size: f"({size}, None)",
}


def _refuse_bounds(text: str) -> None:
    """Bounds, which jaxtyping drops in silence."""
    found = _BOUND.search(text)
    if found is None:
        return
    name, sign, size = found["left"], found["sign"], found["right"]
    if name.isdigit():
        name, sign, size = size, sign.translate(str.maketrans("<>", "><")), name
    name = name if name.isidentifier() else "n"
    bound = _BOUNDS.get(sign, str)(int(size)) if size.isdigit() else "(1, 8)"
    whole = _Part(text, 0, text)
    instead = f'{whole.replaced(name, *found.span())}, and the bounds in the decorator: dims={{"{name}": {bound}}}'
    raise AnnotationSyntaxError("a comparison, which an annotation cannot say", text, *found.span(), hint(instead))


_OPERATORS = r"//|[-+*/%=]"
_LOOSE_END = re.compile(rf"(?:{_OPERATORS}|\(|,)$")
_LOOSE_START = re.compile(r"^(?://|[-+/%=)])")


def _refuse_spaces(part: _Part, after: _Part | None) -> None:
    """`n + 1` is three dims to jaxtyping, and no one means that."""
    if after is None or part.text == "...":
        return
    trailing = _LOOSE_END.search(part.text) and (part.text != "*" or _is_operand(after.text))
    if not trailing and not _LOOSE_START.search(after.text):
        return
    start, end = _expression_around(part, after)
    joined = re.sub(r"\s+", "", part.whole[start:end])
    raise AnnotationSyntaxError(
        f"`{part.whole[start:end]}` has spaces in it, which separate dims",
        part.whole,
        start,
        end,
        hint(f"without spaces: {part.replaced(joined, start, end)}"),
    )


def _is_operand(text: str) -> bool:
    return re.match(r"[\w(]", text) is not None


def _expression_around(part: _Part, after: _Part) -> tuple[int, int]:
    """The places where the expression with spaces begins and ends."""
    text = part.whole
    start, end = part.start, after.end
    if re.fullmatch(_OPERATORS, part.text):
        before = text[:start].rstrip()
        start = max(before.rfind(" "), before.rfind("\t")) + 1 if before else start
    if re.fullmatch(_OPERATORS, after.text):
        following = re.match(r"\s*\S+", text[end:])
        end += following.end() if following else 0
    return start, end


def _entry(part: _Part) -> Entry:
    for pattern, read in _ENTRIES:
        match = re.fullmatch(pattern, part.text)
        if match:
            return read(part, match)
    return _dim(part, 0)


def _documented(part: _Part, match: re.Match[str]) -> Entry:
    """`rows=4`: the name only documents."""
    if not match["name"]:
        raise part.error("a size without a name before the `=`", part.replaced(match["size"] or "n"))
    if not match["size"]:
        raise part.error("a name without a size after the `=`", part.replaced(match["name"]))
    return _dim(part, match.start("size"))


def _starred(part: _Part, match: re.Match[str]) -> Entry:
    name = match["name"]
    if not name:
        raise part.error("a `*` without a name", part.replaced("*s"))
    if match["stars"].count("*") > 1:
        raise part.error("more than one `*` before a name", part.replaced(f"*{name}"))
    if not re.fullmatch(r"[^\W\d]\w*", name):
        raise part.error("a `*` before what is no name", part.replaced("*s"))
    return RankVar("" if name.startswith("_") or "#" in match["stars"] else name)


def _dots(part: _Part, match: re.Match[str]) -> Entry:
    if part.text != "...":
        raise part.error("`...` stands by itself", part.replaced(f"*{match['name']}" if match["name"] else "..."))
    return RankVar("")


def _any(part: _Part, match: re.Match[str]) -> Entry:
    return None


def _double_underscore(part: _Part, match: re.Match[str]) -> Entry:
    raise part.error("two underscores", part.replaced("_"))


def _hash(part: _Part, match: re.Match[str]) -> Entry:
    """`#n` broadcasts, so that it says nothing about the size; its dim is still read."""
    if not match["rest"]:
        raise part.error("a `#` without a dim", part.replaced("_"))
    if match["rest"].startswith("*"):
        return RankVar("")
    _dim(part, 1)
    return None


def _twice(part: _Part, match: re.Match[str]) -> Entry:
    raise part.error("a product without `*`", part.replaced(f"{match['number']}*{match['name']}"))


def _negative(part: _Part, match: re.Match[str]) -> Entry:
    raise part.error("a negative size", part.replaced("_"))


_ENTRIES: tuple[tuple[str, Callable[[_Part, re.Match[str]], Entry]], ...] = (
    (r"(?P<name>[^=]*)=(?P<size>.*)", _documented),
    (r"(?P<stars>[*#]*\*[*#]*)(?P<name>.*)", _starred),
    (r"\.\.\.(?P<name>.*)", _dots),
    (r"__.*", _double_underscore),
    (r"_\w*|\?\w+", _any),
    (r"\{.*\}", _any),
    (r"#(?P<rest>.*)", _hash),
    (r"(?P<number>\d+)(?P<name>[^\W\d]\w*)", _twice),
    (r"-\d+", _negative),
)
"""Forms of entries besides plain dims, the first that matches."""

_ADVICE: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    (r"(?<!/)/(?!/)", "`/` is no division of sizes", lambda text: re.sub(r"/+", "//", text)),
    (r"\*\*", "`**` is no operator of dims", lambda text: re.sub(r"(\w+)\*\*2\b", r"\1*\1", text)),
    (r"\w\(", "only max and min can be called", lambda text: "n"),
    (r"\.", "a `.` cannot stand in a dim", lambda text: re.sub(r"\W", "_", text) if text[:1].isalpha() else "_"),
)
"""What people write, what is wrong with it, and what they may have meant."""


def _dim(part: _Part, start: int) -> Dim:
    """The dim that the part's text from `start` on is."""
    text = part.text[start:]
    dotted = text.find(".")
    try:
        if dotted < 0:
            return parse_dim(text)
        position = dotted
    except DimSyntaxError as error:
        position, message = error.position, error.message
    else:
        message = ""
    for pattern, said, change in _ADVICE:
        at = re.search(pattern, text[max(0, position - 1) :])
        if at:
            raise part.error(said, part.replaced(part.text[:start] + change(text)), start)
    message = message.replace("unexpected end", "the expression ends too soon")
    raise part.error(f"`{text}` is no dim: {message}", "", start)


__all__: list[Any] = ["AnnotationSyntaxError", "Entry", "Malformed", "hint", "malformed", "read_dims"]
