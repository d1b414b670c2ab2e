"""Why a loop stays a loop, in words of the user's program."""

from __future__ import annotations

import re

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass

NUMBER = re.compile(r"[._]\d+")
OUR_NAMES = frozenset(["t", "k", "iteration", "error", "error_arg", "target", "failed", "no_error", "rows", "wrapped"])
"""What the evaluation and the passes call values that the source has no names for."""


@dataclass(frozen=True)
class Reason:
    """What keeps a loop from being array operations, and where."""

    loc: Loc
    text: str


APART = "put what does not read it into a loop of its own before this one"
IN_ANY_ROUND = "compute it before the branch, or from sizes and indices that fit in every round"
SUBSCRIPT = "write it with one index for each axis, or with a slice that is as long in every round"
WHOLE = "write it for the whole array, outside of the loop"
HINTS: tuple[tuple[str, str], ...] = (
    ("it reads .* that the round before has made", APART),
    ("a round needs what the round before has made", APART),
    (
        "how many rounds it has is not known when it begins",
        "count with `for ... in range(...)` and leave it with `break`, or change what it compares by a constant at the "
        "end of every round",
    ),
    (
        "what is inside runs on the host, or has its own order",
        "put what runs on the host into a loop of its own, before or behind this one",
    ),
    ("it calls a trained model", "call it once for all rounds, if it takes a batch"),
    ("it may fail in rounds that do not do it", IN_ANY_ROUND),
    ("it reads what may not be there", "give the variable a value before the loop"),
    ("there is no form of `.*` for all rounds at once", WHOLE),
    ("there is no form of this product for all rounds at once", WHOLE),
    ("there is no form of this subscript for all rounds at once", SUBSCRIPT),
    ("its indices have to be broadcast", SUBSCRIPT),
    ("each round reads another slice", SUBSCRIPT),
    (
        "each round writes another slice",
        "write its elements in a loop inside, or a slice that is as long in every round",
    ),
    (
        "what a round writes may have other sizes than its place",
        "give sizes that are the same one name in the annotations",
    ),
    ("each round makes an array of another size", "make arrays of one size, and say with a mask what counts"),
    (
        "each round counts up to another number",
        "count up to one number for all of them, and ask of each place whether it counts: `if 0 <= j < n`",
    ),
    ("it gives nothing", ""),
    ("all its rounds at once would take much more memory than its arrays do", ""),
    ("only its last round counts", "compute the last round without a loop"),
    (
        "what it gives has another type than what it begins with",
        "begin with a value of the type that it gets, as `np.float64(0)`",
    ),
    ("an array may be empty in rounds that do not read it", "leave the loop out where the array is empty"),
    (
        "an index may be outside in rounds behind the one that ends the loop",
        "use an index that is inside in all rounds of the range, as a counter up to the size of the array",
    ),
    ("the loop inside changes the sizes of what it computes", "make its arrays as large as they get before it"),
    ("its rounds do not fit together: .*", "make arrays of one shape in every round"),
    ("the size of its arrays is not known before it begins", "make the arrays before the loop"),
)
"""What to write instead, by the reason; empty where nothing can be done about it."""


def hint_for(text: str) -> str:
    """What to write instead, for a reason."""
    return next((hint for pattern, hint in HINTS if re.fullmatch(pattern, text, re.DOTALL)), "")


class StaysLoop(Exception):
    """Raised where a loop is found not to become array operations."""

    def __init__(self, loc: Loc, text: str):
        super().__init__(text)
        self.reason = Reason(loc, text)


def source_name(value: Value) -> str:
    """What the source calls a value; empty if nothing."""
    name = NUMBER.sub("", value.name)
    return name if name.isidentifier() and name not in OUR_NAMES else ""
