"""Pure Python functions, each with the arguments to compare it on; `trace` records the order of effects.

The odd formatting is the point of some of them; the formatter is told to leave the file alone.
"""

# fmt: off
# ruff: noqa

from __future__ import annotations

import contextlib
import dataclasses
import types

CASES = []
COUNTER = 0


def case(*arguments):
    """Register a function to be compared on each tuple of arguments."""
    def enter(fn):
        CASES.append((fn, arguments))
        return fn
    return enter


def note(trace, value, result=None):
    trace.append(value)
    return value if result is None else result


NUMBERS = tuple((n,) for n in range(-1, 8))


@case(*NUMBERS)
def while_break_else(n):
    found = []
    i = 0
    while i < 5:
        i += 1
        if i == n:
            found.append("break")
            break
        if i % 2: continue
        found.append(i)
    else:
        found.append("else")
    return found, i


@case(*NUMBERS)
def for_break_else(n):
    for i in range(5):
        if i == n: break
    else:
        i = -i
    return i


@case(*NUMBERS)
def nested_loops(n):
    out = []
    for i in range(4):
        for j in range(4):
            if j == n: continue
            if i * j == n: break
            out.append((i, j))
        else:
            if i == n:
                break
            continue
        out.append("inner broke")
    else:
        out.append("outer done")
    return out


@case(*NUMBERS)
def break_in_inner_else(n):
    seen = []
    while True:
        for i in range(3):
            seen.append(i)
            if i == n: break
        else:
            seen.append("else")
            break
        if len(seen) > 6:
            return seen
    return seen, "out"


@case(*NUMBERS)
def break_through_try(n):
    log = []
    for i in range(4):
        try:
            if i == n: break
            if i == 1: continue
            log.append(i)
        finally:
            log.append("finally")
    else:
        log.append("else")
    return log


