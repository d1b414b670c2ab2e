"""Everyday bookkeeping with dicts, sets and counters on the host: what goes into them says what comes out."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")


def group_means(x, labels):
    groups = {}
    for i in range(len(labels)):
        groups.setdefault(int(labels[i]), []).append(i)
    out = np.zeros(len(groups))
    for j, k in enumerate(sorted(groups)):
        out[j] = x[groups[k]].mean()
    return out


def group_sums(x, labels):
    sums = {}
    for v, label in zip(x, labels, strict=True):
        k = int(label)
        sums[k] = sums.get(k, 0.0) + v
    y = np.zeros(10)
    for k, s in sums.items():
        y[k] = s
    return y


def group_sums_dd(x, labels):
    s = defaultdict(float)
    n = defaultdict(int)
    for v, label in zip(x, labels, strict=True):
        s[int(label)] += float(v)
        n[int(label)] += 1
    y = np.zeros(10)
    for k in s:
        y[k] = s[k] / n[k]
    return y


def counting(x, labels):
    c = Counter(int(v) for v in labels)
    y = np.zeros(10, int)
    for k, n in c.items():
        y[k] += n
    return y


def two_most_common(x, labels):
    c = Counter(labels.tolist())
    y = np.zeros(10, int)
    for k, n in c.most_common(2):
        y[k] += n
    return y


def without_repeats(x, labels):
    seen = set()
    keep = []
    for i in range(len(labels)):
        k = int(labels[i])
        if k not in seen:
            seen.add(k)
            keep.append(i)
    return x[keep]


def first_of_each(x, labels):
    first = {}
    for i, label in enumerate(labels):
        if int(label) not in first:
            first[int(label)] = i
    return x[list(first.values())]


def union_find(x, labels):
    n = len(labels)
    parent = {}
    for i in range(n):
        parent[i] = i

    def find(a):
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        return a

    for i in range(n):
        a, b = find(i), find(int(labels[i]) % n)
        if a != b:
            parent[a] = b
    out = np.zeros(n, int)
    for i in range(n):
        out[i] = find(i)
    return out


def remapped(x, labels):
    ids = {}
    out = np.zeros_like(labels)
    for i in range(len(labels)):
        k = int(labels[i])
        if k not in ids:
            ids[k] = len(ids)
        out[i] = ids[k]
    return out, len(ids)


def remapped_in_order(x, labels):
    ids = {k: i for i, k in enumerate(sorted({int(v) for v in labels}))}
    return np.array([ids[int(v)] for v in labels])


def breadth_first(x, labels):
    n = len(labels)
    adj = {}
    for i in range(n):
        j = int(labels[i]) % n
        adj.setdefault(i, []).append(j)
        adj.setdefault(j, []).append(i)
    dist = np.full(n, -1)
    if n:
        dist[0] = 0
    q = deque()
    if n:
        q.append(0)
    while q:
        u = q.popleft()
        for v in adj.get(u, []):
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


def depth_first(x, labels):
    n = len(labels)
    adj = defaultdict(set)
    for i in range(n):
        j = int(labels[i]) % n
        adj[i].add(j)
        adj[j].add(i)
    seen = set()
    order = []
    for s in range(n):
        if s in seen:
            continue
        stack = [s]
        seen.add(s)
        while stack:
            u = stack.pop()
            order.append(u)
            for v in sorted(adj[u]):
                if v not in seen:
                    seen.add(v)
                    stack.append(v)
    return x[order]


def inverted(x, labels):
    index = defaultdict(list)
    for i, label in enumerate(labels):
        index[int(label)].append(i)
    y = np.zeros(len(x))
    for idx in index.values():
        y[idx] = x[idx].sum()
    return y


def run_stats(x, labels):
    stats = {}
    for v, label in zip(x, labels, strict=True):
        k, f = int(label), float(v)
        if k in stats:
            n, mean = stats[k]
            n += 1
            stats[k] = (n, mean + (f - mean) / n)
        else:
            stats[k] = (1, f)
    y = np.zeros((10, 2))
    for k, (n, mean) in stats.items():
        y[k, 0] = n
        y[k, 1] = mean
    return y


def common_subsequences(x, labels):
    table = {}
    n = len(labels)
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                table[(i, j)] = 0
            elif labels[i] == labels[j]:
                table[(i, j)] = table[(i - 1, j - 1)] + 1
            else:
                table[(i, j)] = max(table[(i - 1, j)], table[(i, j - 1)])
    y = np.zeros((n, n), int)
    for (i, j), v in table.items():
        y[i, j] = v
    return y


def unmatched(x, labels):
    un_d = set(range(len(x)))
    un_t = set(range(3))
    pairs = []
    for i in range(len(x)):
        j = int(labels[i])
        if j in un_t:
            un_t.discard(j)
            un_d.remove(i)
            pairs.append((i, j))
    age = np.zeros(3, int)
    for j in un_t:
        age[j] += 1
    new = x[sorted(un_d)]
    return age, new, pairs


def most_frequent(x, labels):
    c = {}
    for label in labels:
        c[int(label)] = c.get(int(label), 0) + 1
    best = sorted(c, key=lambda k: (-c[k], k))[:2]
    y = np.zeros(10)
    for r, k in enumerate(best):
        y[k] = r + 1
    return y, best


def ranked(x, labels):
    c = {}
    for label in labels:
        c[int(label)] = c.get(int(label), 0) + 1
    best = sorted(c.items(), key=lambda kv: (-kv[1], kv[0]))
    y = np.zeros(10)
    for k, n in best[:3]:
        y[k] = n
    return y


def histogram(x, labels):
    h = defaultdict(int)
    for v in x:
        h[int(v // 0.5)] += 1
    keys = sorted(h)
    return np.array(keys), np.array([h[k] for k in keys])


def argbest(x, labels):
    best = {}
    for i, label in enumerate(labels):
        k = int(label)
        if k not in best or x[i] > x[best[k]]:
            best[k] = i
    return x[[best[k] for k in sorted(best)]]


def majority(x, labels):
    votes = {}
    for i in range(len(labels)):
        votes[int(labels[i])] = votes.get(int(labels[i]), 0.0) + float(x[i])
    if not votes:
        return -1, x
    w = max(votes, key=votes.get)
    return w, x * w


def set_operations(x, labels):
    a = {int(label) for label in labels}
    b = set(range(3))
    y = np.zeros(12)
    for k in a - b:
        y[k] = 1
    for k in a & b:
        y[k] = 2
    for k in a | b:
        y[k] += 4
    for k in sorted(a ^ b):
        y[k] += 8
    return y


def windows(x, labels):
    w = deque(maxlen=3)
    out = np.zeros(len(x))
    for i in range(len(x)):
        w.append(float(x[i]))
        out[i] = sum(w) / len(w)
    return out


def least_recently_used(x, labels):
    cache = OrderedDict()
    hits = 0
    y = np.zeros(10)
    for label in labels:
        k = int(label)
        if k in cache:
            cache.move_to_end(k)
            hits += 1
        else:
            cache[k] = True
            if len(cache) > 2:
                old, _ = cache.popitem(last=False)
                y[old] += 1
    return hits, y


def letters(x, labels):
    c = Counter()
    for label in labels:
        c["ab"[int(label) % 2]] += 1
    y = np.zeros(2)
    for i, ch in enumerate("ab"):
        y[i] = c[ch]
    return y, c.most_common(1)


def pairs_count(x, labels):
    c = defaultdict(int)
    for i in range(len(labels) - 1):
        c[int(labels[i]), int(labels[i + 1])] += 1
    t = np.zeros((10, 10))
    for (a, b), n in c.items():
        t[a, b] = n
    return t


def mutual(x, labels):
    owner = {}
    for i, label in enumerate(labels):
        owner[int(label)] = i
    y = x.copy()
    for label, i in owner.items():
        y[i] *= label
    return y


def components(x, labels):
    n = len(labels)
    g = [[] for _ in range(n)]
    for i in range(n):
        j = int(labels[i]) % n
        g[i].append(j)
        g[j].append(i)
    comp = {}
    for s in range(n):
        if s in comp:
            continue
        st = [s]
        comp[s] = s
        while st:
            u = st.pop()
            for v in g[u]:
                if v not in comp:
                    comp[v] = s
                    st.append(v)
    return np.array([comp[i] for i in range(n)])


def nested(x, labels):
    t = {}
    for i in range(len(labels)):
        a, b = int(labels[i]), i % 2
        t.setdefault(a, {})
        t[a][b] = t[a].get(b, 0.0) + float(x[i])
    y = np.zeros((10, 2))
    for a in t:
        for b, v in t[a].items():
            y[a, b] = v
    return y


def first_last(x, labels):
    d = {}
    for i, label in enumerate(labels):
        p = d.get(int(label))
        d[int(label)] = (i, i) if p is None else (p[0], i)
    y = np.zeros(10)
    for k, (a, b) in d.items():
        y[k] = x[b] - x[a]
    return y


def pos_last(x, labels):
    last = {}
    gap = np.zeros(len(x), int)
    for i, label in enumerate(labels):
        k = int(label)
        gap[i] = i - last.get(k, i)
        last[k] = i
    return gap


def pair_with_sum(x, labels):
    seen = {}
    for i, label in enumerate(labels):
        need = 5 - int(label)
        if need in seen:
            return x[seen[need]], x[i]
        seen[int(label)] = i
    return x.sum(), x.sum()


def free_ids(x, labels):
    free = list(range(4))
    used = {}
    y = np.zeros(len(labels), int)
    for i, label in enumerate(labels):
        k = int(label)
        if k not in used and free:
            used[k] = free.pop(0)
        y[i] = used.get(k, -1)
    return y


X = np.array([1.5, 2.0, 0.5, 1.0, 1.6, 3.2])
LABELS = np.array([3, 1, 3, 2, 1, 3])
INPUTS = [(X, LABELS), (X[:0], LABELS[:0]), (X[:1], LABELS[:1]), (X[::-1].copy(), np.array([0, 5, 5, 0, 9, 4]))]
PROGRAMS = [
    group_means,
    group_sums,
    group_sums_dd,
    counting,
    two_most_common,
    without_repeats,
    first_of_each,
    union_find,
    remapped,
    remapped_in_order,
    breadth_first,
    depth_first,
    inverted,
    run_stats,
    common_subsequences,
    unmatched,
    most_frequent,
    ranked,
    histogram,
    argbest,
    majority,
    set_operations,
    windows,
    least_recently_used,
    letters,
    pairs_count,
    mutual,
    components,
    nested,
    first_last,
    pos_last,
    pair_with_sum,
    free_ids,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any) -> None:
    inputs = INPUTS if function not in (histogram, components) else [INPUTS[0], *INPUTS[2:]]  # of nothing: int64 there
    check(function, *inputs)
