"""Transform: graph to graph, same results bit for bit."""

from __future__ import annotations

from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.passes import Hook, Pass, run_passes
from graph_program.extract.transform.all_places import all_places
from graph_program.extract.transform.borders import borders
from graph_program.extract.transform.branch_invariants import branch_invariants
from graph_program.extract.transform.cases import cases
from graph_program.extract.transform.check_results import check_results
from graph_program.extract.transform.column_reads import column_reads
from graph_program.extract.transform.column_writes import column_writes
from graph_program.extract.transform.columns import columns
from graph_program.extract.transform.counters import counters
from graph_program.extract.transform.cse import cse
from graph_program.extract.transform.dce import dce
from graph_program.extract.transform.end_bounds import end_bounds
from graph_program.extract.transform.equal_elements import equal_elements
from graph_program.extract.transform.error_arguments import error_arguments
from graph_program.extract.transform.error_rows import error_rows
from graph_program.extract.transform.exit_reads import exit_reads
from graph_program.extract.transform.exit_values import exit_values
from graph_program.extract.transform.fission import fission
from graph_program.extract.transform.flags import flags
from graph_program.extract.transform.fold import fold
from graph_program.extract.transform.gelu import gelu
from graph_program.extract.transform.gemm import gemm
from graph_program.extract.transform.hoist import hoist
from graph_program.extract.transform.if_conversion import if_conversion
from graph_program.extract.transform.joined_checks import joined_checks
from graph_program.extract.transform.joined_truths import joined_truths
from graph_program.extract.transform.jump_threading import jump_threading
from graph_program.extract.transform.kept_arrays import kept_arrays
from graph_program.extract.transform.kept_axes import kept_axes
from graph_program.extract.transform.kept_rows import kept_rows
from graph_program.extract.transform.known_sizes import known_sizes
from graph_program.extract.transform.layer_norm import layer_norm
from graph_program.extract.transform.loop_checks import loop_checks
from graph_program.extract.transform.loop_copies import loop_copies
from graph_program.extract.transform.loop_elements import loop_elements
from graph_program.extract.transform.loop_sizes import loop_sizes
from graph_program.extract.transform.loop_slices import loop_slices
from graph_program.extract.transform.loop_values import loop_values
from graph_program.extract.transform.masked_sums import masked_sums
from graph_program.extract.transform.masks import masks
from graph_program.extract.transform.nested_counters import nested_counters
from graph_program.extract.transform.one_write import one_write
from graph_program.extract.transform.outer_values import outer_values
from graph_program.extract.transform.overflow_checks import overflow_checks
from graph_program.extract.transform.part_reads import part_reads
from graph_program.extract.transform.parts import parts
from graph_program.extract.transform.products import products
from graph_program.extract.transform.ranges import ranges
from graph_program.extract.transform.recurrent import recurrent
from graph_program.extract.transform.rewrite import copy_program
from graph_program.extract.transform.round_checks import round_checks
from graph_program.extract.transform.rounds import rounds
from graph_program.extract.transform.rows import rows
from graph_program.extract.transform.same_sizes import same_sizes
from graph_program.extract.transform.shared_products import shared_products
from graph_program.extract.transform.shifts import shifts
from graph_program.extract.transform.simplify import simplify
from graph_program.extract.transform.sink import sink
from graph_program.extract.transform.sizes import sizes
from graph_program.extract.transform.slice_sizes import slice_sizes
from graph_program.extract.transform.softmax import softmax
from graph_program.extract.transform.stored import stored
from graph_program.extract.transform.taken_slices import taken_slices
from graph_program.extract.transform.unswitch import unswitch
from graph_program.extract.transform.vector_products import vector_products
from graph_program.extract.transform.vectorize import vectorize
from graph_program.extract.transform.vectors import vectors

__all__ = ["FOR_COMPILERS", "PASSES", "optimize"]

