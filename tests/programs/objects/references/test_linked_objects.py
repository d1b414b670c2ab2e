"""Objects that refer to other objects of their class: lists, trees and rings of computed size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

X = np.array([1.5, -2.0, 0.5, -1.0, 1.6])
NUMBERS = tuple((x,) for x in (X, -X, X[:1], np.zeros(3)))
case = Cases()


class Node:
    def __init__(self, value: float):
        self.value = value
        self.next: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.value == other.value

    __hash__ = None


@dataclass
class Tree:
    key: float
    left: Any = None
    right: Any = None
    count: int = 1


@case(*NUMBERS)
def merged_two_by_two(x: Any) -> Any:
    nodes = [Tree(float(v)) for v in x]
    while len(nodes) > 1:
        a, b = nodes.pop(0), nodes.pop(0)
        nodes.append(Tree(a.key + b.key, a, b, a.count + b.count))
    return nodes[0].key, nodes[0].count


@case(*NUMBERS)
def reversed_chain(x: Any) -> Any:
    head = None
    for v in x:
        node = Node(float(v))
        node.next = head
        head = node
    total, node = 0.0, head
    while node is not None:
        node.value *= 2
        total += node.value
        node = node.next
    before, node = None, head
    while node is not None:
        following = node.next
        node.next = before
        before, node = node, following
    values = []
    node = before
    while node is not None:
        values.append(node.value)
        node = node.next
    return total, values


@dataclass
class Link:
    v: float
    next: Any = None


@case(*NUMBERS)
def inserted_in_order(x: Any) -> Any:
    head = Link(-1e9)
    for v in x:
        at = head
        while at.next is not None and at.next.v < v:
            at = at.next
        at.next = Link(float(v), at.next)
    found, link = [], head.next
    while link is not None:
        found.append(link.v)
        link = link.next
    return found


class Plain:
    def __init__(self, v: float):
        self.v = v


@case(*NUMBERS)
def position_of_the_largest(x: Any) -> Any:
    items = [Plain(float(v)) for v in x]
    return items.index(max(items, key=lambda p: p.v))


@case(*NUMBERS)
def search_tree(x: Any) -> Any:
    root = Tree(0.0)
    for v in x:
        node = root
        while True:
            if v == node.key:
                node.count += 1
                break
            if v < node.key:
                if node.left is None:
                    node.left = Tree(float(v))
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(float(v))
                    break
                node = node.right
    stack, seen = [root], []
    while stack:
        node = stack.pop()
        seen.append((node.key, node.count))
        if node.right is not None:
            stack.append(node.right)
        if node.left is not None:
            stack.append(node.left)
    return seen


@case(*NUMBERS)
def union_find(x: Any) -> Any:
    nodes = [Node(float(v)) for v in x]
    for node in nodes:
        node.next = node
    for i in range(len(nodes)):
        if nodes[i].value > 0:
            root = nodes[i]
            while root.next is not root:
                root = root.next
            root.next = nodes[0]
    return [sum(1 for other in nodes if other.next is node) for node in nodes]


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def ring(x: Any) -> Any:
    first = Node(float(x[0]))
    last = first
    for v in x[1:]:
        last.next = Node(float(v))
        last = last.next
    last.next = first
    return first


def test_a_ring_is_given_back() -> None:
    node = first = graph_program(ring)(X)
    values = []
    for _ in X:
        values.append(node.value)
        node = node.next
    assert node is first
    assert values == list(X)


def test_a_long_chain_is_given_back() -> None:
    node = graph_program(ring)(np.arange(3000.0))
    for _ in range(2999):
        node = node.next
    assert node.value == 2999.0


def pair(x: Any) -> Any:
    first, second = Node(float(x[0])), Node(float(x[-1]))
    first.next, second.next = second, first
    return first


def test_two_that_refer_to_each_other_are_given_back() -> None:
    first = graph_program(pair)(X)
    assert first.next.next is first
    assert (first.value, first.next.value) == (X[0], X[-1])


def compared(x: Any) -> Any:
    trees = [Tree(float(v)) for v in x]
    for tree in trees:
        tree.left = trees[0]
    return trees[0] == trees[-1]


def test_equality_without_an_end_is_refused() -> None:
    with pytest.raises(GraphProgramError) as caught:
        graph_program(compared)(X)
    assert caught.value.code == "GP325"
