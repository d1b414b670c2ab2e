"""Programs with data structures in arrays: a heap, a table of hashes; plain functions that numba takes, too."""

from __future__ import annotations

from typing import Any

import numpy as np


def a_star(cost):  # type: ignore[no-untyped-def]
    """The cheapest way through a grid by A*, with a binary heap in arrays; the bound is the distance left."""
    height, width = cost.shape
    cells = height * width
    best = np.full(cells, np.inf)
    best[0] = cost[0, 0]
    keys = np.zeros(4 * cells + 1)
    items = np.zeros(4 * cells + 1, np.int64)
    count = 1
    while count > 0:
        here = items[0]
        if here == cells - 1:
            break
        known = keys[0] - (height - 1 - here // width) - (width - 1 - here % width)
        count -= 1
        key, item = keys[count], items[count]
        place = 0
        while 2 * place + 1 < count:
            child = 2 * place + 1
            if child + 1 < count and keys[child + 1] < keys[child]:
                child += 1
            if keys[child] >= key:
                break
            keys[place], items[place] = keys[child], items[child]
            place = child
        keys[place], items[place] = key, item
        if known <= best[here] + 1e-9:
            y, x = here // width, here % width
            for k in range(4):
                v = y + (k == 0) - (k == 1)
                u = x + (k == 2) - (k == 3)
                if 0 <= v < height and 0 <= u < width:
                    there = v * width + u
                    way = best[here] + 1 + cost[v, u]
                    if way < best[there]:
                        best[there] = way
                        key = way + (height - 1 - v) + (width - 1 - u)
                        place = count
                        count += 1
                        while place > 0 and keys[(place - 1) // 2] > key:
                            parent = (place - 1) // 2
                            keys[place], items[place] = keys[parent], items[parent]
                            place = parent
                        keys[place], items[place] = key, there
    return best[cells - 1]


def lz_packed(data):  # type: ignore[no-untyped-def]
    """Bytes as literals and copies of what was there before (LZ77), with a table of the last place of each hash."""
    n = len(data)
    table = np.full(4096, -1, np.int64)
    packed = np.zeros(2 * n + 2, np.uint8)
    size, at = 0, 0
    while at < n:
        length, back = 0, 0
        if at + 3 < n:
            word = int(data[at]) | int(data[at + 1]) << 8 | int(data[at + 2]) << 16
            slot = (word * 2654435761 >> 12) & 4095
            before = table[slot]
            table[slot] = at
            if before >= 0 and at - before < 256:
                while length < 255 and at + length < n and data[before + length] == data[at + length]:
                    length += 1
                back = at - before
        if length >= 4:
            packed[size], packed[size + 1] = back, length
            size += 2
            at += length
        else:
            packed[size], packed[size + 1] = 0, data[at]
            size += 2
            at += 1
    return packed[:size].copy()


def lz_unpacked(packed, n):  # type: ignore[no-untyped-def]
    """The bytes again."""
    data = np.zeros(n, np.uint8)
    at = 0
    for k in range(0, len(packed), 2):
        back, value = int(packed[k]), int(packed[k + 1])
        if back == 0:
            data[at] = value
            at += 1
        else:
            for _ in range(value):
                data[at] = data[at - back]
                at += 1
    return data


def cases(seed: int = 4) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The programs with arguments that a seed gives."""
    random = np.random.default_rng(seed)
    words = [random.integers(97, 123, 6).astype(np.uint8) for _ in range(12)]
    text = np.concatenate([words[k] for k in random.integers(0, len(words), 700)])
    return {
        "A*": (a_star, (random.random((40, 40)),)),
        "LZ, packing": (lz_packed, (text,)),
        "LZ, unpacking": (lz_unpacked, (lz_packed(text), len(text))),
    }