@case(*NUMBERS)
def continue_in_with(n):
    log = []
    for i in range(4):
        with contextlib.suppress(ZeroDivisionError):
            if i == n: continue
            log.append(1 // (i - 2))
        log.append("after")
    return log


@case(*NUMBERS)
def return_in_loop(n):
    for i in range(3):
        while i:
            if i == n: return "found", i
            i -= 1
    return


@case((0, 1), (1, 0), (2, 2))
def chained(a, b):
    t = []
    r = note(t, a) < note(t, b) <= note(t, 2) != note(t, 3)
    s = a < b > 0 == t[0] is not t
    u = a in (b, 1) in [True]
    return r, s, u, t


@case((0, 0), (0, 1), (1, 0), ("", []))
def short_circuit(a, b):
    t = []
    x = note(t, a) and note(t, b) and note(t, "end") or note(t, 5)
    y = (note(t, a) or note(t, b)) and not note(t, 3)
    z = a and (b and 1) or (a or b)
    return x, y, z, t


@case(*NUMBERS)
def elif_chain(n):
    if n < 0: return "negative"
    elif n == 0: r = "zero"
    elif n == 1:
        r = "one"
    else:
        if n > 5:
            r = "many"
        else: r = "some"
    return r


@case((0,), (1,), ([],))
def asserting(x):
    AssertionError = ValueError
    assert x, f"{x!r} is" " false"
    return AssertionError.__name__


@case((0,), (1,))
def assert_plain(x):
    assert x
    return x


@case((3,), (0,))
def conditional(n):
    t = []
    return note(t, "yes") if note(t, n) else note(t, "no"), t


@case(([1, 2, 3, 4],), ([1],), ([1, 2],))
def unpacking(xs):
    (a, *b), c = xs, len(xs)
    [d, [e]] = [a, b[:1]] if b else [0, [1]]
    *f, g = *b, *b, c
    return a, b, c, d, e, f, g


@case((5,))
def targets(n):
    d = {}
    d["a"] = x = y = [n]
    d["b"], x[0] = n + 1, n + 2
    x += [1]; y *= 2
    d["a"][0] -= 1; d["c"]: int = 3
    z: "never evaluated" = 4
    del d["b"], x[1:2]
    return d, x, y, z


@case((1,), (0,))
def unbound(n):
    if n:
        v = 1
    return v


@case((1,))
def annotated_only(n):
    v: int
    try:
        return v
    except UnboundLocalError:
        return "unbound"


@case((2,))
def deleted(n):
    del n
    return n


@case(([3, 1, 2],), ([],))
def walrus(xs):
    out = []
    while (n := len(xs)) and (last := xs[-1]) > 1:
        out.append((n, last))
        xs = xs[:-1]
    if any((hit := x) == 1 for x in xs):
        out.append(hit)
    ys = [(top := y) for y in xs]
    return out, n, ys, (top if ys else None)


@case((3,))
def comprehensions(n):
    x = "outer"
    a = [x * y for x in range(n) if x for y in range(x + 1) if y != x]
    b = {x: [y for y in range(x)] for x in range(n)}
    c = {x % 2 for x in range(n)}
    d = sum(x for x in range(n))
    e = [(i, j) for i, (j, *k) in enumerate([(1, 2), (3, 4, 5)])]
    return a, b, sorted(c), d, e, x


@case((1, 2), (4, 1))
def closures(a, b):
    total = 0
    def add(x, *rest, k=b, **more):
        nonlocal total
        total += x + k + sum(rest) + len(more)
        return total
    add(1); add(2, 3, k=4, z=1)
    fs = [lambda: i for i in range(3)]
    gs = [lambda i=i: i for i in range(3)]
    def outer():
        def inner(): return total * a
        return inner
    return total, [f() for f in fs], [g() for g in gs], outer()()


@case((5,), (1,))
def recursion(n):
    def fact(k): return 1 if k < 2 else k * fact(k - 1)
    return fact(n), (lambda f: f(f, n))(lambda f, k: k and k + f(f, k - 1))


@case((2,))
def decorated_inside(n):
    def twice(f): return lambda *a: f(f(*a))
    def plus(k):
        return lambda f: lambda x: f(x) + k
    @twice
    @plus(n)
    def g(x): return x * 10
    return g(1)


@case((3,))
def global_write(n):
    global COUNTER
    COUNTER = n
    COUNTER += 1
    return COUNTER


@case((0,), (1,), ("a",), (None,))
def exceptions(x):
    log = []
    try:
        try:
            log.append(1 // x)
        except ZeroDivisionError as error:
            log.append(type(error).__name__)
            raise ValueError("bad") from error
        except (TypeError, KeyError):
            log.append("type")
        else:
            log.append("else")
        finally:
            log.append("finally")
    except ValueError as e:
        log.append(str(e)); log.append(type(e.__cause__).__name__)
    try:
        e
    except NameError:
        log.append("name is gone")
    return log


@case((0,), (1,), (2,))
def finally_returns(n):
    for i in range(3):
        try:
            if n == 0: return "body"
            if n == 1: raise KeyError(n)
        finally:
            if n == 1: return "finally"
    return "end"


@case((0,), (3,))
def reraised(n):
    try:
        return 1 / n
    except ZeroDivisionError:
        raise


@case((1.5,), (-2,), ("é",))
def f_strings(x):
    w = 8
    return (f"{x}|{x!r:>{w}}|{{{x}}}|{x = }|{x=!s}|{x!a}" f'{"in" + "ner"}' r"\d" rf"\{w}" "\x41\N{BULLET}"
            f"\t{w:0{w}d}\n{ {'a': 1}['a'] }" + f"""
            {x}
            """ + f"{w=:>4}" + f"")


@case(())
def literals():
    return (0xFF, 0b1_0, 0o17, 1_000, 1e3, 1E-3, .5, 3., 2j, 1_0.5e1J, -1, ~2, +3, not 4, ...,
            "a" 'b' """c""", r"\n", b"\x00a" b"b", Rb"\x", u"u", "\
joined", '''
multi
''', "tab\t\u00e9\101", True, None, (), [], {}, (1,), {*[1, 2]}, {**{"a": 1}, "b": 2}, 10 ** -2, -2 ** 2)


@case(([0, 1, 2, 3, 4, 5],))
def slices(x):
    return x[1:], x[:2], x[::-1], x[1:5:2], x[:], x[-1], x[slice(1, 2)], {(1, 2): 3, (1,): 4}[1, 2], {(1,): 4}[1,]


@case((7, 3))
def operators(a, b):
    return [a + b, a - b, a * b, a / b, a // b, a % b, a ** b, a & b, a | b, a ^ b, a << b, a >> b, -a + b * 2 ** 3]


@case((7, 3))
def augmented(a, b):
    out = []
    x = a
    x += b; out.append(x); x -= 1; out.append(x); x *= b; out.append(x); x //= 2; out.append(x)
    x %= 5; out.append(x); x **= 2; out.append(x); x |= 8; out.append(x); x &= 12; out.append(x)
    x ^= 5; out.append(x); x <<= 2; out.append(x); x >>= 1; out.append(x); x /= 2; out.append(x)
    return out


@case((1, 2))
def argument_order(a, b):
    t = []
    def f(*args, **kw): return args, kw
    r = f(note(t, a), *note(t, [5, 6]), note(t, b), k=note(t, 7), **note(t, {"m": 1}))
    return r, t


@case((4,))
def imports(n):
    import math
    import os.path
    import os.path as p, collections.abc
    from math import sqrt as root, floor
    return root(n), floor(1.5), math.pi, p.basename("a/b"), os.sep, collections.abc.Mapping.__name__


@case((3,))
def with_targets(n):
    with contextlib.nullcontext([n, 2]) as (a, b), contextlib.nullcontext(5) as c:
        d = a + b + c
    with (
        contextlib.nullcontext(1) as e,
        contextlib.nullcontext(2),
    ): pass
    return a, b, c, d, e


@case((3,), (30,))
def loop_variable_after(n):
    for i in range(n):
        pass
    for k, v in {"a": i}.items(): i += v
    return i, k


@case((1,), (2,), (6,))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case(([3, 1, 2],), ([],), ([5, 4, 3, 2, 1],))
def bubble_sort(xs):
    xs = list(xs)
    for i in range(len(xs)):
        swapped = False
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
                swapped = True
        if not swapped: break
    return xs


@case((10,), (2,), (30,))
def primes(n):
    out = []
    for p in range(2, n):
        for q in out:
            if q * q > p: out.append(p); break
            if not p % q: break
        else:
            out.append(p)
    return out


@case(([1, 5, 9], 5), ([1, 5, 9], 4), ([], 1))
def bisect(xs, v):
    lo, hi = 0, len(xs)
    while lo < hi:
        mid = (lo + hi) // 2
        if xs[mid] == v: return mid
        elif xs[mid] < v: lo = mid + 1
        else: hi = mid
    return -lo


@case((1,), (0,))
def odd_formatting ( n  ,
    # a comment
  ):
      if n :return (
   n
 )
      # less indented comment follows
  # here
      x = \
          n ; y = [ 1 ,
2 ]
      return x , y


@case((2,))
def defaults_matter(n, k=3, *, m=4): return n + k + m if m else 0


@case((2,), ("x",))
def unicode_names(ñ):
    ſ = ñ
    return s * 2, "日本語"


@dataclasses.dataclass
class Point:
    x: int
    y: object = 0


RED = 7
programs = types.SimpleNamespace(RED=RED)


@case(*((v,) for v in (0, 1, -2, 3.5, True, None, "a", "xyz", b"b", [], [1], (1, 2), [1, 2, 3, 4], [3, [4, 5]],
                       {"k": 1, "j": 2}, {"k": 5}, {}, Point(0), Point(1, 2), Point(3, [4]), RED, range(3), 9)))
def matches(v):
    t = []
    match v:
        case None | True: r = "singleton"
        case 0 | "a": r = "literal"
        case -2 as minus: r = minus
        case int(n) if note(t, n > 8): r = "big", n
        case bool(): r = "bool"
        case programs.RED: r = "red"
        case str(s): r = s
        case []: r = "empty"
        case [3, [a, *rest]]: r = a, rest
        case 1, b: r = "two", b
        case [first, *middle, last]: r = first, middle, last
        case [one]: r = one
        case {"k": 1, "j": j}: r = "both", j
        case {"k": k}: r = k
        case Point(0): r = "origin"
        case Point(1, y=y): r = "one", y
        case Point(x=x, y=[y]) if x == 3 and y: r = x, y
        case Point(z=z): r = "no such field"
        case _:
            return "none", t
    return r, t


@case(*((v, w) for v in (0, 1) for w in (0, 1)))
def match_of_a_pair_in_a_loop(v, w):
    out = []
    for i in range(4):
        match v, i:
            case (0, 2): break
            case (1, k) if k == w: continue
            case (_, k): out.append(k)
    return out, k

s = 3
ADD = lambda a, b=2: (a
                      + b); case((1,), (1, 5))(ADD)
