"""Loops over signals, points and boxes as users write them first, of arrays of which nothing is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def iou(a: Any, b: Any) -> Any:
    """How much each of some boxes overlaps each of others."""
    out = np.zeros((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            x1 = max(a[i, 0], b[j, 0])
            y1 = max(a[i, 1], b[j, 1])
            x2 = min(a[i, 2], b[j, 2])
            y2 = min(a[i, 3], b[j, 3])
            inter = max(0.0, x2 - x1) * max(0.0, y2 - y1)
            ua = (a[i, 2] - a[i, 0]) * (a[i, 3] - a[i, 1]) + (b[j, 2] - b[j, 0]) * (b[j, 3] - b[j, 1]) - inter
            out[i, j] = inter / ua if ua > 0 else 0.0
    return out


def knn(train: Any, query: Any, labels: Any, k: Any) -> Any:
    """The class of most of the nearest points."""
    res = np.zeros(len(query), np.int64)
    for q in range(len(query)):
        d = np.zeros(len(train))
        for i in range(len(train)):
            d[i] = (train[i, 0] - query[q, 0]) ** 2 + (train[i, 1] - query[q, 1]) ** 2
        order = np.argsort(d, kind="stable")
        votes = np.zeros(5, np.int64)
        for i in range(k):
            votes[labels[order[i]]] += 1
        res[q] = np.argmax(votes)
    return res


def dtw(a: Any, b: Any) -> Any:
    """The distance of two signals, warped in time."""
    n, m = (len(a), len(b))
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            c = abs(a[i - 1] - b[j - 1])
            D[i, j] = c + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


def autocorr(x: Any, lags: Any) -> Any:
    """A signal multiplied with itself, shifted."""
    n = len(x)
    out = np.zeros(lags)
    for lag in range(lags):
        s = 0.0
        for i in range(n - lag):
            s += x[i] * x[i + lag]
        out[lag] = s / n
    return out


def moving_max(x: Any, w: Any) -> Any:
    """The greatest of the last elements."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        lo = max(0, i - w + 1)
        out[i] = np.max(x[lo : i + 1])
    return out


def peaks(x: Any, thr: Any, dist: Any) -> Any:
    """Peaks that are apart."""
    found = []
    last = -dist
    for i in range(1, len(x) - 1):
        if x[i] > x[i - 1] and x[i] >= x[i + 1] and (x[i] > thr) and (i - last >= dist):
            found.append(i)
            last = i
    return found


def rle(x: Any) -> Any:
    """Runs of equal elements."""
    vals = []
    cnt = []
    i = 0
    while i < len(x):
        j = i
        while j < len(x) and x[j] == x[i]:
            j += 1
        vals.append(x[i])
        cnt.append(j - i)
        i = j
    return (vals, cnt)


def hysteresis(x: Any, hi: Any, lo: Any) -> Any:
    """A switch with two thresholds."""
    on = False
    out = np.zeros(len(x), bool)
    for i in range(len(x)):
        if on:
            if x[i] < lo:
                on = False
        elif x[i] > hi:
            on = True
        out[i] = on
    return out


def inside(points: Any, poly: Any) -> Any:
    """Which points a polygon has inside."""
    res = np.zeros(len(points), bool)
    for k in range(len(points)):
        x, y = (points[k, 0], points[k, 1])
        odd = False
        j = len(poly) - 1
        for i in range(len(poly)):
            if (poly[i, 1] > y) != (poly[j, 1] > y):  # noqa: SIM102  (as it is often written)
                if x < (poly[j, 0] - poly[i, 0]) * (y - poly[i, 1]) / (poly[j, 1] - poly[i, 1]) + poly[i, 0]:
                    odd = not odd
            j = i
        res[k] = odd
    return res


def decode(loc: Any, anchors: Any, scores: Any, thr: Any) -> Any:
    """Boxes of a detector from its anchors."""
    boxes = []
    best = []
    cls = []
    for i in range(len(loc)):
        c = np.argmax(scores[i])
        s = scores[i, c]
        if s < thr:
            continue
        cx = loc[i, 0] * 0.1 * anchors[i, 2] + anchors[i, 0]
        cy = loc[i, 1] * 0.1 * anchors[i, 3] + anchors[i, 1]
        w = np.exp(loc[i, 2] * 0.2) * anchors[i, 2]
        h = np.exp(loc[i, 3] * 0.2) * anchors[i, 3]
        boxes.append(np.array([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2]))
        best.append(s)
        cls.append(c)
    return (boxes, best, cls)


