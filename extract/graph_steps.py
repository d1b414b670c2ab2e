"""From the graph of a program to the graph that runs: ordered lists of steps, for a runtime and for a compiler."""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.records import dataclass
from graph_program.extract.slice.exchanges import with_exchanges
from graph_program.extract.slice.overlap import with_overlap
from graph_program.extract.transform import FOR_COMPILERS, PASSES, optimize
from graph_program.extract.transform.versions import in_versions

OVERLAP, VERSIONS = "overlap", "versions"
_FEWER = frozenset({"columns", "rows", "parts", "vectors", "vectorize", "fission", "loop_copies", "products", "shifts"})
_FEWER |= {"column_writes", "kept_rows", "taken_slices", "part_reads", "masked_sums", "kept_axes", "shared_products"}
_FEWER |= {"all_places", "borders", "column_reads", "end_bounds"}
_SIDES = frozenset({"if_conversion", "joined_checks", "round_checks", "jump_threading", "overflow_checks"})
_SIDES |= {"check_results", "error_rows", "one_write", "branch_invariants"}
_RECOGNISED = frozenset({"softmax", "layer_norm", "gelu", "recurrent", "gemm"})
FOR_INTERPRETERS = _FEWER | _RECOGNISED | _SIDES
"""Passes that make fewer and larger operations, and fewer branches: what a runtime pays for is each of them."""


@dataclass(frozen=True)
class GraphStep:
    """One step from graph to graph.

    Attributes
    ----------
    name : str
        What it is called; one that only saves time may be left out by it.
    run : callable
        Given the graph, which it may change, and the names of what is left out.
    why : str
        Why it stands where it does.
    """

    name: str
    run: Callable[[GraphProgram, frozenset[str]], GraphProgram]
    why: str


def _in_versions(program: GraphProgram, disabled: frozenset[str]) -> GraphProgram:
    if VERSIONS in disabled:
        return optimize(program, disabled)
    return in_versions(program, lambda version: optimize(version, disabled))


EXCHANGES = GraphStep(
    "exchanges",
    lambda program, disabled: with_exchanges(program),
    "after the passes, which see one by one what a step on the host is sent and what it tells, and what of it is dead",
)

FOR_A_RUNTIME = (
    GraphStep(
        "optimize",
        lambda program, disabled: _in_versions(program, disabled),
        "first: whatever is accepted has its graph by now, so no pass decides about that; "
        "twice (`versions`) where that saves work for numbers which are sizes",
    ),
    EXCHANGES,
    GraphStep(
        OVERLAP,
        lambda program, disabled: program if OVERLAP in disabled else with_overlap(program),
        "last: what is worth being done beside a step is what is then left to do",
    ),
)
"""For onnxruntime, which pays for each operation."""

FOR_A_COMPILER = (
    GraphStep(
        "optimize",
        lambda program, disabled: optimize(program, disabled | FOR_INTERPRETERS, passes=PASSES),
        "without the passes that are for runtimes: a compiler wants loops to be loops, and writes to be writes",
    ),
    EXCHANGES,
    GraphStep(
        "places",
        lambda program, disabled: optimize(program, disabled | FOR_INTERPRETERS, passes=FOR_COMPILERS),
        "last: arrays have places in memory here, and an exchange is one operation that reads them",
    ),
)
"""For machine code, which pays for memory."""


def finished(program: GraphProgram, steps: tuple[GraphStep, ...], disabled: frozenset[str]) -> GraphProgram:
    """The graph behind all steps.

    Parameters
    ----------
    program : GraphProgram
        Stays as it is.
    steps : tuple of GraphStep
        `FOR_A_RUNTIME` or `FOR_A_COMPILER`.
    disabled : frozenset of str
        Names of passes that are left out.
    """
    for step in steps:
        program = step.run(program, disabled)
    return program
