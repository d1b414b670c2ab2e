"""Programs of all kinds: control flow, growing lists, exceptions, element types, linear algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.plain import Cases

cases = Cases()
ROW = np.array([1.0, 2.0, 3.0, 4.0])
TABLE = np.arange(12.0).reshape(3, 4)


@cases((27,), (1,), (0,), (-3,))
def collatz(n):
    if n < 1:
        raise ValueError(f"{n} is not positive")
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@cases((ROW, 2.5), (ROW, 9.0), (np.zeros(0), 1.0))
def early_return_from_a_nested_loop(x, limit):
    for i in range(len(x)):
        for j in range(i):
            if x[i] * x[j] > limit:
                return i, j
    return -1, -1


@cases((ROW, np.array([1, 3])), (ROW, np.array([0, 10**12])), (ROW, np.array([-(10**12)])))
def the_last_of_places(x, places):
    v = 0.0
    for i in range(len(places)):
        v = x[places[i]]
    return v


@cases((7, np.array([2, 3])), (7, np.array([2, 0, 3])), (-(2**63), np.array([-1])))
def the_last_quotient(n, divisors):
    v = 0
    for i in range(len(divisors)):
        if divisors[i] == 0:
            raise ZeroDivisionError("no quotient")
        v = n // int(divisors[i]) if divisors[i] > 0 else n % 5
    return v


@cases((10,), (0,), (2,))
def primes(n):
    found = []
    k = 2
    while len(found) < n:
        if all(k % p for p in found):
            found.append(k)
        k += 1
    return found


@cases((ROW, 2.0), (ROW, 10.0))
def list_of_arrays(x, limit):
    rows = []
    for v in x:
        if v < limit:
            rows.append(x * v)
    return rows, len(rows)


@cases((5,), (0,), (1,))
def triangle(n):
    rows = np.zeros((n, n), np.int64)
    for i in range(n):
        rows[i, 0] = 1
        for j in range(1, i + 1):
            rows[i, j] = rows[i - 1, j - 1] + rows[i - 1, j]
    return rows


@cases((ROW, 1), (ROW, -4), (ROW, 4), (ROW, -5))
def index_or_error(x, i):
    return x[i] * 2


@cases((3, 0), (7, 2), (-7, 2), (-7, -2))
def divided(a, b):
    return a // b, a % b, divmod(a, b)


@cases((ROW, 1.0), (ROW, 5.0))
def message_with_numbers(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            raise ValueError(f"element {i} is {x[i]:.2f}, more than {limit}")
    return x.max()


@cases((ROW, 2), (ROW, 9), (ROW, -9))
def caught(x, i):
    try:
        return float(x[i])
    except IndexError:
        return -1.0
    finally:
        x[0] = 0.0


@cases((ROW, 3), (ROW, 5), (np.zeros(0), 0))
def size_behind_a_check(x, n):
    if n > len(x):
        raise ValueError("too many")
    y = x[:n].reshape(1, n)
    return float(y.sum() / n) if n else 0.0, y @ x[:n]


@cases((ROW, 0), (ROW, 2), (ROW, 3))
def sizes_that_change(x, n):
    y = x
    for i in range(n):
        y = np.concatenate((y[i:], y)) if i % 2 else y[: len(y) - 1]
    return y, y.shape[0]


@cases((ROW, 3), (ROW, 0))
def outer_product_grows(x, n):
    m = x[:1, np.newaxis] * x[:1]
    for i in range(n):
        m = np.concatenate((m, m[:1] + i))
    return m


@cases((np.array([3, 1, 2, 1, 3]),), (np.zeros(0, np.int64),))
def sorted_unique_nonzero(x):
    values, counts = np.unique(x, return_counts=True)
    (places,) = np.nonzero(x > 1)
    return np.sort(x)[::-1], np.argsort(x, kind="stable"), values, counts, places, sorted(x.tolist())


@cases((np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([1.0, 2.0])), (np.zeros((2, 2)), np.ones(2)))
def linear_algebra(a, b):
    return np.linalg.solve(a, b), np.linalg.det(a), a @ a.T @ b


@cases((np.array([[2.0, 0.5], [0.5, 1.0]]),))
def factored(a):
    lower = np.linalg.cholesky(a)
    return lower, np.linalg.inv(a), np.linalg.norm(a)


@cases((np.array([2**63 - 1, -(2**63), 5]), 3), (np.array([1, 2]), 0))
def wraps(x, n):
    for _ in range(n):
        x = x * 3 + 1
    return x, -x, abs(x), x.sum()


@cases((np.array([250, 3], np.uint8), np.array([100, -100], np.int8)))
def wraps_in_bytes(a, b):
    return a + a, a * a, b + b, b * b, ~a, -b, a.sum(), b.cumsum(), a // np.uint8(7)


@cases((np.array([1.0, 0.1, 65504.0], np.float16), 3), (np.array([], np.float16), 2))
def halves(x, n):
    for _ in range(n):
        x = x * np.float16(1.5) + np.float16(0.1)
    return x, x.sum(), np.sqrt(x), x.astype(np.float32), x > 1


@cases((np.array([1.0, 0.1, 3e38], np.float32), 2))
def singles(x, n):
    for _ in range(n):
        x = x * np.float32(1.5) + 1
    return x, x.sum(), np.exp(-x), np.tanh(x)


@cases((ROW,), (np.array([np.nan, 1.0, -np.inf]),), (np.array([-0.0, 0.0]),))
def special_numbers(x):
    return np.max(x), np.argmin(x), np.isnan(x), np.sign(x), np.floor(x / 2), np.maximum(x, 0.5), 1 / x


@dataclass
class Body:
    place: Any
    speed: Any
    steps: int


@cases((ROW, 3), (ROW, 0))
def dataclass_in_a_loop(x, n):
    body = Body(x.copy(), np.ones(4), 0)
    for _ in range(n):
        body.place += body.speed * 0.5
        body.speed = body.speed - body.place * 0.1
        body.steps += 1
    return body


@cases((ROW, 2), (ROW, -1))
def arrays_from_branches(x, k):
    if k > 0:
        y, n = np.concatenate((x, x)), 2
    else:
        y, n = x[1:], 1
    return y * n, len(y)


@cases((6,), (0,), (1,))
def comprehended(n):
    pairs = [(i, j) for i in range(n) for j in range(i) if (i + j) % 3 == 0]
    return pairs, sum(i * j for i, j in pairs), [i for i, _ in pairs if i > 3]


@cases(("abcab",), ("",))
def counted_letters(text):
    counts = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    return counts


@cases((TABLE, 1), (TABLE, 0), (TABLE, -1))
def reduced_along_axes(m, axis):
    return m.sum(axis=0), m.max(axis=1), m.mean(), m.cumsum(axis=1), m.std(axis=0), m[axis].prod()


@cases((40,), (0,))
def sieve(n):
    is_prime = np.ones(n + 2, bool)
    is_prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = False
    return np.nonzero(is_prime)[0]


@cases((np.array([5.0, 1.0, 4.0, 1.5]),), (np.zeros(0),))
def insertion_sort(x):
    y = x.copy()
    for i in range(1, len(y)):
        value, j = y[i], i
        while j > 0 and y[j - 1] > value:
            y[j] = y[j - 1]
            j -= 1
        y[j] = value
    return y


@cases((np.array([1, 2, 3, 2]), np.array([2, 3, 2])), (np.zeros(0, np.int64), np.array([1])))
def longest_common(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            same = a[i] == b[j]
            table[i + 1, j + 1] = table[i, j] + 1 if same else max(table[i, j + 1], table[i + 1, j])
    return table[-1, -1], table


@cases((12, 18), (7, 0), (0, 0))
def divisor(a, b):
    while b:
        a, b = b, a % b
    return a


@cases((ROW, 0.5), (ROW, 0.0))
def fixed_point(x, rate):
    y, rounds = x * 1, 0
    while np.abs(y).max() > 0.01 and rounds < 50:
        y = y * rate if rate else y * 0
        rounds += 1
    else:
        rounds += 100
    return y, rounds


@cases((4, 3), (0, 3), (2, 0))
def stack_and_queue(n, m):
    stack, total = [0], 0
    while stack:
        top = stack.pop()
        total += top
        if top < n:
            stack.extend([top + 1] * min(m, 2))
    return total


@cases((ROW + 1j * ROW,), (np.zeros(0, complex),))
def complex_numbers(z):
    w = z * z.conj() + 1
    return w, abs(z), z.sum(), np.exp(1j * z.real)


@cases((2**62, 5), (-5, 70), (1, -1))
def shifts(x, by):
    return x >> by, (x & 0xFF) << (by & 7), x ^ by, ~x


@cases((ROW, np.array([0, 3, 1])), (ROW, np.array([0, 9])))
def an_integer_beside_itself(x, places):
    try:
        np.put(x, places, [1, 2])
    except IndexError as error:
        return x, str(error)
    return x, ""


@cases((ROW, 2), (ROW, 9), (np.zeros(0), 1))
def elements_until_there_are_enough(x, enough):
    found = i = 0
    while found < enough:
        if x[i] > 0:
            found += 1
        i += 1
    return i


@cases((ROW, np.array([0, 3, 1]), 9), (ROW, np.array([0, 4, 1]), 9), (ROW, np.array([0, -5]), 1))
def elements_at_computed_places(x, places, most):
    found = 0
    for place in places:
        if found < most:  # noqa: SIM102  (one branch in another)
            if x[place] > 0:
                found += 1
    return found


@cases((ROW,), (-ROW,), (np.array([np.nan, -np.nan, 0.0, -0.0]),))
def signs_of_what_is_no_number(x):
    y = np.array([np.nan, -np.nan, 1.0, -1.0])
    chosen = np.where(x > 0, -np.nan, np.nan)
    return np.signbit(x), np.signbit(y), np.copysign(x, -np.nan), np.signbit(chosen), np.copysign(np.float32(1), y)
