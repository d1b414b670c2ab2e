"""A few broken programs; `python -m tests.seeded` breaks every one in every place."""

from __future__ import annotations

import pytest

from tests.seeded.__main__ import verdicts
from tests.seeded.check import Found, Verdict, judge
from tests.seeded.mutations import RULES, mutants
from tests.seeded.subjects import Subject, of_tables, samples

SOURCE = """\
import numpy as np
from graph_program import Float64, Tensor, graph_program

@graph_program
def program(x: Float64[Tensor, "n 4"], w: Float64[Tensor, "4 3"]) -> Float64[Tensor, "n 3"]:
    y = x @ w
    s = y.sum(axis=1, keepdims=True)
    z = np.zeros((x.shape[0], 3)) + y.T.T
    return z[0 : x.shape[0]] / s
"""


def small() -> Subject:
    import numpy as np

    return Subject("small", SOURCE, "program", lambda module: (np.ones((5, 4)), np.ones((4, 3))))


def test_every_rule_has_a_mutant() -> None:
    found = {m.kind for m in mutants(SOURCE)} | {m.kind for m in mutants("def f(x):\n    return np.float32(x)\n")}
    assert found == set(RULES)
    for mutant in mutants(SOURCE):
        compile(mutant.source, "<mutant>", "exec")
        assert mutant.source != SOURCE


def mutant_of(now: str) -> Verdict:
    (mutant,) = [m for m in mutants(SOURCE) if m.now == now]
    return judge(small(), mutant)


@pytest.mark.parametrize("now", ["w.T", '"4 4"'])
def test_found_at_extraction_at_the_line(now: str) -> None:
    verdict = mutant_of(now)
    assert verdict.found is Found.EXTRACTION, verdict
    assert verdict.right_line, verdict


def test_what_runs_is_no_mistake() -> None:
    assert mutant_of("x.shape[0] + 1").found is Found.NO_MISTAKE


def test_a_few_of_all() -> None:
    subjects = [s for s in samples() if s.title in ("lstm", "model network")] + of_tables()[::12]
    judged = [verdict for _, verdict in verdicts(subjects, every=47)]
    assert not [v for v in judged if v.found in (Found.UNNOTICED, Found.CRASHED)]
