"""Whether the round that ends a loop sets what the loop carries, whatever it was before.

    loop(...) with arg = none, ...:
        give not bad, where(bad, k, arg), ...           where `not bad` does not hold, `arg` is k

What is only told with an error is handed on by choices and loops.  Where it begins with nothing, what a loop inside
gives is no older value either.
"""

from __future__ import annotations

from collections.abc import Mapping

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.transform.truths import Truths


def is_set_at_end(makers: dict[Value, Node], loop: Node, place: int, unset: set[Value]) -> bool:
    """Whether the last round of a loop that ends early sets what it carries in a place, and hands it on in no other.

    Parameters
    ----------
    makers : dict of Value to Node
    loop : Node
    place : int
    unset : set of Value
        What begins with nothing, and what loops inside give that may have no round; see `never_set`.
    """
    (body,) = loop.regions
    truths, given = Truths(makers).where(body.outputs[0], False), loop.inputs[place + 2]
    node = makers.get(given)
    is_unset = given in unset or (node is not None and node.op == "placeholder")
    known = unset if is_unset else None
    return all(_sets(output, body.inputs[place + 1], truths, known) for output in body.outputs[1:])


def never_set(graph: Graph) -> set[Value]:
    """What loops carry that begins with nothing, through all loops around."""
    makers, found = graph.makers(), set[Value]()
    for node in graph.walk():
        if node.op != "loop":
            continue
        for given, parameter in zip(node.inputs[2:], node.regions[0].inputs[1:], strict=True):
            maker = makers.get(given)
            if given in found or (maker is not None and maker.op == "placeholder"):
                found.add(parameter)
    return found


def _sets(value: Value, before: Value, truths: Truths, unset: set[Value] | None) -> bool:
    """Whether a value is not what it was before, where some truths hold; `unset` where that began with nothing."""
    node = truths.makers.get(value)
    if value is before or node is None:
        return value is not before
    place = node.outputs.index(value)
    if unset is not None and value in unset:
        return True
    if node.op in ("where", "if") and not node.inputs[0].type.rank:
        sides = node.inputs[1:] if node.op == "where" else [region.outputs[place] for region in node.regions]
        known = truths.truth(node.inputs[0])
        ways = (True, False) if known is None else (known,)
        return all(_sets(sides[not way], before, truths.where(node.inputs[0], way), unset) for way in ways)
    if unset is not None:
        return True  # a loop inside, or what has become of it
    if node.op == "loop":
        return _sets(node.inputs[place + 2], before, truths, unset)
    return not _reads(node, before, truths.makers)


def _reads(node: Node, before: Value, makers: Mapping[Value, Node]) -> bool:
    """Whether an operation is made of a value."""
    work, seen = [node], set[Node]()
    while work:
        one = work.pop()
        if one in seen:
            continue
        seen.add(one)
        given = [*one.inputs, *(value for region in one.regions for value in region.outputs)]
        if before in given:
            return True
        work += [makers[value] for value in given if value in makers]
    return False


__all__ = ["is_set_at_end", "never_set"]
