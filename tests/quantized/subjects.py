"""Programs that are quantized: networks inside of loops and branches, with integers and decisions around."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from graph_program import Float32, Int64, Tensor, graph_program

RANDOM = np.random.default_rng(0)


def normal(*shape: int, scale: float = 1.0) -> Any:
    """Random float32."""
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


INPUTS, STATE = 32, 16
FROM_INPUT, FROM_STATE = normal(4 * STATE, INPUTS, scale=0.3), normal(4 * STATE, STATE, scale=0.3)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def cell(x: Any, h: Any, c: Any) -> Any:
    z = FROM_INPUT @ x + FROM_STATE @ h  # gates
    i, f, g, o = z[:STATE], z[STATE : 2 * STATE], z[2 * STATE : 3 * STATE], z[3 * STATE :]
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@graph_program
def recurrent(xs: Float32[Tensor, "time 32"]) -> Any:
    """A branch in a loop, and a number of rounds that depends on what is computed."""
    h, c = np.zeros(STATE, np.float32), np.zeros(STATE, np.float32)
    states = np.zeros((xs.shape[0], STATE), np.float32)
    k = 0
    while k < xs.shape[0] and h.sum() < 100:
        if k % 3 != 2:
            h, c = cell(xs[k], h, c)
        states[k] = h
        k += 1
    return states, k


WORDS, MIXED, COUNTS = normal(40, 64), normal(64, 64, scale=0.1), np.arange(4096).reshape(64, 64)


def looked_up(words: Any, m: int) -> Any:
    """A loop in a loop; rows of a table, and integers that are looked up in the same way."""
    x, total = np.zeros(64, np.float32), 0
    for word in words:
        x = np.tanh(x + WORDS[word])  # row
        for k in range(m):
            if k % 2 == 0:
                x = np.tanh(MIXED @ x)  # mixed
        total += COUNTS[word % 64].sum() + (COUNTS @ COUNTS)[word % 64, 3]
    return x, total


counted = graph_program(looked_up)


@graph_program
def attentive(x: Float32[Tensor, "n 64"]) -> Any:
    return (x @ MIXED) @ (x @ MIXED.T).T, MIXED @ x.T  # products


TOKENS: Any = np.array([3, 39, 17], np.int64)
XS = normal(9, INPUTS)


@graph_program
def wide(x: Float32[Tensor, "n 16"]) -> Any:
    return x.astype(np.float64) @ FROM_STATE.T.astype(np.float64)  # here


@graph_program
def plain(n: Int64[Tensor, "n"]) -> Any:
    return n * 2


# ---------------------------------------------------------------- models


def nodes_of(path: Path) -> list[onnx.NodeProto]:
    """All nodes of a file, those in bodies included."""
    return list(_nodes(onnx.load(path).graph))


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == attribute.GRAPH:
                yield from _nodes(attribute.g)


def operators(path: Path) -> Counter[str]:
    """How often each operator stands in a file."""
    return Counter(node.op_type for node in nodes_of(path))


def line(mark: str) -> str:
    """The line of this file with a mark, as files and messages name it."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return f"subjects.py:{next(k for k, text in enumerate(lines, 1) if text.endswith(f'# {mark}'))}"
