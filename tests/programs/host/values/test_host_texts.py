"""Operations on strings that are computed: done on the host, as Python does them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.plain import check_shown

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]


@host_function
def word(k: int) -> str:
    return ("cab", "", "ab")[k % 3]


def methods(x):
    for k in range(len(x)):
        name = f"row{k}"
        print(name, name.upper(), len(name), name.split("w"), name.startswith("r"))
        print("a".ljust(k + 1), "|", "b".rjust(k + 2), str(k).zfill(3), "{:>{}}".format("c", k), "%*d" % (k, 3))  # noqa: UP031
    return x * len(f"{x[0]:.1f}")


def specifications(x, width):
    for k, v in enumerate(x):
        print(f"{'a':>{k + 2}}|{v:.{width}f}|{v!r:>{width + k}}|{f'row{k}':<8}|{str(k)!r}|{f'{k}'!a:>5}")
        print(format(v, f".{k}e"), "%5s|%-4r" % (f"r{k}", f"r{k}"), "{!r:>6}".format(str(k)))  # noqa: UP031, UP032
    return f"{f'{width}':>5}"


def joined(x):
    lines = []
    for k, v in enumerate(x):
        lines.append(f"{k},{v:.2f}")
    print(", ".join(f"{v:.1f}" for v in x), " ".join([str(k) for k in range(len(x))]), len(lines), lines)
    print("0,1.00" in lines, lines.count("0,1.00"), ["a", f"b{x[0]}"])
    return "\n".join(lines), lines[-1], lines[::-1], sorted(lines, reverse=True)


def headed(x):
    lines = ["# head", "# of two"]
    for k, v in enumerate(x):
        if v > 1:
            lines.append(f"{k}: {v}")
        elif v > 0:
            lines.append("small")
        lines += [word(k)]
    lines.insert(1, f"{len(lines)}")
    return lines, ";".join(lines)


def compared(x):
    same = 0
    for k in range(len(x)):
        if f"row{k}" == "row1":
            same += 1
        if f"r{k}" != f"r{k % 2}" or "b" > f"{word(k)}":  # noqa: SIM300
            same += 10
        if f"{k}" in "12" or "1" in f"{k}" or f"r{k}" in ["r0", "r2"] or f"{k}" in ("a", 1):
            same += 100
        same += 1000 * (f"{k}" == k) + 10000 * (f"{word(k)}" == "ab")
    return same


def truths(x):
    found = []
    name = "" if x[0] > 1 else "x"
    for k in range(len(x)):
        found.append(bool(f"{word(k)}"))
        if not f"{word(k)}" + "":
            print("empty", k)
    return found, 1 if name else 2, bool(f"{x[0]}"), "no" if f"" else "yes"  # noqa: F541


def one_of_two(x):
    name = "a" if x[0] > 1 else "bcd"
    print(name.upper(), len(name), name == "a", name * 2, name[0], name in "abc", name + "!", "%s!" % name)  # noqa: UP031
    return name.ljust(len(x)) + "|", sorted(name), [c for c in name]  # noqa: C416


def indexed(x):
    text = f"{x[0]:.3f}"
    whole, _, rest = text.partition(".")
    print(text[0], text[1:], text[len(x) - 3], text[::-1], whole, rest)
    for c in f"{int(x[0])}ab":
        print(c)
    first, *others = f"{int(x[0])}xyz"
    return int(whole) + float(text) + x, first, others, int(f"{int(x[0])}7"), list(f"{len(x)}!")


def operators(x):
    bar = "#" * int(x[0]) + f"{x[0]}" * 2 + 2 * f"{len(x)}"
    template = f"{int(x[0])} of %d"
    bar += "."
    return bar, template % len(x), f"{x[0]}" + "a" + word(0), bar.replace("#", "=").count("=")


def carried(x):
    text, last = "", "none"
    for k, v in enumerate(x):
        text += f"{v:.1f},"
        if v > 0:
            last = f"row{k}"
    k = 0
    while len(text) < 30 and k < 5:
        text = text + f"<{k}>"
        k += 1
    return text, last, len(last)


def chosen(x):
    name = f"big {x[0]}" if x[0] > 1 else f"small{len(x)}" if x[0] > 0 else "none"
    return name.upper(), name, len(name), name == "none", max(name, "m"), min([name, "c", "bigger"])


def records(x):
    found = []
    for k, v in enumerate(x):
        found.append((float(-v), f"r{k}"))
    found.sort()
    best = max(found)
    return found, best, sorted(found, key=lambda pair: pair[1], reverse=True), [name.upper() for _, name in found]


def ranked_twice(x):
    found = [(int(v) % 2, f"r{k}") for k, v in enumerate(x)]
    first = sorted(found)
    for k in range(len(x)):
        first.append(sorted(found, reverse=True)[k])
    return first, [name for _, name in sorted(found)]


def raised(x):
    for k, v in enumerate(x):
        if v > 1:
            raise ValueError(f"row {k}".upper(), f"{f'r{k}':>5}")
    return int(f"{x.sum()}")


def caught(x):
    found = 0
    for k in range(len(x)):
        try:
            found += int(f"{k}"[k - 1])
        except IndexError as error:
            print(k, error)
    try:
        found += int(word(0).join(["1", f"{found}"]))
    except ValueError as error:
        print(str(error).title())
    return found


PROGRAMS = [methods, joined, headed, compared, truths, one_of_two, indexed, operators, carried, chosen, records]
PROGRAMS += [ranked_twice, raised, caught]


def check(function: Any, args: tuple[Any, ...], capsys: pytest.CaptureFixture[str]) -> None:
    check_shown(function, args, capsys)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for x in (np.array([2.0, 0.5, 1.5]), np.array([1.0])):
        check(function, (x,), capsys)


@pytest.mark.parametrize("width", [1, 6])
def test_specifications(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    check(specifications, (np.array([2.0, 0.5, 1.5]), width), capsys)


def test_without_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    for function in (methods, carried, headed, compared):
        check(function, (np.ones((0,)) if function is not methods else np.ones(1),), capsys)


def test_keys_of_parameters_stay_in_the_graph() -> None:
    def layers(x, params):
        for k in range(2):
            x = np.tanh(x @ params[f"w{k}"])
        return x

    program = graph_program(layers)
    params = {"w0": np.eye(3), "w1": np.full((3, 3), 0.5)}
    assert np.array_equal(program(np.ones(3), params), layers(np.ones(3), params))
    assert program.host_source == ""


def test_what_python_refuses() -> None:
    for wrong in (lambda x: f"{x[0]}" + 1, lambda x: f"{x[0]}" < 1, lambda x: f"{x[0]}".nothing(), lambda x: -f"{x}"):
        with pytest.raises((TypeError, AttributeError)) as found:
            graph_program(wrong)(np.ones(2))
        with pytest.raises(Exception) as expected:
            wrong(np.ones(2))
        if isinstance(found.value, GraphProgramError):
            assert str(expected.value) in str(found.value)
        else:
            assert str(expected.value) == str(found.value)
