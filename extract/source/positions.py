"""Where each node of a libcst module stands: line (from 1), column (from 0), end line, end column.

libcst keeps no positions; its `PositionProvider` finds them by writing the module out and counting.
This does the same about four times faster: no regular expression per token, no object per span.
Columns count characters, a tab is one.  As in Python's own positions, the parentheses around an
expression do not belong to it.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

Span = tuple[int, int, int, int]


def spans_of(module: cst.Module) -> dict[cst.CSTNode, Span]:
    """The span of every node of `module`."""
    state = _CountingState(module.default_indent, module.default_newline)
    module._codegen(state)
    return state.spans


class _CountingState(CodegenState):
    """Receives the module's tokens and keeps only where it is."""

    def __init__(self, indent: str, newline: str) -> None:
        super().__init__(indent, newline)
        self.line = 1
        self.column = 0
        self.spans: dict[cst.CSTNode, Span] = {}
        self.starts: list[tuple[int, int]] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def add_token(self, value: str) -> None:
        if "\n" in value:
            self.line += value.count("\n")
            self.column = len(value) - value.rfind("\n") - 1
        else:
            self.column += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.starts.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        line, column = self.starts.pop()
        if node not in self.spans:
            self.spans[node] = (line, column, self.line, self.column)

    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Any:
        return _Recording(self, node, start_node, end_node)

    def pop_trailing_newline(self) -> None:
        """Nothing is kept, so nothing is to be taken back."""


class _Recording:
    """The part of the writing out that is the node itself, without the space around it."""

    __slots__ = ("column", "end", "line", "node", "start", "state")

    def __init__(
        self,
        state: _CountingState,
        node: cst.CSTNode,
        start: cst.CSTNode | None,
        end: cst.CSTNode | None,
    ) -> None:
        self.state = state
        self.node = node
        self.start = start
        self.end = end

    def __enter__(self) -> None:
        self.line = self.state.line
        self.column = self.state.column

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            return
        state = self.state
        begin = (self.line, self.column) if self.start is None else state.spans[self.start][:2]
        finish = (state.line, state.column) if self.end is None else state.spans[self.end][2:]
        state.spans[self.node] = (*begin, *finish)
