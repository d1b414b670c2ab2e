"""Every sample runs, prints its result, and gives what the plain function gives."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import load
from graph_program.samples import (
    cartpole,
    coins,
    detections,
    digits,
    encoder,
    kalman,
    lstm,
    particles,
    text_page,
    text_recognition,
    tracker,
    voice_activity,
)

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = sorted(path.stem for path in (ROOT / "samples").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", SAMPLES)
def test_main_prints_a_result(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(f"graph_program.samples.{name}").main()
    assert capsys.readouterr().out


def assert_same_coins(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    assert type(found.count) is type(expected.count)
    assert found.count == expected.count
    for name in ("labels", "outline"):
        assert getattr(found, name).dtype == getattr(expected, name).dtype
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_plain_python_counts_the_coins() -> None:
    assert coins.count_coins.python(coins.photograph(), coins.Settings()).count == 24


def test_coins_in_the_photograph() -> None:
    photo = coins.photograph()
    expected = coins.count_coins.python(photo, coins.Settings())
    assert_same_coins(coins.count_coins(photo, coins.Settings()), expected)


def small_pictures() -> dict[str, Any]:
    flat = np.full((7, 5), 9, np.uint8)
    ring = np.zeros((24, 30), np.uint8)
    ring[4:16, 5:18] = 200
    ring[8:12, 9:13] = 0
    ring[20, 25] = 220
    return {"empty": np.zeros((0, 4), np.uint8), "flat": flat, "ring": ring}


@pytest.mark.parametrize("name", small_pictures())
def test_coins_in_small_pictures(name: str) -> None:
    photo = small_pictures()[name]
    settings = coins.Settings(smoothing=1, background=10, smallest=20)
    assert_same_coins(coins.count_coins(photo, settings), coins.count_coins.python(photo, settings))


@pytest.mark.parametrize("length", [0, 1, 6])
def test_lstm(length: int) -> None:
    layer = lstm.random_lstm(inputs=4, hidden=3)
    xs = np.random.default_rng(0).standard_normal((length, 4)).astype(np.float32)
    states = lstm.lstm(layer, xs)
    expected = lstm.lstm.python(layer, xs)
    assert states.dtype == expected.dtype
    assert states.shape == expected.shape
    np.testing.assert_allclose(states, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("tokens", [1, 5])
def test_encoder(tokens: int) -> None:
    layer = encoder.random_encoder(model=8, inner=12)
    x = np.random.default_rng(0).standard_normal((tokens, 8)).astype(np.float32)
    found, expected = encoder.encode(x, layer), encoder.encode.python(x, layer)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [0, 1, 2, 30])
def test_kalman(length: int) -> None:
    _, measured = kalman.noisy_circle(length, noise=1.0)
    smooth = kalman.smooth_track(kalman.Motion(), measured)
    expected = kalman.smooth_track.python(kalman.Motion(), measured)
    assert smooth.dtype == expected.dtype
    assert smooth.shape == expected.shape
    np.testing.assert_allclose(smooth, expected, rtol=1e-8, atol=1e-10)


def test_kalman_smooths() -> None:
    track, measured = kalman.noisy_circle(60, noise=1.0)
    smooth = kalman.smooth_track.python(kalman.Motion(), measured)
    assert np.mean((smooth - track) ** 2) < 0.25 * np.mean((measured - track) ** 2)


def test_tracker() -> None:
    here, there = tracker.Tracker(patience=2), tracker.Tracker(patience=2)
    _, measured = tracker.noisy_line(30, seed=1)
    measured[10:14] = np.nan
    for point in measured:
        np.testing.assert_allclose(here.step(point), there.step.python(point))
        assert (here.found, here.missed) == (there.found, there.missed)
        np.testing.assert_allclose(here.velocity, there.velocity)


@pytest.mark.parametrize("things", [0, 1, 4])
def test_detections(things: int) -> None:
    boxes, scores = detections.noisy_boxes(things, each=4)
    found, expected = detections.suppress(boxes, scores), detections.suppress.python(boxes, scores)
    assert found == expected
    assert [type(field) for one in found for field in one] == [type(field) for one in expected for field in one]
    assert sum(one.votes for one in found) == len(boxes)


@pytest.mark.parametrize("gymnasium", [True, False])
def test_cartpole(gymnasium: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if gymnasium:
        pytest.importorskip("gymnasium")
    else:
        monkeypatch.setitem(sys.modules, "gymnasium", None)
    cartpole.simulator.cache_clear()
    policy = cartpole.random_policy()
    for seed in (0, 1):
        (steps, seen), (expected, there) = (f(policy, seed) for f in (cartpole.episode, cartpole.episode.python))
        assert (type(steps), steps, seen.tolist()) == (type(expected), expected, there.tolist())
    cartpole.simulator.cache_clear()


def test_cartpole_needs_few_exchanges() -> None:
    """What is seen goes to the graph and what is done to the host; the end is told; nothing else crosses."""
    cartpole.episode(cartpole.random_policy(), 0)
    text = cartpole.episode.host_source
    assert text.count("def step_") == 3
    assert "result = step(kept)" in text


def test_particles() -> None:
    key = particles.random.key(5)
    states, measured = particles.track(key, 40)
    np.testing.assert_allclose(states, particles.track.python(key, 40)[0])
    for given in (measured, measured[:0]):
        for a, b in zip(particles.filtered(key, given, 200), particles.filtered.python(key, given, 200), strict=True):
            np.testing.assert_allclose(a, b)


def speech(audio: Any, settings: voice_activity.Settings, folder: Path) -> list[tuple[int, int]]:
    """The pieces of speech, which are the same in Python, as a graph and from a file."""
    network = voice_activity.network()
    first, last = voice_activity.find_speech.python(network, audio, settings)
    path = folder / "speech.onnx"
    voice_activity.find_speech.export(path, (network, audio, settings))
    for found in (voice_activity.find_speech(network, audio, settings), load(path)(network, audio, settings)):
        for a, b in zip(found, (first, last), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
    return list(zip(first.tolist(), last.tolist(), strict=True))


@pytest.mark.parametrize("seed", [0, 1])
def test_speech_is_where_the_package_finds_it(seed: int, tmp_path: Path) -> None:
    silero = pytest.importorskip("silero_vad", reason="silero-vad is not installed")
    import torch

    audio, model = voice_activity.recording(5, seed), silero.load_silero_vad(onnx=True)
    for settings in (voice_activity.Settings(), voice_activity.Settings(0.9, 800, 480, 1600)):
        said = {
            "min_speech_duration_ms": settings.shortest / 16,
            "min_silence_duration_ms": settings.silence / 16,
            "speech_pad_ms": settings.margin / 16,
        }
        want = silero.get_speech_timestamps(torch.from_numpy(audio), model, threshold=settings.threshold, **said)
        assert speech(audio, settings, tmp_path) == [(piece["start"], piece["end"]) for piece in want]


def test_speech_without_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(voice_activity, "find_spec", lambda name: None)
    voice_activity.network.cache_clear()
    try:
        assert voice_activity.network().name == "loud"
        assert len(speech(voice_activity.recording(), voice_activity.Settings(), tmp_path)) == 4
        assert speech(np.zeros(700, np.float32), voice_activity.Settings(), tmp_path) == []
    finally:
        voice_activity.network.cache_clear()


def test_digits_are_read_as_the_classifier_says(tmp_path: Path) -> None:
    images, wanted = (part[digits.TRAINED_ON :] for part in digits.pictures())
    right = 0
    path = tmp_path / "digits.onnx"
    digits.read_digit.export(path, (digits.trees(), images[0]))
    exported = load(path)
    for image, digit in zip(images[:60], wanted[:60], strict=True):
        expected = digits.read_digit.python(digits.trees(), image)
        for found in (digits.read_digit(digits.trees(), image), exported(digits.trees(), image)):
            assert found[0] == expected[0]
            np.testing.assert_allclose(found[1], expected[1], rtol=1e-5)
        right += expected[0] == digit
    assert right > 50


def test_holes_in_ink() -> None:
    rings = np.zeros((8, 8), bool)
    rings[1:4, 1:4] = rings[4:7, 3:6] = True
    rings[2, 2] = rings[5, 4] = False
    assert [digits.holes(ink) for ink in (rings, ~rings, np.zeros((8, 8), bool))] == [2, 1, 0]


def test_page_with_networks_that_stand_in(without_trained: None, tmp_path: Path) -> None:
    page = text_page.drawn([["ab", "cac"], ["b"]])
    args = (text_page.detector(), text_recognition.network(), page)
    expected = text_page.read_page.python(*args)
    path = tmp_path / "page.onnx"
    text_page.read_page.export(path, (*args[:2], page[:80]))
    for found in (text_page.read_page(*args), load(path)(*args)):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
    (first, second, third), dark = expected[0], page.min(axis=2) < 255
    assert first[2] < second[2] and third[0] > (first[0] + first[1]) / 2
    covered = np.zeros_like(dark)
    for top, bottom, left, right in expected[0]:
        covered[top:bottom, left:right] = True
    assert not (dark & ~covered).any()
    for found in (
        text_page.read_page(*args[:2], np.full_like(page, 255)),
        load(path)(*args[:2], np.full_like(page, 255)),
    ):
        assert [len(part) for part in found] == [0, 0, 0]


@pytest.mark.parametrize("text", ["abcab", "cabba", "c", "aabbcc"])
def test_lines_with_a_network_that_stands_in(without_trained: None, text: str) -> None:
    args = (text_recognition.network(), text_recognition.drawn(text))
    for program in (text_recognition.recognise, text_recognition.recognise_by_beam):
        for found in (program.python(*args), program(*args)):
            assert "".join(text_recognition.characters()[int(symbol)] for symbol in found[0]) == text


@pytest.fixture
def without_trained(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the package with the trained networks were not there."""
    kept = (text_recognition.network, text_recognition.characters, text_page.detector)
    monkeypatch.setattr(text_recognition, "find_spec", lambda name: None)
    for made in kept:
        made.cache_clear()
    yield
    for made in kept:
        made.cache_clear()


@pytest.mark.parametrize("size", [20, 28, 41])
@pytest.mark.parametrize("text", ["Imperative Python", "on the edge, 2.5 ms", "0123456789", "x"])
def test_lines_are_read_as_the_package_reads_them(text: str, size: int) -> None:
    package = pytest.importorskip("rapidocr_onnxruntime", reason="rapidocr-onnxruntime is not installed")
    picture = text_recognition.drawn(text, size)
    expected, _ = package.RapidOCR().text_rec(picture)
    symbols, certain = text_recognition.recognise(text_recognition.network(), picture)
    assert "".join(text_recognition.characters()[int(symbol)] for symbol in symbols) == expected[0][0]
    assert abs(float(np.mean(certain)) - expected[0][1]) < 0.01
