"""Random loops with numbers that go through a few states: machines, counters that begin anew, debouncers.

Numbers depend on each other, on what rounds see, and on others that are no states; rounds may be left, ended or fail.
"""

from __future__ import annotations

from tests.transform.generated import Generated
from tests.transform.latches import arguments

HEADER = """
import numpy as np
from graph_program import Bool, Float64, Int64, Tensor


def f(x: Float64[Tensor, "n"], q: Int64[Tensor, "n"], c: Bool[Tensor, "n"], p: int, high: float):
    n = len(x)
    a, b, d, m = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, bool), np.zeros((3, n), np.int64)
    state, k, mode, on, total, hits, at = {begin}
    out = []
"""
FOOTER = """
    return a, b, d, m, np.array([state, k, hits, at]), np.array([on]), float(total), np.array(out, np.int64){mode}
"""
BEGINS = (
    "0, 0, 'idle', False, 0.0, 0, -1",
    "2, 1, 'run', high > 0, high, p, p",
    "min(max(p, 0), 3), 0, 'stop', True, -0.0, 0, 0",
)
LOOPS = ("range(n)", "range(n)", "range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(p)", "range(0, n, 2)")
OUTER = ("range(3)", "range(min(max(p, 0), 3))", "range(2, -1, -1)")
ANEW = ("state = 0", "k = 0", "on = False", "mode = 'idle'", "hits += 1", "state = 1 if c[0] else 2")
TESTS = (
    "c[i]",
    "not c[i]",
    "x[i] > high",
    "x[i] < -high",
    "q[i] == p",
    "np.isnan(x[i])",
    "i % 3 == 1",
    "c[i - 1]",
    "x[i] > (1.0 if state == 1 else 0.0)",
    "q[i] == state",
    "state < q[i]",
)
ASKED = ("state == 1", "state != 2", "on", "not on", "k > 1", "mode == 'run'", "state == k", "k == 0", "hits > 2")
USES = (
    "a[i] = state",
    "a[i] = x[i] * k",
    "b[i] = state + k",
    "b[i] = i - at",
    "d[i] = on",
    "d[i] = mode == 'stop'",
    "if state == 2: out.append(i)",
    "if on and k == 0: out.append(hits)",
    "if mode == 'run': total += float(x[i])",
    "total += float(k)",
    "if state == 1: hits += 1",
    "if state == 0: at = i",
    "b[state] += 1",
)
ROWS = ("m[r, i] = state", "m[r, i] = k + r", "m[r, i] = on", "if state == 1: hits += 1", "m[r, i] = mode == 'run'")


class Machines(Generated):
    """One program."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        lines = [HEADER.format(begin=self.pick(BEGINS)).rstrip()]
        for _ in range(self.pick([1, 1, 1, 2])):
            indent = " " * 4
            if self.chosen.random() < 0.3:
                lines.append(f"    for r in {self.pick(OUTER)}:")
                indent += " " * 4
                lines += [f"{indent}{self.pick(ANEW)}" for _ in range(self.pick([1, 2]))]
            lines.append(f"{indent}for i in {self.pick(LOOPS)}:")
            body: list[str] = []
            for _ in range(self.pick([1, 1, 2])):
                body += self._statement()
            for _ in range(self.pick([1, 1, 2])):
                body.append(self.pick(USES if len(indent) == 4 or self.chosen.random() < 0.4 else ROWS))
            if self.chosen.random() < 0.3:
                body += self._statement()
            lines += [f"{indent}    {line}" for line in body]
        return "\n".join(lines) + FOOTER.format(mode=self.pick(["", ", mode"]))

    def _test(self) -> str:
        return self.pick(ASKED) if self.chosen.random() < 0.3 else self.pick(TESTS)

    def _statement(self) -> list[str]:
        pick, tests = self.pick, [self._test() for _ in range(4)]
        number = pick(["0", "1", "2", "3", "p"] if self.chosen.random() < 0.2 else ["0", "1", "2", "3"])
        return pick(
            [
                self._cases("state", "==", pick([["0", "1", "2"], ["0", "2", "1", "3"]]), tests),
                self._cases("mode", "==", ["'idle'", "'run'", "'stop'"], tests),
                [f"if {tests[0]}:", f"    state = (state + {pick(['1', '2', 'k'])}) % {pick(['2', '3', '4'])}"],
                [f"if {tests[0]}:", f"    state = min(state + 1, {pick('345')})", "elif state > 0:", "    state -= 1"],
                [
                    "k += 1",
                    f"if k == {pick('234')}:",
                    "    k = 0",
                    f"    {pick(['hits += 1', 'at = i', 'on = not on'])}",
                ],
                [f"k = k + 1 if {tests[0]} else 0", f"if k {pick(['>=', '=='])} 3:", f"    k, on = 0, {tests[1]}"],
                [
                    f"if ({tests[0]}) != on:",
                    "    k += 1",
                    "    if k > 2:",
                    "        on, k = not on, 0",
                    "else:",
                    "    k = 0",
                ],
                ["if k > 0:", "    k -= 1", f"elif {tests[0]}:", f"    k = {pick(['2', '3', '7'])}", "    hits += 1"],
                ["before, state = state, 2 if c[i] else int(x[i] > high)", "if before != state:", "    hits += 1"],
                [f"if {tests[0]}:", f"    state = {number}", f"elif {tests[1]}:", f"    state = {pick('012')}"],
                [f"state = {pick(['1 - state', 'state ^ 1', 'abs(state - 1)', '3 - state'])}"],
                [f"if {tests[0]}:", "    state, k = k, state"],
                [f"if {tests[0]} and {tests[1]}:", f"    {pick(['continue', 'break', 'state = 0'])}"],
                [
                    f"if state == {pick('123')} and {tests[0]}:",
                    f"    {pick(['break', 'raise ValueError(state)', 'k = 1'])}",
                ],
            ]
        )

    def _cases(self, name: str, order: str, values: list[str], tests: list[str]) -> list[str]:
        lines = []
        for place, (value, test) in enumerate(zip(values, tests, strict=False)):
            last = place == len(values) - 1 and self.chosen.random() < 0.5
            lines.append("else:" if last else f"{'elif' if place else 'if'} {name} {order} {value}:")
            others = [other for other in values if other != value]
            lines += [f"    if {test}:", f"        {name} = {self.pick(others)}"]
            if self.chosen.random() < 0.3:
                lines.append(f"        {self.pick(['hits += 1', 'at = i', 'k = 0', 'on = not on'])}")
            if self.chosen.random() < 0.2:
                lines += ["    else:", f"        {name} = {self.pick(others)}"]
        return lines


__all__ = ["Machines", "arguments"]
