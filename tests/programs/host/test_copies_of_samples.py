"""Samples with host code: what they do as plain Python does it, what crosses, and what `check` says of them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from graph_program import cli as command
from graph_program.samples import camera, cartpole, monitor
from tests.benchmarks.copies import counted

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


@pytest.mark.parametrize("sweeps", [0, 1, 700])
def test_monitor(sweeps: int, capsys: pytest.CaptureFixture[str]) -> None:
    found: list[Any] = []
    for solve in (monitor.heat, monitor.heat.python):
        plate, count = solve(monitor.hot_edge(16), sweeps, 100, 1e-3)
        found.append((plate.round(9).tolist(), count, capsys.readouterr().out))
    assert found[0] == found[1]


@pytest.mark.parametrize("frames", [0, 1, 2, 7])
def test_camera(frames: int) -> None:
    found = camera.track(frames, 16, 24, 0.3)
    expected = camera.track.python(frames, 16, 24, 0.3)
    assert [m.frame for m in found] == [m.frame for m in expected]
    for one, other in zip(found, expected, strict=True):
        assert type(one) is type(other)
        assert [type(v) for v in one] == [type(v) for v in other]
        assert tuple(one) == pytest.approx(tuple(other))


def test_one_exchange_for_each_frame() -> None:
    camera.track(1, 16, 24, 0.3)
    assert camera.track.host_source.count("def step_") == 2


def test_copies_are_as_few_as_can_be() -> None:
    made = counted()
    assert all(found <= fewest + 1 for found, fewest in made.values()), made


@pytest.mark.parametrize("name", ["cartpole", "monitor", "camera"])
def test_check_says_nothing_of_samples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert command.main(["check", str(SAMPLES / f"{name}.py")]) == 0
    assert "GP523" not in capsys.readouterr().out


@pytest.mark.parametrize(("name", "line"), [("monitor", "for print"), ("camera", "from an item of camera")])
def test_check_finds_copies_that_are_not_asked_for(
    name: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (SAMPLES / f"{name}.py").read_text(encoding="utf-8")
    plain = re.sub(r"to_(host|device)\((float\(change\)|raw)\)", r"\2", text)
    file = tmp_path / f"{name}_plain.py"
    file.write_text(plain, encoding="utf-8")
    command.main(["check", str(file)])
    said = capsys.readouterr().out
    assert line in said
    assert "GP523" in said


def test_nothing_crosses_that_is_not_asked_for() -> None:
    cartpole.episode(cartpole.random_policy(), 0)
    assert all(copy.asked for program in (cartpole.episode, monitor.heat, camera.track) for copy in program.copies)