PASSES: tuple[Pass, ...] = (
    Pass("dce", dce),  # less for the others to look at
    Pass("sizes", sizes),  # leaves what only gave a shape dead
    Pass("slice_sizes", slice_sizes),  # before ranges, which decides comparisons of what is now one number
    Pass("nested_counters", nested_counters),  # before ranges, which then knows what they come to
    Pass("overflow_checks", overflow_checks),  # before ranges, which knows more of bounds than of floats
    Pass("ranges", ranges),  # before fold, which leaves out the branches that this decides
    Pass("rounds", rounds),  # before fold, which computes what the one round's counter decides
    Pass("fold", fold),
    Pass("known_sizes", known_sizes),  # of the numbers that fold has computed, for its second round
    Pass("simplify", simplify),
    Pass("outer_values", outer_values),  # before loop_values, to which it shows what does not change
    Pass("cse", cse),  # shows which carried values are the same
    Pass("same_sizes", same_sizes),  # of operands that cse has found to be the same
    Pass("loop_values", loop_values),  # shows what is invariant
    Pass("hoist", hoist),
    Pass("loop_sizes", loop_sizes),  # before ranges, which compares sizes
    Pass("counters", counters),  # after hoist, which shows what does not change; before all that asks for rounds
    Pass("unswitch", unswitch),  # so, too; before loop_checks, to which it shows what stands in branches
    Pass("flags", flags),  # so, too
    Pass("loop_checks", loop_checks),  # after hoist, too
    Pass("rounds", rounds),  # of numbers that fold has computed
    Pass("ranges", ranges),  # of sizes that are known by now
    Pass("fold", fold),
    Pass("flags", flags),  # of arrays whose sizes are known before their loops by now
    Pass("round_checks", round_checks),  # of what is then left to check, which differs from round to round
    Pass("jump_threading", jump_threading),  # of what follows the checks that now stand before loops
    Pass("fold", fold),  # of the branches that this decides
    Pass("outer_values", outer_values),  # what the failing side does not need is dead
    Pass("dce", dce),
    Pass("columns", columns),  # makes rows of them
    Pass("rows", rows),  # before branches go, while types hold wherever something is computed
    Pass("loop_checks", loop_checks),  # of what was an element of an array and is carried now
    Pass("ranges", ranges),  # of what a loop begins with
    Pass("fold", fold),
    Pass("stored", stored),  # of the rows that are written then
    Pass("part_reads", part_reads),  # of rows that loops have collected, behind others
    Pass("masks", masks),  # while types hold, and checks of how many elements there are have been decided
    Pass("products", products),  # while types hold, too; hoist takes out of all loops what it transposes
    Pass("one_write", one_write),  # makes branches of numbers of them, before what converts those
    Pass("if_conversion", if_conversion),  # after folding, which decides what can be decided now
    Pass("joined_checks", joined_checks),  # of the branches that are left
    Pass("outer_values", outer_values),  # so, too
    Pass("simplify", simplify),
    Pass("cse", cse),
    Pass("softmax", softmax),  # after cse, which shows that both read the same terms
    Pass("vectors", vectors),  # after cse, which shows that operations have the same operands
    Pass("vector_products", vector_products),  # of what vectors has put together
    Pass("parts", parts),  # so, too
    Pass("hoist", hoist),  # what stood behind checks
    Pass("fold", fold),  # before loop_values: conditions that always hold
    Pass("loop_values", loop_values),
    Pass("simplify", simplify),  # flags that loops need not carry
    Pass("cases", cases),  # so, too, before loop_values leaves out what nobody asks for then
    Pass("error_arguments", error_arguments),  # after cases, which says what the error's number is
    Pass("exit_reads", exit_reads),  # of what is then left of errors
    Pass("outer_values", outer_values),  # what one side gives is given in any case then
    Pass("equal_elements", equal_elements),  # of first rounds, whose checks stand before their loops by now
    Pass("exit_values", exit_values),  # after simplify, which makes `where` of branches that only choose
    Pass("loop_copies", loop_copies),  # after cse, which shows that numbers of rounds are the same
    Pass("masked_sums", masked_sums),  # before dce, as what is dead then has no form for all rounds at once
    Pass("dce", dce),  # what nobody reads keeps no loop
    Pass("error_arguments", error_arguments),  # of loops behind which nobody carries them any more
    Pass("loop_slices", loop_slices),  # shows sums of parts of arrays
    Pass("loop_elements", loop_elements),  # and of elements
    Pass("flags", flags),  # of numbers of rounds that are sums by now
    Pass("vectorize", vectorize),  # of what is then left in loops
    Pass("sizes", sizes),  # that all rounds share
    Pass("known_sizes", known_sizes),
    Pass("fold", fold),
    Pass("simplify", simplify),
    Pass("stored", stored),  # of elements that loops carried, and of what stood in either side of a branch
    Pass("shifts", shifts),  # of indices that other passes have put together; before cse, as they come to others
    Pass("taken_slices", taken_slices),  # of places that shifts has made one number and 0, 1, ...
    Pass("all_places", all_places),  # so, too
    Pass("cse", cse),
    Pass("loop_values", loop_values),
    Pass("recurrent", recurrent),  # of loops that are left
    Pass("kept_rows", kept_rows),  # so, too; before fission, which makes rows of what is appended
    Pass("fission", fission),  # of those that are then left
    Pass("end_bounds", end_bounds),  # before borders, which knows parts by their numbers
    Pass("borders", borders),  # before hoist, which takes out what this cuts out of what a loop around carries
    Pass("column_reads", column_reads),  # so, too; before hoist, which takes out of all loops what it transposes
    Pass("column_writes", column_writes),  # of all rows, which the rounds of loops have written one by one
    Pass("hoist", hoist),  # what the array operations of loops inside of others have in common
    Pass("dce", dce),  # what the loops need no more
    Pass("ranges", ranges),  # of rows of loops that had been in branches
    Pass("joined_checks", joined_checks),  # of those that loops between them had kept apart
    Pass("fold", fold),
    Pass("simplify", simplify),
    Pass("outer_values", outer_values),  # of branches whose sides have come to give the same
    Pass("layer_norm", layer_norm),  # forms are recognised last: the vectoriser makes array operations of their terms
    Pass("gelu", gelu),
    Pass("shared_products", shared_products),  # before gemm, which takes in what is added to them
    Pass("gemm", gemm),
    Pass("kept_axes", kept_axes),  # after them, as they know what is put back behind reductions
    Pass("error_arguments", error_arguments),  # of errors that checks have turned out not to tell
    Pass("loop_values", loop_values),  # so that loops need not carry them
    Pass("check_results", check_results),  # shows error_rows what is told by checks that were asked at once
    Pass("dce", dce),  # of what was chosen
    Pass("error_rows", error_rows),  # last: all others know a check by its branch, and its tests by their operations
    Pass("branch_invariants", branch_invariants),  # so, too, where branches stand in loops
    Pass("cse", cse),  # of tests that it has turned round, and of sizes that stood in several branches
    Pass("joined_truths", joined_truths),  # behind all that know a check by how its tests are joined
    Pass("dce", dce),
)
"""All passes in order; the second round sees what the first has laid bare."""

FOR_COMPILERS: tuple[Pass, ...] = (
    Pass("sink", sink),  # of what is left
    Pass("kept_arrays", kept_arrays),  # last: other passes know an unset value by its node
    Pass("loop_values", loop_values),  # what is then carried twice, or not read
    Pass("dce", dce),
)
"""Passes for code in which arrays have places in memory, behind all others."""


def optimize(
    program: GraphProgram,
    disabled: frozenset[str] = frozenset(),
    hook: Hook = lambda name, program: None,
    passes: tuple[Pass, ...] | None = None,
) -> GraphProgram:
    """A program that computes the same with less work; `program` is left as it is.

    Parameters
    ----------
    program : GraphProgram
    disabled : frozenset of str
        Names of passes that are not run.
    hook : callable
        Called as `hook(name, program)` behind each pass.
    passes : tuple of Pass, optional
        `PASSES` by default.
    """
    result = copy_program(program)
    run_passes(result, PASSES if passes is None else passes, disabled, hook)
    return result
