"""Which variables are live at the ends of each block."""

from __future__ import annotations

from graph_program.extract.control.cfg import BasicBlock, Cfg, reverse_postorder, variables
from graph_program.extract.ir.residual import Copy
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Liveness:
    """Live variables of each reachable block.

    Attributes
    ----------
    entry : dict
        Live on entry, parameters that the block has included.
    exit : dict
        Live behind the last operation: read by the terminator's edges or later, not by its test.
    """

    entry: NameSets
    exit: NameSets


class NameSets(dict[int, frozenset[str]]):
    """Sets of variables by block, each written out from its bits when it is asked for."""

    def __init__(self, masks: dict[int, int], names: list[str]):
        super().__init__()
        self._masks = masks
        self._names = names

    def __missing__(self, block: int) -> frozenset[str]:
        self[block] = found = _names(self._masks[block], self._names)
        return found


def liveness(cfg: Cfg) -> Liveness:
    """Solve the usual backward equations, with a bit per variable."""
    numbers: dict[str, int] = {}

    def bits(names: list[str]) -> int:
        result = 0
        for name in names:
            result |= 1 << numbers.setdefault(name, len(numbers))
        return result

    order = reverse_postorder(cfg)[::-1]
    reads, writes, passed = {}, {}, {}
    for number in order:
        block = cfg.blocks[number]
        used, defined = _summary(block)
        reads[number], writes[number] = bits(used), bits(defined)
        passed[number] = bits(variables(arg for edge in block.terminator.edges for arg in edge.args))
    bound = {number: bits([*cfg.blocks[number].params, *cfg.blocks[number].counters]) for number in order}
    live_in = dict.fromkeys(order, 0)
    live_out = dict.fromkeys(order, 0)
    changed = True
    while changed:
        changed = False
        for number in order:
            out = passed[number]
            for target in cfg.blocks[number].successors:
                out |= live_in[target] & ~bound[target]
            new = reads[number] | (out & ~writes[number])
            live_out[number] = out
            if new != live_in[number]:
                live_in[number] = new
                changed = True
    names = list(numbers)
    entry = {number: live_in[number] | bound[number] for number in order}
    return Liveness(NameSets(entry, names), NameSets(live_out, names))


def _summary(block: BasicBlock) -> tuple[list[str], list[str]]:
    """Variables read before they are written in the block, and variables written."""
    used: dict[str, None] = {}
    defined: dict[str, None] = {}
    for item in block.body:
        operands = item.sources if isinstance(item, Copy) else item.args
        used.update((name, None) for name in variables(operands) if name not in defined)
        defined.update(dict.fromkeys(item.targets if isinstance(item, Copy) else [item.target]))
    read_last = [
        *variables(block.terminator.operands),
        *variables(arg for edge in block.terminator.edges for arg in edge.args),
    ]
    used.update((name, None) for name in read_last if name not in defined)
    return list(used), list(defined)


def _names(mask: int, names: list[str]) -> frozenset[str]:
    found = []
    while mask:
        lowest = mask & -mask
        found.append(names[lowest.bit_length() - 1])
        mask ^= lowest
    return frozenset(found)
