"""Where in a recording somebody speaks: a trained network in a loop, and decisions that are written by hand.

The network looks at 32 ms at a time and has a state. Around it are ordinary lines: the loop over the recording, two
thresholds, so that a voice near one of them does not flicker, silences that are too short to count, margins. All of
it is one program, and one ONNX file with the network inside.

Run with `python samples/voice_activity.py`. The network is that of the package `silero-vad` (MIT licence), and the
decisions are those of its function `get_speech_timestamps`; without the package, a network of a few lines stands in,
which hears loud from quiet. The recording is synthesized.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program, load_onnx

RATE = 16000
"""Samples in a second."""
CHUNK, CONTEXT = 512, 64
"""Samples that the network looks at: so many new ones, behind so many of the chunk before."""
LOUD = """<ir_version: 8, opset_import: ["" : 17]>
loud (float[1, n] input, float[2, 1, 128] state, int64 sr) => (float[1, 1] output, float[2, 1, 128] stateN)
<float least = {0.6}, float gain = {10.0}>
{ loudness = ReduceL2 <axes: ints = [1]> (input)  more = Sub (loudness, least)  high = Mul (more, gain)
  output = Sigmoid (high)  stateN = Identity (state) }"""
VOWELS = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480), (570, 840, 2410))
"""Frequencies of the first three resonances of a mouth, in Hz."""


@dataclass
class Settings:
    """What counts as speech.

    Attributes
    ----------
    threshold : float
        A probability from which on speech begins; it ends where one is 0.15 below.
    shortest : int
        Samples of the shortest speech that counts.
    silence : int
        Samples of silence that end it.
    margin : int
        Samples that are added before and behind.
    """

    threshold: float = 0.5
    shortest: int = RATE // 4
    silence: int = RATE // 10
    margin: int = 480


@cache
def network() -> Any:
    """The trained network, as a function."""
    found = find_spec("silero_vad")
    if found is not None and found.origin is not None:
        return load_onnx(Path(found.origin).parent / "data" / "silero_vad.onnx")
    import onnx.parser

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loud.onnx"
        path.write_bytes(onnx.parser.parse_model(LOUD).SerializeToString())
        return load_onnx(path)


@graph_program
def find_speech(network: Any, audio: Float32[Tensor, "samples"], settings: Settings) -> Any:
    """The first sample of each piece of speech, and the one behind it."""
    count = (audio.shape[0] + CHUNK - 1) // CHUNK
    padded = np.zeros(count * CHUNK, np.float32)
    padded[: audio.shape[0]] = audio
    state = np.zeros((2, 1, 128), np.float32)
    context = np.zeros((1, CONTEXT), np.float32)
    first, last = [], []
    began, quiet = -1, -1
    for k in range(count):
        chunk = padded[k * CHUNK : (k + 1) * CHUNK].reshape(1, CHUNK)
        speech, state = network(np.concatenate([context, chunk], axis=1), state, RATE)
        context = chunk[:, -CONTEXT:]
        here = k * CHUNK
        if speech[0, 0] >= settings.threshold:
            quiet = -1
            if began < 0:
                began = here
        elif speech[0, 0] < settings.threshold - 0.15 and began >= 0:
            if quiet < 0:
                quiet = here
            if here - quiet >= settings.silence:
                if quiet - began > settings.shortest:
                    first.append(began)
                    last.append(quiet)
                began, quiet = -1, -1
    if began >= 0 and audio.shape[0] - began > settings.shortest:
        first.append(began)
        last.append(audio.shape[0])
    return with_margins(np.array(first, np.int64), np.array(last, np.int64), audio.shape[0], settings.margin)


def with_margins(first: Any, last: Any, samples: int, margin: int) -> Any:
    """The pieces with a margin around each, or half of the silence between two where that is less."""
    for k in range(first.shape[0]):
        if k == 0:
            first[k] = max(0, first[k] - margin)
        if k + 1 == first.shape[0]:
            last[k] = min(samples, last[k] + margin)
        elif first[k + 1] - last[k] < 2 * margin:
            half = (first[k + 1] - last[k]) // 2
            last[k] += half
            first[k + 1] -= half
        else:
            last[k] += margin
            first[k + 1] -= margin
    return first, last


# ---------------------------------------------------------------- a recording


def resonance(x: Any, frequency: float, width: float) -> Any:
    """What a resonance makes of a sound."""
    r = np.exp(-np.pi * width / RATE)
    a, b = 2 * r * np.cos(2 * np.pi * frequency / RATE), -r * r
    y, before, earlier = np.zeros(len(x)), 0.0, 0.0
    for k in range(len(x)):
        y[k] = (1 - a - b) * x[k] + a * before + b * earlier
        before, earlier = y[k], before
    return y


def syllable(random: np.random.Generator, seconds: float, pitch: float, vowel: tuple[int, ...]) -> Any:
    """A vowel: pulses of a throat through the resonances of a mouth."""
    t = np.arange(int(seconds * RATE)) / RATE
    turns = np.cumsum(pitch * (1 - 0.15 * t / seconds) * (1 + 0.02 * np.sin(2 * np.pi * 5 * t))) / RATE
    sound = -np.diff((turns % 1.0) ** 2, prepend=0.0) + 0.02 * random.normal(size=len(t))
    for frequency, width in zip(vowel, (60, 90, 150), strict=True):
        sound = resonance(sound, frequency, width)
    sound *= np.clip(np.minimum(t / 0.03, (seconds - t) / 0.05), 0, 1)
    return sound / np.abs(sound).max() * 0.3


def recording(words: int = 4, seed: int = 0) -> Any:
    """Some words of a synthesized voice, with silence between them."""
    random = np.random.default_rng(seed)
    parts = []
    for _ in range(words):
        parts.append(np.zeros(int(RATE * random.uniform(0.3, 0.9))))
        for _ in range(random.integers(2, 6)):
            vowel = VOWELS[random.integers(len(VOWELS))]
            parts.append(syllable(random, random.uniform(0.15, 0.28), random.uniform(100, 140), vowel))
            parts.append(0.05 * random.normal(size=960) * np.hanning(960))
    parts.append(np.zeros(RATE))
    sound = np.concatenate(parts)
    return (sound + 0.001 * random.normal(size=len(sound))).astype(np.float32)


def main() -> None:
    """Find the words in a recording."""
    audio = recording()
    first, last = find_speech(network(), audio, Settings())
    print(f"{network().name}: {len(first)} words in {len(audio) / RATE:.1f} s")
    for a, b in zip(first / RATE, last / RATE, strict=True):
        print(f"  {a:5.2f} s to {b:5.2f} s")


if __name__ == "__main__":
    main()
