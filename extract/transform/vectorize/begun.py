"""Loops inside of a loop that begin unless the program has failed: a round before this one need not have been good.

    loop(k < n) with failed = f:                      loop(k < n) with failed = f:
        loop(j < m, while not failed) ...     to          loop(j < m, while not f) ...
        give ..., failed or bad                           give ..., failed or bad

What a loop gives behind a failure is read by nobody, so it may as well be done.  It ends, as its number of rounds is
that of rounds in which nothing has failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.flag_values import holds_unless_failed
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.vectorize.body import Step
from graph_program.extract.transform.vectorize.maker import INT64_MAX

CONNECTIVES = ("invert", "bitwise_or", "bitwise_and")


def begun(
    rewriter: Rewriter, steps: Sequence[Step], flags: set[Value], counter: Value, before: Mapping[Value, Value]
) -> list[Step]:
    """The steps of a loop's body, of which none waits for flags of the rounds before it that can be left out.

    Parameters
    ----------
    rewriter : Rewriter
    steps : list of Step
    flags : set of Value
        Where one of them is true the program has failed.
    counter : Value
    before : mapping of Value to Value
        What the loop begins with, for what it carries.
    """
    if not any(step.node.op == "loop" for step in steps):
        return list(steps)
    makers = {value: step.node for step in steps for value in step.node.outputs}
    flags_before = {value: initial for value, initial in before.items() if value in flags}
    inside, found = {*makers, *before, counter}, list[Step]()
    for step in steps:
        node = step.node
        if node.op == "loop" and is_fixed(rewriter, node.inputs[0], inside) and _is_told(rewriter, node, flags):
            more, condition = _with(rewriter, node.inputs[1], makers, flags_before)
            found += [Step(one, step.mask) for one in more]
            step = replace(step, node=replace(node, inputs=[node.inputs[0], condition, *node.inputs[2:]]))
        found.append(step)
    return found


def is_fixed(rewriter: Rewriter, value: Value, inside: set[Value]) -> bool:
    """Whether a number is made before a loop, or of such numbers alone, and is not that of a loop without end."""
    known, node = rewriter.integer_of(value), rewriter.producer.get(value)
    if value not in inside or known is not None:
        return known != INT64_MAX
    is_plain = node is not None and not node.regions and node.op != "placeholder"
    return is_plain and node is not None and all(is_fixed(rewriter, operand, inside) for operand in node.inputs)


def _is_told(rewriter: Rewriter, loop: Node, flags: set[Value]) -> bool:
    """Whether nothing but a failure keeps a loop from beginning, or ends it early."""
    known = rewriter.producer.get, rewriter.constant_of
    return all(holds_unless_failed(test, flags, *known) for test in (loop.inputs[1], loop.regions[0].outputs[0]))


def _with(
    rewriter: Rewriter, value: Value, makers: Mapping[Value, Node], instead: Mapping[Value, Value]
) -> tuple[list[Node], Value]:
    """A truth with other ones in the place of some, and the nodes that make it."""
    if value in instead:
        return [], instead[value]
    node = makers.get(value)
    if node is None or node.op not in CONNECTIVES:
        return [], value
    parts = [_with(rewriter, operand, makers, instead) for operand in node.inputs]
    inputs = [operand for _, operand in parts]
    if inputs == node.inputs:
        return [], value
    made = rewriter.like(value)
    return [*(inner for nodes, _ in parts for inner in nodes), replace(node, inputs=inputs, outputs=[made])], made


__all__ = ["begun", "is_fixed"]