def unpack(data: Any) -> Any:
    """Bytes to bits."""
    bits = np.zeros(len(data) * 8, np.uint8)
    for i in range(len(data)):
        for b in range(8):
            bits[i * 8 + b] = data[i] >> 7 - b & 1
    return bits


def match(cost: Any, thr: Any) -> Any:
    """Each row takes the cheapest column that is free."""
    n, m = cost.shape
    used = np.zeros(m, bool)
    res = np.full(n, -1)
    for i in range(n):
        b = thr
        k = -1
        for j in range(m):
            if not used[j] and cost[i, j] < b:
                b = cost[i, j]
                k = j
        if k >= 0:
            used[k] = True
            res[i] = k
    return res


def mel(spec: Any, filt: Any) -> Any:
    """Energies in triangular bands."""
    out = np.zeros((len(spec), len(filt)))
    for t in range(len(spec)):
        for m in range(len(filt)):
            a, b, c = (filt[m, 0], filt[m, 1], filt[m, 2])
            acc = 0.0
            for k in range(spec.shape[1]):
                if a <= k <= b:
                    acc += spec[t, k] * (k - a) / (b - a)
                elif b < k <= c:
                    acc += spec[t, k] * (c - k) / (c - b)
            out[t, m] = np.log(acc + 1e-10)
    return out


def elo(x: Any, wins: Any) -> Any:
    """Points of a tournament."""
    n = len(x)
    score = np.zeros(n, np.int64)
    for i in range(n):
        for j in range(i + 1, n):
            if wins[i, j]:
                score[i] += 1
            else:
                score[j] += 1
    return score


