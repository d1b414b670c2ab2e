"""Where a program in process looks whether it is to end, as at Ctrl-C: between the rounds of its loops.

    for (int64_t k = 0; k < m; k++) {
        ...
        if (GP_PAUSE(1)) goto interrupted;
    }

The test counts, and only now and then asks Python, which then runs its handlers of signals.  A loop with nothing but
numbers in it, whose rounds the compiler may put together, looks between parts of many rounds; one without loops in it
whose rounds the sizes of arrays bound does not look at all, as it does not take long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from graph_program.backends.c.counters import Counter
from graph_program.extract.ir.graph import Graph, Value

INTERRUPTED = -2
"""What the function gives where it was ended."""
PAUSE, JUMP = "GP_PAUSE", "goto interrupted;"
PART = 65536
"""So many rounds of a loop without loops are one part."""
LONG = 64
"""What the round of a loop with loops, or a part, counts against the round of one without."""
VARIABLES = ("int64_t gp_ticks = 0;", "gp_pauses gp_asked = {0, 0};")
"""What the function needs."""
LOOP = re.compile(r"\s*(if \(.*\) )?(for|while) \(")
CALL = re.compile(r"\bgp_(product|solve|cholesky|sort|argsort|numpy_sort|many)\w*\(")
"""A call of a function that goes through arrays."""

SUPPORT = """
typedef struct {
    int64_t ticks, asked;
} gp_pauses;

/* How many rounds there are until the next time; negative where a handler of a signal has raised. */
static int64_t gp_pause(gp_pauses *own) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t milliseconds = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (!own->ticks) {
        own->ticks = 64;
        own->asked = milliseconds;
        return own->ticks;
    }
    const int64_t passed = milliseconds - own->asked;
    if (passed < 5 && own->ticks < 65536) own->ticks *= 4;
    if (passed > 100) own->ticks = 64;
    if (passed < 20) return own->ticks;
    own->asked = milliseconds;
    const int thread = gp_py.enter();
    const int failed = gp_py.signals();
    gp_py.exit(thread);
    return failed ? -1 : own->ticks;
}

/* Count rounds; whether the program is to end. */
#define GP_PAUSE(rounds) ((gp_ticks -= (rounds)) < 0 && (gp_ticks = gp_pause(&gp_asked)) < 0)
"""
"""Over what `entry` has."""


def pause(lines: Sequence[str]) -> str:
    """The line at the end of a round."""
    return f"if (GP_PAUSE({LONG if has_loops(lines) else 1})) {JUMP}"


def parts(k: str, part: str, end: str, counts: Counter) -> tuple[str, list[str], str]:
    """The head of a loop over parts, the lines at the beginning of a part, and the head of the loop over its rounds."""
    limit, first = counts.end, counts.begin
    begin = [
        f"if ({part}{f' > {first}' if first != '0' else ''} && GP_PAUSE({LONG})) {JUMP}",
        f"const int64_t {end} = {limit} - {part} < {PART} ? {limit} : {part} + {PART};",
    ]
    whole = f"for (int64_t {part} = {first}; {part} < {limit}; {part} += {PART})"
    return whole, begin, f"for (int64_t {k} = {part}; {k} < {end}; {k}++)"


def has_loops(lines: Iterable[str]) -> bool:
    """Whether there are loops in the lines of a round, or calls of functions that have some."""
    return any(LOOP.match(line) or CALL.search(line) for line in lines)


def bounded(value: Value, graph: Graph) -> bool:
    """Whether a number is computed of sizes and constants alone: no loop without loops over it takes long."""
    makers = graph.makers()
    work, seen = [value], set[Value]()
    while work:
        found = work.pop()
        node = makers.get(found)
        if node is None:
            return False
        if node.op in SIZES or found in seen:
            continue
        if node.op not in ARITHMETIC:
            return False
        seen.add(found)
        work += node.inputs
    return True


SIZES = ("dim", "constant")
ARITHMETIC = ("add", "subtract", "multiply", "floor_divide", "maximum", "minimum", "negative")

__all__ = ["INTERRUPTED", "JUMP", "PAUSE", "SUPPORT", "VARIABLES", "bounded", "has_loops", "parts", "pause"]
