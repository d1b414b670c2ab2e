"""Random programs against plain Python; the long run is `python -m tests.fuzz`."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from tests.fuzz.check import Verdict, check
from tests.fuzz.generator import Program, programs


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_same_as_python(program: Program) -> None:
    checked = check(program)
    assert checked.verdict is not Verdict.DIFFERENT, f"{checked.detail}\n{program.source}\n{program.args}"