def voxel(points: Any, origin: Any, size: Any) -> Any:
    """The first point in each cell of a grid."""
    keys = np.zeros((len(points), 3), np.int64)
    for i in range(len(points)):
        for d in range(3):
            keys[i, d] = int((points[i, d] - origin[d]) // size)
    uniq = []
    for i in range(len(points)):
        new = True
        for j in range(i):
            if keys[i, 0] == keys[j, 0] and keys[i, 1] == keys[j, 1] and (keys[i, 2] == keys[j, 2]):
                new = False
                break
        if new:
            uniq.append(i)
    return uniq


def dctq(block: Any, q: Any) -> Any:
    """A quantized cosine transform of a block."""
    out = np.zeros((8, 8), np.int64)
    for u in range(8):
        for v in range(8):
            s = 0.0
            for x in range(8):
                for y in range(8):
                    s += block[x, y] * np.cos((2 * x + 1) * u * np.pi / 16) * np.cos((2 * y + 1) * v * np.pi / 16)
            cu = np.sqrt(0.5) if u == 0 else 1.0
            cv = np.sqrt(0.5) if v == 0 else 1.0
            out[u, v] = round(0.25 * cu * cv * s * 255 / q[u, v])
    return out


def two(x: Any) -> Any:
    """A histogram of two kinds."""
    h = np.zeros(2, np.int64)
    for v in x:
        if v > 0.3:
            h[1] += 1
        else:
            h[0] += 1
    return h


def partition(x: Any) -> Any:
    """Small elements to the front, others to the end."""
    n = len(x)
    lo = 0
    hi = n - 1
    out = np.zeros(n)
    for i in range(n):
        if x[i] < 0:
            out[lo] = x[i]
            lo += 1
        else:
            out[hi] = x[i]
            hi -= 1
    return (out, lo)


def heatmap(hm: Any, thr: Any) -> Any:
    """The greatest element of each channel."""
    xs = []
    ys = []
    cs = []
    for c in range(hm.shape[2]):
        by = 0
        bx = 0
        bv = -1.0
        for y in range(hm.shape[0]):
            for x in range(hm.shape[1]):
                if hm[y, x, c] > bv:
                    bv = hm[y, x, c]
                    by = y
                    bx = x
        if bv > thr:
            xs.append(bx)
            ys.append(by)
            cs.append(bv)
    return (xs, ys, cs)


def yolo(grid: Any, anchors: Any, thr: Any) -> Any:
    """Boxes of a grid with anchors."""
    boxes = []
    for y in range(grid.shape[0]):
        for x in range(grid.shape[1]):
            for a in range(grid.shape[2]):
                conf = 1 / (1 + np.exp(-grid[y, x, a, 4]))
                if conf < thr:
                    continue
                cx = (x + 1 / (1 + np.exp(-grid[y, x, a, 0]))) / grid.shape[1]
                cy = (y + 1 / (1 + np.exp(-grid[y, x, a, 1]))) / grid.shape[0]
                bw = anchors[a, 0] * np.exp(grid[y, x, a, 2])
                bh = anchors[a, 1] * np.exp(grid[y, x, a, 3])
                k = np.argmax(grid[y, x, a, 5:])
                boxes.append(np.array([cx, cy, bw, bh, conf, k]))
    return boxes


def frames_energy(x: Any, size: Any, hop: Any) -> Any:
    """Energies and zero crossings of frames."""
    n = (len(x) - size) // hop + 1
    e = np.zeros(n)
    z = np.zeros(n, np.int64)
    for f in range(n):
        s = 0.0
        c = 0
        for i in range(size):
            v = x[f * hop + i]
            s += v * v
            if i > 0 and (v >= 0) != (x[f * hop + i - 1] >= 0):
                c += 1
        e[f] = np.sqrt(s / size)
        z[f] = c
    return (e, z)


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Programs with arguments."""
    random = np.random.default_rng(0)
    signal, points = random.standard_normal(600), random.random((80, 2))
    data = random.integers(0, 256, 40).astype(np.uint8)
    boxes = np.sort(random.random((60, 2, 2)) * 100, axis=1).reshape(60, 4)
    return {
        "iou": (
            iou,
            (
                boxes,
                boxes[:20] + 3,
            ),
        ),
        "knn": (
            knn,
            (
                points,
                points[:30],
                random.integers(0, 5, 80),
                5,
            ),
        ),
        "dtw": (
            dtw,
            (
                signal[:60],
                signal[60:130],
            ),
        ),
        "autocorr": (
            autocorr,
            (
                signal,
                40,
            ),
        ),
        "moving_max": (
            moving_max,
            (
                signal,
                25,
            ),
        ),
        "peaks": (
            peaks,
            (
                signal,
                0.5,
                5,
            ),
        ),
        "rle": (rle, ((signal > 0.3).astype(np.int64),)),
        "hysteresis": (
            hysteresis,
            (
                signal,
                0.8,
                0.2,
            ),
        ),
        "inside": (
            inside,
            (
                points * 2,
                np.array([[0.0, 0.0], [2.0, 0.3], [1.5, 1.8], [0.4, 1.2], [0.7, 0.6]]),
            ),
        ),
        "decode": (
            decode,
            (
                random.standard_normal((200, 4)),
                random.random((200, 4)),
                random.random((200, 5)),
                0.5,
            ),
        ),
        "unpack": (unpack, (data,)),
        "match": (
            match,
            (
                random.random((12, 15)),
                0.3,
            ),
        ),
        "mel": (
            mel,
            (
                random.random((40, 129)),
                random.random((20, 3)).cumsum(1) * 30,
            ),
        ),
        "elo": (
            elo,
            (
                points[:30],
                random.integers(0, 2, (30, 30)),
            ),
        ),
        "voxel": (
            voxel,
            (
                random.random((50, 3)),
                np.array([0.2, 0.1, 0.3]),
                0.5,
            ),
        ),
        "dctq": (
            dctq,
            (
                random.random((8, 8)),
                random.integers(1, 50, (8, 8)),
            ),
        ),
        "two": (two, (signal,)),
        "partition": (partition, (signal,)),
        "heatmap": (
            heatmap,
            (
                random.random((20, 21, 16)),
                0.6,
            ),
        ),
        "yolo": (
            yolo,
            (
                random.random((13, 13, 5, 9)),
                random.random((5, 2)),
                0.7,
            ),
        ),
        "frames_energy": (
            frames_energy,
            (
                signal,
                16,
                8,
            ),
        ),
    }
