"""Do not carry through a loop what does not change in it, nor the same thing twice; where it is run, it has begun.

x, n1 = loop(while begins) with x = a, n1 = n:         x = loop(while begins) with x = a:
    give begins, add(x, n1), n1                  to        give true, add(x, n)

What nobody has set before, and rounds set to one constant only, does not change either.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.error_numbers import sources
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter, keep_outputs, replace_values


def loop_values(program: GraphProgram) -> None:
    """Remove carried values that never change and carried values that always agree, in place."""
    _LoopValues(program).run()


class _LoopValues(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.op == "loop":
            (body,), begins = node.regions, node.inputs[1]
            while self._drop(node, body):
                pass
            if self.constant_of(begins) is None:
                replace_values(body, {begins: self.constant(np.array(True))})
        return [node]

    def _drop(self, node: Node, body: Graph) -> bool:
        """Drop slots until nothing more is found at first sight; whether any went."""
        replaced: dict[Value, Value] = {}
        slots: dict[tuple[Value, Value], int] = {}
        kept: list[int] = []
        for i, output in enumerate(node.outputs):
            initial, param, result = node.inputs[i + 2], body.inputs[i + 1], body.outputs[i + 1]
            only = self._only(i, node)
            if only is not None:
                initial, result = only, param
            same = slots.setdefault((initial, result), i)
            if result in (param, initial):
                replaced[param] = initial
                self.replace(output, initial)
            elif same != i:
                replaced[param] = body.inputs[same + 1]
                self.replace(output, node.outputs[same])
            else:
                kept.append(i)
        if not replaced:
            return False
        replace_values(body, replaced)
        keep_outputs(node, kept)
        return True

    def _only(self, number: int, loop: Node) -> Value | None:
        """The constant that a carried number is, as it is never another one, whatever stands for what is not set."""
        param, found = loop.regions[0].inputs[number + 1], dict[tuple[str, bytes], Value]()
        work, seen = [loop.inputs[number + 2], loop.regions[0].outputs[number + 1]], {param}
        if param.type.rank or work[1] is param:
            return None
        while work:
            value = work.pop()
            if value in seen:
                continue
            seen.add(value)
            node, constant = self.producer.get(value), self.constant_of(value)
            if constant is not None:
                found[constant.dtype.str, constant.tobytes()] = self.constant(constant)
                continue
            place = node.outputs.index(value) if node is not None else 0
            given = None if node is None else sources(node, place)
            if given is None or node is None or len(found) > 1:
                return None
            work += given
            if node.op == "loop":
                seen.add(node.regions[0].inputs[place + 1])
        return next(iter(found.values())) if len(found) == 1 else None
