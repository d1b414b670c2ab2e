"""Arrays that NumPy has no memory for, where C takes none for them: they are computed where they are read.

    if (!gp_fits(sizeof(double), 2, (int64_t[]){a, b})) goto no_memory;
    for (int64_t i = 0; i < a * b; i++) {
        total += ...

Python raises there at once.  A loop would go on for years instead, or count what 64 bits do not hold.

In process the system is asked whether it has the memory for what a program makes of numbers alone (`np.ones(n)`); of
other arrays, as NumPy may have no such array where the graph has one (`np.isin` compares all with all), only those are
errors whose elements nobody would wait for.  A file of its own only sees to it that positions can be counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graph_program.backends.c.arrays import Array
from graph_program.backends.c.c_types import kept_type
from graph_program.backends.c.expression import ONE, Expr, call, times
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import Dim

if TYPE_CHECKING:
    from graph_program.backends.c.function import Function

VIEWS = frozenset({"transpose", "expand_dims", "squeeze", "reshape", "slice"})
"""What takes no memory in NumPy, and is no larger than its operand."""
SPREAD = "broadcast_to"
"""What takes no memory either, and is as large as it is told."""
MADE = frozenset({"full", "iota"})
"""What makes an array of numbers alone."""
ALWAYS = 2**30
"""So many bytes are taken to be there."""
MOST = 40
"""So many elements, as a power of two, are computed one after the other: a quarter of an hour of the quickest ones."""

COUNTABLE, COMPUTABLE, FITS = "gp_countable", "gp_computable", "gp_fits"
TEXTS = {
    COUNTABLE: """
/* Whether an array of such sizes has less than 2**63 bytes; without elements it is as large as its other axes say. */
static inline bool gp_countable(size_t element, int rank, const int64_t *sizes) {
    int64_t bytes = (int64_t)element;
    for (int axis = 0; axis < rank; axis++) {
        const int64_t size = sizes[axis] > 0 ? sizes[axis] : 1;
        if ((size | bytes) >> 31 && bytes > INT64_MAX / size) return false;
        bytes *= size;
    }
    return true;
}
""",
    COMPUTABLE: f"""
/* Whether it can be computed element by element. */
static inline bool gp_computable(size_t element, int rank, const int64_t *sizes) {{
    if (!gp_countable(element, rank, sizes)) return false;
    int64_t count = 1;
    for (int axis = 0; axis < rank; axis++) count *= sizes[axis] > 0 ? sizes[axis] : 0;
    return count <= INT64_C(1) << {MOST};
}}
""",
    "gp_is_there": """
/* Whether there is so much memory at this moment. */
static bool gp_is_there(int64_t bytes) {
    if ((uint64_t)bytes > SIZE_MAX) return false;
    void *volatile memory = malloc((size_t)bytes); /* a compiler supposes that an unused one is there */
    const bool found = memory;
    free(memory);
    return found;
}
""",
    FITS: f"""
/* Whether there could be memory for it. */
static inline bool gp_fits(size_t element, int rank, const int64_t *sizes) {{
    if (!gp_countable(element, rank, sizes)) return false;
    int64_t bytes = (int64_t)element;
    for (int axis = 0; axis < rank; axis++) bytes *= sizes[axis] > 0 ? sizes[axis] : 0;
    return bytes < {ALWAYS} || gp_is_there(bytes);
}}
""",
}


def require_room(fn: Function, node: Node, made: Array) -> None:
    """Have the function end where there is no memory for what an operation makes, though it may need none."""
    value, operands = node.outputs[0], [x for x in node.inputs if x.type.rank]
    if not made.rank or value in fn.placeholders:
        return
    if node.op == SPREAD or (node.op in VIEWS and any(x in fn.spread for x in operands)):
        fn.spread.add(value)
    solid = [x.type.shape for x in (*operands, *fn.program.graph.inputs) if x not in fn.spread]
    if node.op in VIEWS or any(_is_within(value.type.shape, shape) for shape in solid):
        return
    if made.rank == 1 and (made.place is not None or not fn.in_process):  # it was seen, or nothing is counted
        return
    if not fn.in_process and (made.place is not None or _are_given(fn, value)):
        return
    if all(size.text.isdigit() for size in made.shape) and made.bytes < ALWAYS:
        return
    sizes = ", ".join(size.text for size in made.shape)
    test = FITS if node.op in MADE else COMPUTABLE
    if not fn.in_process or made.place is not None or node.op == SPREAD:  # else elements are computed
        test = COUNTABLE
    if test == FITS:
        fn.include("stdlib.h")
    element = f"sizeof({kept_type(made.dtype)})"
    fn.line(f"if (!{test}({element}, {made.rank}, (int64_t[]){{{sizes}}})) goto no_memory;")


def _is_within(shape: Iterable[Dim], other: Iterable[Dim]) -> bool:
    """Whether all axes of an array are those of another one."""
    return not Counter(size for size in shape if size.constant != 1) - Counter(other)


def _are_given(fn: Function, value: Value) -> bool:
    """Whether arrays that there are have these sizes."""
    return all(set(size.symbols) <= fn.given_sizes for size in value.type.shape)


def elements(shape: Sequence[Expr]) -> Expr:
    """The number of elements of an array that memory is taken for, which may be more than 64 bits can count."""
    total = ONE
    for size in shape:
        both = size.text.isdigit() and total.text.isdigit()
        total = times(total, size) if both or "1" in (total.text, size.text) else call("gp_times", total, size)
    return total


__all__ = ["TEXTS", "elements", "require_room"]
