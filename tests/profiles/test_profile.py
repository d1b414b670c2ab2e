"""`program.profile`: each time at its line, all of it, and nothing but time."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError
from graph_program.profiles.profile import Line, Profile
from tests.profiles import programs
from tests.profiles.programs import marked

X = np.eye(120) * 0.5


@pytest.fixture(scope="module")
def powers() -> Profile:
    return programs.powers.profile(X, 20, repeat=3, warmup=1)


def at(profile: Profile, text: str) -> Line:
    (found,) = [line for line in profile.lines if line.line == marked(text)]
    return found


def everything(lines: tuple[Line, ...]) -> Iterator[Line]:
    for line in lines:
        yield line
        yield from everything(line.inlined)


def test_the_line_that_does_the_work_has_the_largest_share(powers: Profile) -> None:
    largest = max(powers.lines, key=lambda line: line.seconds)
    assert largest.line in (marked("body"), marked("call in the loop"))
    loop = at(powers, "loop")
    assert loop.seconds < at(powers, "body").seconds + at(powers, "call in the loop").seconds


def test_times_add_up(powers: Profile) -> None:
    lines = sum(line.seconds for line in powers.lines)
    assert lines + powers.between + powers.unattributed == pytest.approx(powers.seconds)
    assert all(line.seconds >= 0 for line in everything(powers.lines))
    for line in everything(powers.lines):
        assert line.seconds == pytest.approx(line.own + sum(inner.seconds for inner in line.inlined))
    assert min(powers.runs) <= powers.seconds <= max(powers.runs)


def test_operations_are_counted(powers: Profile) -> None:
    counts = {operation.operator: operation.count for operation in powers.operations}
    assert counts["Loop"] == 1
    assert counts["MatMul"] == 20


def test_inlined_functions_stand_under_their_calls(powers: Profile) -> None:
    call = at(powers, "call in the loop")
    assert {inner.function for inner in call.inlined} == {"squashed"}
    assert call.inlined[0].line == marked("in the helper")
    (between,) = at(powers, "call of a call").inlined
    assert (between.function, between.line) == ("deeper", marked("in between"))
    assert marked("in the helper") in [inner.line for inner in between.inlined]


def test_functions_of_the_library_stand_under_their_calls() -> None:
    profile = programs.solved.profile(X + 1, np.ones(120), repeat=1, warmup=0)
    assert max(profile.lines, key=lambda line: line.seconds).line == marked("library")
    assert at(profile, "library").inlined


def test_the_text_is_the_source_with_times(powers: Profile) -> None:
    text = str(powers)
    rows = text.splitlines()
    (body,) = [row for row in rows if row.endswith("# body")]
    assert "%" in body and str(marked("body")) in body
    assert [row for row in rows if row.endswith("squashed, programs.py")]
    assert text.index("call in the loop") < text.index("in the helper") < text.index("# branch")
    assert rows[-1].endswith("100.0 %  in all")
    assert any(row.endswith("between operations: onnxruntime itself") for row in rows)


def test_the_table_of_operations(powers: Profile) -> None:
    rows = powers.by_operator().splitlines()
    (product,) = [row for row in rows if " MatMul " in row]
    assert product.endswith(f"programs.py:{marked('body')}")
    assert len([row for row in rows if " < " in row]) > 2


def test_a_loop_over_numbers() -> None:
    profile = programs.counted.profile(27, repeat=3)
    assert at(profile, "while").seconds > 0
    assert profile.seconds < profile.profiled
    lines = {line.line for line in profile.lines}
    assert {marked("while"), marked("while") + 1, marked("while") + 2} <= lines


def test_nodes_that_onnxruntime_fuses_have_the_line_of_what_they_were() -> None:
    x = np.ones((40, 40), np.float32)
    profile = programs.fused.profile(x, x, x[0], repeat=1)
    assert {operation.operator for operation in profile.operations} & {"Gemm", "FusedGemm"}
    assert profile.unattributed == 0
    assert {line.line for line in profile.lines} == {marked("fused")}


def test_json(powers: Profile) -> None:
    found = json.loads(powers.json())
    assert found["seconds"] == powers.seconds
    assert found["runs"] == list(powers.runs)
    assert [line["line"] for line in found["lines"]] == [line.line for line in powers.lines]
    call = next(line for line in found["lines"] if line["line"] == marked("call in the loop"))
    assert call["inlined"][0]["function"] == "squashed"
    assert len(found["operations"]) == len(powers.operations)
    assert Line(**{**call, "inlined": at(powers, "call in the loop").inlined}) == at(powers, "call in the loop")


def test_speedscope(powers: Profile) -> None:
    found = json.loads(powers.speedscope())
    assert found["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames, (profile,) = found["shared"]["frames"], found["profiles"]
    assert all(isinstance(frame["name"], str) for frame in frames)
    assert profile["type"] == "sampled"
    assert profile["unit"] == "microseconds"
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["endValue"] - profile["startValue"] == pytest.approx(sum(profile["weights"]))
    assert sum(profile["weights"]) == pytest.approx(powers.seconds * 1e6)
    assert all(0 <= number < len(frames) for sample in profile["samples"] for number in sample)
    stacks = [[frames[number]["name"] for number in sample] for sample in profile["samples"]]
    assert ["powers", f"powers:{marked('call in the loop')}", f"squashed:{marked('in the helper')}", "Tanh"] in stacks


# ---------------------------------------------------------------- what a profile leaves alone


def test_arguments_and_state_are_as_they_were() -> None:
    x = np.zeros(3)
    programs.checked.profile(x, repeat=2)
    assert x.tolist() == [0, 0, 0]
    one = programs.Filter()
    profile = one.step.profile(np.ones(2), repeat=2)
    assert one.last.tolist() == [0, 0]
    assert marked("state") in [line.line for line in profile.lines]


def test_no_files_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    x = np.ones((4, 4), np.float32)
    programs.fused.profile(x, x, x[0], repeat=2)
    assert not [*(tmp_path / "temporary").iterdir(), *(tmp_path / "here").iterdir()]


# ---------------------------------------------------------------- what has no profile


def test_a_program_with_host_code_is_refused() -> None:
    with pytest.raises(GraphProgramError, match="cannot be profiled") as error:
        programs.asking.profile(np.ones(2))
    assert error.value.code == "GP513"


def test_a_call_that_raises_raises() -> None:
    with pytest.raises(ValueError, match="too large"):
        programs.checked.profile(np.full(3, 2.0))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
        programs.powers.profile(X)


@pytest.mark.parametrize(
    ("options", "error"), [({"repeat": 0}, ValueError), ({"warmup": -1}, ValueError), ({"repeat": 1.5}, TypeError)]
)
def test_numbers_of_runs_that_are_none(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        programs.known.profile(**options)


def test_more_operations_than_the_profiler_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_program.profiles.measured.LIMIT", 100)
    with pytest.raises(GraphProgramError) as error:
        programs.counted.profile(27)
    assert error.value.code == "GP514"


def test_a_program_whose_result_is_known() -> None:
    profile = programs.known.profile()
    assert profile.seconds == pytest.approx(sum(o.seconds for o in profile.operations) + profile.between)
    assert "known, programs.py" in str(profile)
