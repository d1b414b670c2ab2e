"""The pipeline: from a live function to a functional graph, one ordered list of steps.

source   text to core tree: the one place where Python's syntax is known
stage    core tree to residual program: names can only be resolved with values in hand, so static
         evaluation, inlining and scalarization are one pass; it needs the types, so it carries them
slice    what only a host can do is cut out of the residual program, and told; before anything is
         optimised, so that acceptance never depends on an optimisation
control  residual program to graph: CFG, SSA, regions; after staging there is nothing left to resolve
transform  graph to graph: rewrites that keep results bit-equal

`STEPS` has them in order, each with the reason why it stands there; steps that nothing depends on but time
may be left out by name.  The steps behind the graph are in `graph_steps`, since a program has several graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from types import FunctionType
from typing import Any

from graph_program.extract import steps
from graph_program.extract.extraction import MERGING, Extraction, ExtractOptions
from graph_program.extract.ir import printer, tree_printer
from graph_program.extract.ir.specs import ArgSpec
from graph_program.extract.records import dataclass
from graph_program.extract.source.load import load_function
from graph_program.extract.stack import deep_stack
from graph_program.extract.steps import Work, extraction_of


@dataclass(frozen=True)
class Step:
    """One step of an extraction.

    Attributes
    ----------
    name : str
    run : callable
        Changes what there is.
    why : str
        Why it stands where it does.
    shows : dict of str to callable
        The stages that are there behind it, by name, with what prints each; None for one that the step prints itself.
    """

    name: str
    run: Callable[[Work], None]
    why: str
    shows: Mapping[str, Callable[[Work], str] | None] = field(default_factory=dict)


STEPS = (
    Step(
        "load",
        steps.load,
        "the only step that knows Python's syntax: sugar is gone behind it",
        {"source": lambda work: tree_printer.print_function(load_function(work.fn))},
    ),
    Step(
        "evaluate",
        steps.evaluate,
        "names can only be resolved with values in hand, and that takes types: static evaluation, inlining, "
        "scalarization and types are one step, and most refusals are its",
    ),
    Step(
        "tell_writes",
        steps.tell_writes,
        "at once, as it evaluates again: only now it is known that host code and an error behind a write are there",
    ),
    Step(
        "unread",
        steps.leave_out_unread,
        "before all that looks at steps on the host: what they tell and nobody reads is no reason for anything",
    ),
    Step(
        "reports",
        steps.leave_out_reports,
        "after `unread`: what only a report needs shows when nobody else reads it",
    ),
    Step(
        "truths",
        steps.take_truths,
        "before `lend`, behind which nobody sees that a truth is given back to the host as it came",
    ),
    Step(
        "lend",
        steps.lend,
        "last of what makes the program as `explain` shows it; what is not sent does not cross",
        {"stage": lambda work: printer.print_residual(work.program)},
    ),
    Step(
        "complex_parts",
        steps.part_complex,
        "behind the program as it was written, which has complex numbers; everything after it is real",
    ),
    Step(
        "crossings",
        steps.tell_crossings,
        "while the steps on the host are those of the program's lines, and before anything that only saves time: "
        "what is refused must not depend on that",
    ),
    Step(
        "bfloat16",
        steps.widen_bfloat16,
        "after `crossings`, which tells the types that the program has; no graph computes in bfloat16",
    ),
    Step(
        "name_steps",
        steps.name_steps,
        "names are of the program's variables: before `merge_host_steps`, which puts those of several steps together",
    ),
    Step(
        MERGING,
        steps.merge_steps,
        "after `crossings`, whose places are of single steps; it says which number each of them has then",
    ),
    Step(
        "hold_objects",
        steps.hold_objects,
        "after `merge_host_steps`: names end behind the steps that are left",
    ),
    Step(
        "size_tests",
        steps.test_sizes,
        "before `structure`, which leaves out the checks that these tests are in place of",
    ),
    Step(
        "libraries",
        steps.part_from_libraries,
        "last of what is done to both: what is behind this is done for each graph that somebody asks for",
    ),
    Step(
        "structure",
        steps.structure,
        "when nothing is left to resolve or to cut: early exits become values, and each `if` and loop has one way in "
        "and one way out",
        {"cfg": None, "ssa": None, "regions": None, "graph": lambda work: printer.print_graph(work.graph)},
    ),
    Step(
        "finish",
        steps.finish,
        "last: whatever is accepted is accepted by now; `graph_steps` has its own steps, which are done when somebody "
        "asks for what runs",
        {"optimized": lambda work: printer.print_graph(work.runs.get())},
    ),
)
"""All steps in order."""

STAGES = tuple(name for step in STEPS for name in step.shows)
"""What `explain` shows, in order."""


def extract(
    fn: FunctionType,
    specs: Mapping[str, ArgSpec],
    *,
    values: Mapping[str, Any] | None = None,
    options: ExtractOptions | None = None,
    explain: bool = False,
) -> Extraction:
    """Extract a function for one set of argument types.

    Parameters
    ----------
    fn : function
        The user's function, undecorated.
    specs : mapping of str to ArgSpec
        The type of every argument, by parameter name.
    values : mapping, optional
        The arguments themselves, for number parameters that the program needs statically.
    options : ExtractOptions, optional
    explain : bool
        Keep the text of every stage.

    Raises
    ------
    GraphProgramError
        Where the program has no graph form; nothing has been run.
    """
    work = Work(fn, specs, values, options or ExtractOptions(), explain)
    with deep_stack(fn):
        for step in STEPS:
            step.run(work)
            for name, printed in step.shows.items():
                if explain and printed is not None:
                    work.keep(name, printed(work))
    return extraction_of(work)
