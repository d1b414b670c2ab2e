"""Rounds in which something happens to one of several kinds, one kind behind the other; which of them is the next."""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.latches import INT64
from graph_program.extract.transform.vectorize.maker import Maker


@dataclass(frozen=True)
class Listed:
    """Rounds, one kind behind the other.

    Attributes
    ----------
    before : Value
        How many there are before each round, and in all, of each kind: so many rows, and one more.
    first : Value
        For each kind, how many those of kinds before it are.
    total : Value
        For each kind, how many its own are.
    kinds : Value
        The kind of each.
    rounds : Value
    """

    before: Value
    first: Value
    total: Value
    kinds: Value
    rounds: Value


def listed(maker: Maker, happens: Value) -> Listed:
    """The rounds in which something happens, for each round and kind."""
    counts = maker.op("cumsum", maker.op("cast", happens, dtype=INT64), axis=0)
    width = happens.type.shape[1].constant
    assert width is not None
    before = maker.op("concatenate", maker.rewriter.constant(np.zeros((1, width), INT64)), counts, axis=0)
    total = maker.op("take", before, maker.constant(-1), axis=0)
    first = maker.op("subtract", maker.op("cumsum", total, axis=0), total)
    places = maker.op("nonzero", maker.op("transpose", happens, perm=(1, 0)))
    kinds, rounds = (maker.op("take", places, maker.constant(axis), axis=0) for axis in (0, 1))
    return Listed(before, first, total, kinds, rounds)


def count_before(maker: Maker, events: Listed, row: Value, kind: Value) -> Value:
    """How many of a kind there are before a round."""
    width = maker.size(events.before.type.shape[1])
    flat = maker.op("reshape", events.before, maker.constant(-1))
    return maker.inside("take", flat, maker.op("add", maker.op("multiply", row, width), kind))


def next_of(maker: Maker, events: Listed, count: Value, kind: Value, nowhere: Value) -> Value:
    """The place of that one of a kind before which there are so many of it; `nowhere` if there is none."""
    is_there = maker.op("less", count, maker.inside("take", events.total, kind))
    place = maker.op("add", count, maker.inside("take", events.first, kind))
    return maker.op("where", is_there, place, nowhere)


__all__ = ["Listed", "count_before", "listed", "next_of"]
