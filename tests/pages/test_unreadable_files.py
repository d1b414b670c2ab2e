"""Files that a page cannot read stop its runs: nothing that was there before is taken in their place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.pages import programs
from tests.pages.browser import Opened
from tests.pages.inputs import GREY

Open = Callable[..., Opened]


def test_a_file_that_cannot_be_read_stops_the_run(opened: Open, grey: Path, tmp_path: Path) -> None:
    page = opened(programs.threshold)
    broken, integers = tmp_path / "broken.png", tmp_path / "integers.npy"
    broken.write_bytes(grey.read_bytes()[:20])
    np.save(integers, GREY.astype(np.int16))
    cut = tmp_path / "cut.NPY"
    np.save(tmp_path / "whole.npy", GREY)
    cut.write_bytes((tmp_path / "whole.npy").read_bytes()[:-80])
    for path, said in (
        (broken, "broken.png is no picture that this browser reads"),
        (integers, "the file has int16, expected uint8"),
        (cut, "the file is cut off: it has 4720 of its 4800 elements"),
    ):
        page.choose_for("photo", grey)
        page.run()
        assert page.text("#error") == ""
        page.choose("[data-input=photo]", path)
        page.run()  # at once: what was there before is not what was chosen
        assert page.text("#error") == f"photo: {said}" and page.text("#results") == ""
        assert page.text(".field [role=status]") == said
        page.run()
        assert page.text("#error") == f"photo: {said}"


def test_a_file_of_elements_that_cannot_be_read(opened: Open, tmp_path: Path) -> None:
    page = opened(programs.scaled)
    page.type("x", "[1, 2]")
    np.save(tmp_path / "rank.npy", np.zeros((2, 2)))
    page.choose("[data-file=x]", tmp_path / "rank.npy")
    page.run()
    said = "expected float64 [n], got 2 dimensions: (2, 2)"
    assert page.text("#error") == f"x: {said}" and page.text(".field [role=alert]") == said
    page.type("x", "[3]")
    page.run()
    assert page.results()["result"] == [6] and page.text(".field [role=alert]") == ""
    np.save(tmp_path / "x.npy", np.zeros(20_000))
    page.choose("[data-file=x]", tmp_path / "x.npy")
    page.run()
    assert page.results()["result"] == [0] * 20_000


def test_a_sound_that_cannot_be_read_stops_the_run(opened: Open, tone: Path, tmp_path: Path) -> None:
    page = opened(programs.pitch)
    page.type("rate", "8000")
    np.save(tmp_path / "doubles.npy", np.zeros(9))
    (tmp_path / "broken.wav").write_bytes(b"RIFF and nothing else")
    for name, said in (
        ("doubles.npy", "the file has float64, expected float32"),
        ("broken.wav", "the sound cannot be read at 8000 samples a second"),
    ):
        page.choose_for("sound", tone)
        page.run()
        assert page.text("#error") == ""
        page.choose("[data-input=sound]", tmp_path / name)
        page.run()
        assert page.text("#error") == f"sound: {said}" and page.text("#results") == ""
        page.wait(
            f"[...document.querySelectorAll('[role=status]')].some((one) => one.innerText === {json.dumps(said)})"
        )
