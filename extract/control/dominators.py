"""Dominators and natural loops of a control flow graph.

Immediate dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001);
dominance frontiers by the same.  All functions are iterative: blocks may be many.
"""

from __future__ import annotations

from graph_program.extract.control.cfg import Cfg, predecessors, reverse_postorder


class Dominators:
    """The dominator tree of the reachable blocks.

    Attributes
    ----------
    order : list of int
        Blocks in reverse postorder.
    rank : dict
        The position of each block in `order`.
    parent : dict
        The immediate dominator of each block but the entry.
    children : dict
        Blocks immediately dominated by each block, in reverse postorder.
    predecessors : dict
        One entry per edge, from reachable blocks only.
    """

    def __init__(self, cfg: Cfg):
        self.order = reverse_postorder(cfg)
        self.rank = {block: i for i, block in enumerate(self.order)}
        sources = predecessors(cfg)
        self.predecessors = {b: [p for p in sources[b] if p in self.rank] for b in self.order}
        self.parent = self._immediate()
        self.children: dict[int, list[int]] = {block: [] for block in self.order}
        for block in self.order[1:]:
            self.children[self.parent[block]].append(block)
        self._span = self._number()

    def dominates(self, a: int, b: int) -> bool:
        """Whether every path from the entry to `b` passes `a` (a block dominates itself)."""
        return self._span[a][0] <= self._span[b][0] and self._span[b][1] <= self._span[a][1]

    def frontiers(self) -> dict[int, set[int]]:
        """For each block the joins where its dominance ends."""
        found: dict[int, set[int]] = {block: set() for block in self.order}
        for block in self.order:
            if len(self.predecessors[block]) < 2 and block != self.order[0]:
                continue
            for runner in self.predecessors[block]:
                while runner != self.parent.get(block):
                    found[runner].add(block)
                    if runner not in self.parent:
                        break
                    runner = self.parent[runner]
        return found

    def loops(self) -> dict[int, set[int]]:
        """The blocks of the natural loop of each head, loops with one head taken together."""
        found: dict[int, set[int]] = {}
        for block in self.order:
            latches = [p for p in self.predecessors[block] if self.dominates(block, p)]
            if latches:
                found[block] = self._reaching(latches, block)
        return found

    def _reaching(self, latches: list[int], head: int) -> set[int]:
        members, work = {head}, list(latches)
        while work:
            block = work.pop()
            if block not in members:
                members.add(block)
                work += self.predecessors[block]
        return members

    def _immediate(self) -> dict[int, int]:
        rank = self.rank
        parent = {self.order[0]: self.order[0]}
        changed = True
        while changed:
            changed = False
            for block in self.order[1:]:
                known = [p for p in self.predecessors[block] if p in parent]
                new = known[0]
                for other in known[1:]:
                    while new != other:
                        if rank[new] > rank[other]:
                            new = parent[new]
                        else:
                            other = parent[other]
                if parent.get(block) != new:
                    parent[block] = new
                    changed = True
        del parent[self.order[0]]
        return parent

    def _number(self) -> dict[int, tuple[int, int]]:
        span: dict[int, tuple[int, int]] = {}
        enter: dict[int, int] = {}
        clock = 0
        stack = [(self.order[0], False)]
        while stack:
            block, done = stack.pop()
            clock += 1
            if done:
                span[block] = (enter[block], clock)
                continue
            enter[block] = clock
            stack.append((block, True))
            stack += [(child, False) for child in reversed(self.children[block])]
        return span
