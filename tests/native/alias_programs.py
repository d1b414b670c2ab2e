"""Programs that write to arrays which somebody still reads: what an analysis of memory gets wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.plain import Cases

cases = Cases()
ROW = np.array([1.0, 2.0, 3.0, 4.0])
TABLE = np.arange(12.0).reshape(3, 4)
WEIGHTS = np.array([0.5, 0.25, 0.125])


@cases((ROW,), (np.zeros(2),))
def view_read_after_the_write(x):
    y = x.copy()
    v = y[1:]
    y[1] = 9.0
    return v.sum(), y, v


@cases((ROW, 3), (ROW, 0))
def swapped_each_round(x, n):
    a, b = x.copy(), x * 2
    for i in range(n):
        a[i] = b[i] + 10
        a, b = b, a
    return a, b


@cases((np.array([1, 2, 3]), 2), (np.array([1, 2, 3]), 3), (np.array([1, 2, 3]), 1))
def two_names_that_all_rounds_leave(x, n):
    y = x
    z = x
    for _ in range(n):
        for _ in range(n - 1):
            y = y * 0.5
        z = y
        z[0] = 9
    return y, z, x


@cases((ROW, 5), (ROW, 0), (ROW, 1))
def pair_shifted(x, n):
    a, b = x, x * 0
    for _ in range(n):
        a, b = b, a + 1
    return a, b


@cases((ROW, 4), (ROW, 0))
def one_array_begins_two(x, n):
    start = x * 2
    a = start.copy()
    b = start.copy()
    for i in range(n):
        a[i] = -1.0
        b[0] += a[i] + start[i]
    return a, b, start


@cases((ROW, 3), (ROW, 0))
def one_value_carried_twice(x, n):
    a = b = x + 1
    for i in range(n):
        a = a + b
        b = b * 2 + a[i]
    return a, b


@cases(
    (TABLE,),
)
def row_kept_over_the_write(m):
    y = m.copy()
    row = y[1].copy()
    y[1] = y[0]
    y[0] = row
    y[2] = y[2] + row
    return y, row


@cases((TABLE, 3), (TABLE, 0))
def rows_rotated(m, n):
    y = m.copy()
    for _ in range(n):
        first = y[0].copy()
        for i in range(len(y) - 1):
            y[i] = y[i + 1]
        y[len(y) - 1] = first
    return y


@cases((ROW, True), (ROW, False))
def write_in_one_branch(x, flag):
    y = x + 1
    z = y
    if flag:
        y = y.copy()
        y[0] = 100.0
    return y, z


@cases((ROW, 3), (ROW, 0))
def inner_writes_what_the_outer_reads_later(x, n):
    y = x.copy()
    seen = np.zeros(4)
    for i in range(n):
        before = y.sum()
        for j in range(i + 1):
            y[j] = y[j] * 2 + i
        seen[i] = before + y[0]
    return y, seen


@cases((ROW, 4, 2), (ROW, 4, 9), (ROW, 0, 0))
def given_as_another_in_one_branch(x, n, at):
    a, other = x * 1.5, x - 1
    for i in range(n):
        if i == at:  # noqa: SIM108
            a = other
        else:
            a = a + i
        other = other * 2
    return a, other


@cases((ROW,))
def one_result_twice(x):
    y = x * 3
    y[1] = 0.0
    return y, y, (y, [y])


@cases((ROW, 1), (ROW, -1))
def argument_given_back(x, k):
    y = x + 1
    if k > 0:
        return x, y
    return y, x


@cases((2,), (0,))
def constants_written_to(k):
    w = WEIGHTS.copy()
    w[k] = 7.0
    return w, w + WEIGHTS


@cases((3,), (0,))
def constant_that_a_loop_carries(n):
    w = WEIGHTS
    for _ in range(n):
        w = w[::-1] * 2
    return w, WEIGHTS * 1


@cases((ROW, 3), (ROW, 0))
def reversed_onto_itself(x, n):
    y = x.copy()
    for _ in range(n):
        y[:] = y[::-1] + 1
    return y


@cases((ROW, 2), (ROW, 0))
def shifted_onto_itself(x, n):
    y = x.copy()
    for _ in range(n):
        y[1:] = y[:-1].copy()
        y[:-1] = y[1:] * 0.5 + y[:-1]
    return y


@cases((TABLE[:, :3], 2), (TABLE[:, :3], 0))
def transposed_onto_itself(m, n):
    y = m.copy()
    for _ in range(n):
        y = y.T + y
        y[0] = y[:, 1]
    return y


@cases((ROW, 3), (ROW, 0))
def three_go_round(x, n):
    a, b, c = x, x + 10, x + 20
    for i in range(n):
        a, b, c = b, c, a
        c = c.copy()
        c[i] = -c[i]
    return a, b, c


@cases((ROW, 4), (ROW, 1), (ROW, 0))
def kept_from_the_round_before(x, n):
    y = x.copy()
    old = y.copy()
    for i in range(n):
        old = y.copy()
        y[i] = y[i] + old[(i + 1) % 4]
    return y, old


@cases((ROW, 4), (ROW, 0))
def numbers_read_before_the_write(x, n):
    y = x.copy()
    total = 0.0
    for i in range(n):
        first, last = y[0], y[3]
        y[0] = last + i
        y[3] = first
        total += first * last
    return y, float(total)


@cases((ROW, 3), (ROW, 0))
def smallest_moved_to_the_front(x, n):
    y = -x
    for i in range(n):
        k = i + int(np.argmin(y[i:]))
        y[i], y[k] = y[k], y[i]
    return y


@cases((ROW, 2), (np.zeros(0), 2))
def views_of_views(x, k):
    y = x * 1
    v = y[1:]
    w = v[1:]
    s = w.sum() + v.sum()
    y[k:] = 50.0
    return y, v.sum() - w.sum(), s


@cases((TABLE, 1), (TABLE, 0))
def column_used_after_the_rows_change(m, k):
    y = m.copy()
    column = y[:, k] * 1
    total = column + y[:, 0]
    for i in range(len(y)):
        y[i] = y[i] - total[i]
    return y, column, total


@cases((ROW, 3), (ROW, 0))
def write_behind_a_branch_that_gave_a_view(x, n):
    a, b = x * 2, x * 3
    c = a if n > 1 else b
    d = c + 0
    a[0] = 1000.0
    b[0] = 2000.0
    return c, d, a, b


@cases((ROW, 3), (ROW, 0))
def branch_of_a_carried_array(x, n):
    best, current = x * 1, x * 1
    for i in range(n):
        current = current.copy()
        current[i] = current[i] * -3
        if current.sum() < best.sum():
            best = current
    return best, current


@cases((ROW, 3), (ROW, 0))
def sum_pending_over_the_write(x, n):
    y = x.copy()
    z = y * 2 + 1
    for i in range(n):
        y[i] = 0.0
    return y, z, z.sum()


@dataclass
class Grid:
    old: Any
    new: Any
    steps: int = 0


@cases((ROW, 4), (ROW, 1), (ROW, 0))
def double_buffer(x, n):
    grid = Grid(x.copy(), np.zeros_like(x))
    for _ in range(n):
        for i in range(len(x)):
            grid.new[i] = (grid.old[i - 1] + grid.old[i]) / 2
        grid.old, grid.new = grid.new, grid.old
        grid.steps += 1
    return grid.old, grid.new, grid.steps


@cases((TABLE, 3), (TABLE, 0))
def outer_row_written_by_two_nested_loops(m, n):
    y = m.copy()
    for i in range(n):
        row = y[i]
        for j in range(4):
            for k in range(j):
                row[j] = row[j] + y[(i + 1) % 3, k]
    return y


@cases((ROW, 2), (ROW, -7))
def written_then_an_exception(x, k):
    x[0] = 5.0
    y = x * 2
    x[1] = y[k]
    return y


@cases((ROW, 3), (ROW, 4))
def argument_written_and_read_back(x, n):
    before = x.copy()
    for i in range(n):
        x[i] = x[i] + before[3 - i]
    return x.sum(), before


@cases((ROW, 3), (ROW, 0), (ROW, 1))
def carried_beside_its_own_slice(x, n):
    y, tail = x.copy(), x[1:].copy()
    for i in range(n):
        tail = y[1:] + tail
        y[0] = tail[i]
    return y, tail


@cases((ROW, 3), (ROW, 0))
def growing_beside_its_old_self(x, n):
    y = x[:1] * 1
    old = y
    for i in range(n):
        old = y
        y = np.concatenate((y, x[i : i + 1] + y[:1]))
    return y, old


@cases((ROW, 4), (ROW, 0))
def two_grow_and_are_swapped(x, n):
    a, b = x[:0], x[:1]
    for i in range(n):
        a, b = b, np.concatenate((a, x[i:]))
    return a, b


@cases((np.array([3, 1, 2, 0]), ROW), (np.array([0, 0, 0, 0]), ROW))
def permuted_onto_itself(order, x):
    y = x.copy()
    y[order] = y
    z = y[order]
    y[order[:2]] = z[2:]
    return y, z


@cases((ROW, np.ones(6), True), (ROW, np.ones(6), False), (ROW, np.ones(2), False))
def written_behind_a_branch_that_picks(a, b, first):
    chosen = a if first else b
    chosen[:] = chosen[::-1] * 2
    return a.sum() - b.sum(), a, b


@cases((ROW, 12), (ROW, 1), (ROW, 0))
def what_grows_is_given_twice(x, n):
    found = []
    for k in range(n):
        found.append(x[k % 4] + k)
    return found, np.array(found), np.array(found, np.float32), len(found)
