"""A browser, and the runtime that pages need, for the tests that open them; they are skipped where one is missing."""

from __future__ import annotations

import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.pages import made
from tests.pages.browser import Browser, Opened, chromium, started
from tests.pages.inputs import COLOURS, GREY, TONE


@pytest.fixture(scope="session")
def runtime() -> Path:
    """The folder of onnxruntime-web."""
    found = made.installed()
    if found is None:
        pytest.skip(made.WHY)
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One process for all pages."""
    command = chromium()
    if command is None:
        pytest.skip("there is no chromium: `make emulators` installs it where it may")
    with started(command) as running:
        yield running


@pytest.fixture
def opened(browser: Browser, runtime: Path, tmp_path: Path) -> Callable[..., Opened]:
    """The page of a program, open and ready."""
    downloads = tmp_path / "downloads"
    downloads.mkdir()

    def open_(program: Any, args: Any = None, **show: str) -> Opened:
        path = made.written(program, tmp_path, runtime, args, **show)
        return browser.open(path, downloads).ready()

    return open_


@pytest.fixture
def grey(tmp_path: Path) -> Path:
    """A grey picture as a file."""
    Image.fromarray(GREY).save(tmp_path / "grey.png")
    return tmp_path / "grey.png"


@pytest.fixture
def coloured(tmp_path: Path) -> Path:
    """A picture in colours as a file."""
    Image.fromarray(COLOURS).save(tmp_path / "coloured.png")
    return tmp_path / "coloured.png"


@pytest.fixture
def tone(tmp_path: Path) -> Path:
    """A sound of 8,000 samples a second as a file."""
    path = tmp_path / "tone.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(TONE.tobytes())
    return path
