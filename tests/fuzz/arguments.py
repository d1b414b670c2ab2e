"""Parameters of random programs, and the arguments of each call as source text.

Arguments may be views of bigger arrays, which are compared after the call as well; the last call of
some programs has arrays of other sizes.
"""

from __future__ import annotations

from tests.fuzz.families.state import NAME, TRACKER
from tests.fuzz.kinds import FLOAT, INT, RECORDS, VECTOR, Array, Dct, Kind, Lst, Maybe, Number, Record, Tup
from tests.fuzz.writer import Writer

NUMBERS = {
    "int": ("0", "1", "2", "3", "-1", "-3", "7"),
    "float": ("0.0", "1.5", "-2.0", "10.0", "0.25", "math.inf", "-0.0"),
    "bool": ("True", "False"),
    "float64": ("np.float64(0.5)", "np.float64(-4.0)"),
    "int64": ("np.int64(3)", "np.int64(-2)"),
}
USUAL = 5
"""How many of the numbers are picked mostly."""
ELEMENTS = {
    "float64": ("1.0", "-2.5", "3.0", "0.5", "4.0", "-1.0", "0.0"),
    "int64": ("0", "1", "2", "-1", "5", "-4"),
    "bool": ("True", "False"),
}
MATRIX = Array("float64", (2, 3))
SQUARE = Array("float64", (3, 3))

FIRST: tuple[tuple[str, tuple[Kind, ...]], ...] = (("x", (VECTOR, VECTOR, Array("float64", (4,)))), ("n", (INT,)))
OTHERS: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    ("s", (FLOAT,)),
    ("m", (MATRIX, SQUARE, Array("int64", (2, 3)))),
    ("y", (VECTOR, Array("int64", (3,)), Array("bool", (3,)), Array("float64", (4,)))),
    ("p", (Record("Pair"), Record("Body"), Record("Fixed"), Record("Track"))),
    ("l", (Lst(FLOAT, 2), Lst(INT, 3), Lst(VECTOR, 2), Lst(Record("Pair"), 2))),
    ("d", (Dct((("a", FLOAT), ("b", VECTOR))), Dct((("a", INT), ("b", INT))))),
    ("t", (Tup((FLOAT, INT)), Record("Point"), Tup((VECTOR, FLOAT)))),
)
SIZES = ({}, {}, {}, {3: 5, 2: 3}, {3: 2}, {3: 0}, {2: 1}, {3: 4, 4: 3})


def parameters(w: Writer) -> dict[str, Kind]:
    """The parameters of a program: an array and an int, and some others."""
    others = w.random.sample(OTHERS, w.pick([1, 2, 2, 3]))
    return {name: w.pick(kinds) for name, kinds in (*FIRST, *others)}


class Arguments:
    """Writes the function that makes the arguments of one call."""

    def __init__(self, w: Writer, sizes: dict[int, int], state: bool = False):
        self.w = w
        self.sizes = sizes
        self.lines: list[str] = []
        self.kept: list[str] = []
        if state:
            self.lines.append(f"{NAME}.__dict__.update(vars({self.value(TRACKER)}))")
            self.kept.append(f"vars({NAME})")

    def write(self, number: int, kinds: dict[str, Kind]) -> str:
        values = [self.value(kind) for kind in kinds.values()]
        same = [i for i, kind in enumerate(kinds.values()) if kind == VECTOR]
        if len(same) > 1 and self.w.chance(0.05):  # one array for two parameters
            self.lines.append(f"shared = {values[same[0]]}")
            values[same[0]] = values[same[1]] = "shared"
        kept = "".join(f"{name}, " for name in self.kept)
        body = [*self.lines, f"return ({', '.join(values)},), ({kept})"]
        return "\n".join([f"def arguments_{number}():", *(f"    {line}" for line in body)])

    def value(self, kind: Kind) -> str:
        match kind:
            case Number(cls):
                texts = NUMBERS[cls]
                return self.w.pick(texts[:USUAL] if self.w.chance(0.9) else texts)
            case Array():
                return self.array(kind)
            case Record(cls):
                return f"{cls}({', '.join(self.value(part) for _, part in RECORDS[cls])})"
            case Tup(elts):
                return f"({', '.join(self.value(part) for part in elts)},)"
            case Lst(element, length):
                return f"[{', '.join(self.value(element) for _ in range(length or 0))}]"
            case Dct(items):
                return f"{{{', '.join(f'{key!r}: {self.value(part)}' for key, part in items)}}}"
            case Maybe(inner):
                return self.w.pick(["None", self.value(inner)])
        raise TypeError(kind)

    def array(self, kind: Array) -> str:
        shape = tuple(self.sizes.get(n or 0, n or 0) for n in kind.shape)
        if self.w.chance(0.65):
            return self.plain(kind.dtype, shape)
        name = f"base{len(self.lines)}"
        base, view = self.viewed(shape)
        self.lines.append(f"{name} = {self.plain(kind.dtype, base)}")
        self.kept.append(name)
        return f"{name}{view}"

    def plain(self, dtype: str, shape: tuple[int, ...]) -> str:
        size = 1
        for n in shape:
            size *= n
        elements = ", ".join(self.w.pick(ELEMENTS[dtype]) for _ in range(size))
        text = f"np.array([{elements}], dtype=np.{dtype})" if dtype != "bool" or not size else f"np.array([{elements}])"
        return text if len(shape) == 1 else f"{text}.reshape({shape})"

    def viewed(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
        """The shape of a bigger array, and what takes a view of it."""
        first, *rest = shape
        forms: list[tuple[tuple[int, ...], str]] = [
            ((2 * first, *rest), "[::2]"),
            ((first + 2, *rest), "[1:-1]"),
            ((first, *rest), "[::-1]"),
            ((2, *shape), "[1]"),
        ]
        forms.append((shape[::-1], ".T") if rest else ((first, 2), "[:, 1]"))
        return self.w.pick(forms)


def argument_functions(w: Writer, kinds: dict[str, Kind], calls: int, state: bool = False) -> list[str]:
    """The texts of `arguments_0`, `arguments_1`, ...; with `state`, they set that of the module's object, too."""
    sizes = [{}] * (calls - 1) + [w.pick(SIZES)]
    return [Arguments(w, sizes[i], state).write(i, kinds) for i in range(calls)]
