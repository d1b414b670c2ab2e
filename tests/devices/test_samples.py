"""The samples for other processors give there what Python gives, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.samples import boxes_page, radar, regulator
from graph_program.samples.devices import Absent, tool


def unless_absent(run: Callable[[], Any]) -> Any:
    """What a function gives; the test is skipped where a tool is not there."""
    try:
        return run()
    except Absent as absent:
        pytest.skip(str(absent))


def test_regulator_on_a_cortex_m4(tmp_path: Path) -> None:
    readings, powers = regulator.simulated(200)
    np.testing.assert_array_equal(unless_absent(lambda: regulator.on_the_board(readings, tmp_path)), powers)
    assert "malloc" not in (tmp_path / "regulator.c").read_text()


def test_radar_on_aarch64(tmp_path: Path) -> None:
    measured = radar.flight(60, seed=3)
    track = unless_absent(lambda: radar.on_aarch64(measured, tmp_path))
    np.testing.assert_array_equal(track, radar.in_python(measured))


@pytest.fixture(scope="module")
def wasm(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    found: bytes = unless_absent(lambda: boxes_page.in_wasm(tmp_path_factory.mktemp("wasm")))
    return found


@pytest.mark.parametrize(("things", "each"), [(3, 5), (1, 1), (0, 0)])
def test_boxes_in_node(wasm: bytes, things: int, each: int, tmp_path: Path) -> None:
    boxes, scores = boxes_page.noisy_boxes(things, each, seed=2)
    kept = unless_absent(lambda: boxes_page.in_node(wasm, boxes, scores, tmp_path))
    assert kept == boxes_page.in_python(boxes, scores)


def test_boxes_in_a_browser(wasm: bytes, tmp_path: Path) -> None:
    boxes, scores = boxes_page.noisy_boxes(4, 6, seed=1)
    text = boxes_page.page(wasm, boxes, scores)
    assert unless_absent(lambda: boxes_page.in_browser(text, tmp_path)) == boxes_page.in_python(boxes, scores)


def test_the_methods_of_samples_in_process() -> None:
    readings, powers = regulator.simulated(20)
    own = regulator.Regulator()
    np.testing.assert_allclose([own.step(read, regulator.WANTED) for read in readings], powers, rtol=1e-13)
    measured = radar.flight(20)
    following = radar.Radar()
    np.testing.assert_allclose([following.measure(point) for point in measured], radar.in_python(measured), rtol=1e-9)


def test_what_is_absent_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Absent, match="there is no node"):
        tool("nodejs", "node")
    regulator.main()
    assert "no image is made: there is no arm-none-eabi-gcc" in capsys.readouterr().out
