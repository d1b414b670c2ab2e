"""What is written on a picture of one line: a trained network between what makes its input and what reads its output.

Before the network a picture is made 48 rows high, by bilinear interpolation, and its greys are numbers around 0. Behind
it, each column has a score for each of 6,625 symbols: the best path leaves out repetitions and blanks (`recognise`), a
beam adds up all the paths of each text (`recognise_by_beam`). All of it is one program, and one ONNX file with the
network inside; a table says which symbol is which character.

Run with `python samples/text_recognition.py`. The network is PP-OCR's recogniser (Apache 2.0 licence), as the package
`rapidocr-onnxruntime` brings it, and the preparation and the best path are those of its `TextRecognizer`. Without the
package, a network of a few lines stands in, which reads stripes. The pictures are drawn.
"""

from __future__ import annotations

import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Tensor, UInt8, graph_program, load_onnx

HEIGHT, LEAST_WIDTH = 48, 320
"""Rows and least columns of what the network looks at."""
RECOGNISER = "ch_PP-OCRv4_rec_infer.onnx"
BLANK = 0
WIDTH, TRIED = 4, 3
"""Texts that a beam keeps, and symbols that it tries behind each."""
STRIPE = {"a": 0, "b": 64, "c": 32}
"""The greys that the small network reads in the middle of a picture; white, and what is between the two, are blanks."""
STRIPES = """<ir_version: 8, opset_import: ["" : 17]>
stripes (float[1, 3, 48, w] x) => (float[1, t, 4] y)
<int64[1] top = {20}, int64[1] bottom = {28}, int64[1] rows = {2}, float half = {0.5}, float sharp = {-50.0},
 float[1, 1, 4] greys = {0.5, 1.5, 1.0, 1.25}> {
  middle = Slice (x, top, bottom, rows)
  column = AveragePool <kernel_shape: ints = [8, 8], strides: ints = [8, 8]> (middle)
  grey = ReduceMean <axes: ints = [1, 2], keepdims: int = 0> (column)  other = Sub (grey, half)  level = Abs (other)
  one = Unsqueeze (level, rows)  apart = Sub (one, greys)  far = Abs (apart)  near = Mul (far, sharp)
  y = Softmax <axis: int = 2> (near) }"""


# ---------------------------------------------------------------- the programs


@graph_program
def recognise(network: Any, picture: UInt8[Tensor, "h w 3"]) -> Any:
    """The symbols of the best path, and the network's score of each (Graves et al., 2006)."""
    return best_path(network(prepared(picture))[0])


@graph_program
def recognise_by_beam(network: Any, picture: UInt8[Tensor, "h w 3"]) -> Any:
    """The symbols of the most likely text, and its probability (Hannun et al., 2014)."""
    scores = network(prepared(picture))[0].astype(np.float64)
    steps = scores.shape[0]
    texts = np.zeros((WIDTH, steps), np.int64)
    lengths = np.zeros(WIDTH, np.int64)
    ended, open_ = np.zeros(WIDTH), np.zeros(WIDTH)  # of the paths that end in a blank, and of those that do not
    ended[0] = 1.0
    for t in range(steps):
        tried = np.argsort(-scores[t], kind="stable")[:TRIED]
        ended_now, open_now = np.zeros(WIDTH * (TRIED + 1)), np.zeros(WIDTH * (TRIED + 1))
        for b in range(WIDTH):
            last = last_symbol(texts[b], lengths[b])
            ended_now[b] = (ended[b] + open_[b]) * scores[t, BLANK]
            if last != BLANK:
                open_now[b] += open_[b] * scores[t, last]
            for k in range(TRIED):
                if tried[k] != BLANK:
                    longer = (ended[b] if tried[k] == last else ended[b] + open_[b]) * scores[t, tried[k]]
                    open_now[place_of(texts, lengths, b, tried[k], WIDTH + b * TRIED + k)] += longer
        best = np.argsort(-(ended_now + open_now), kind="stable")[:WIDTH]
        texts_now, lengths_now = texts.copy(), lengths.copy()
        for b in range(WIDTH):
            kept = best[b] if best[b] < WIDTH else (best[b] - WIDTH) // TRIED
            texts_now[b], lengths_now[b] = texts[kept], lengths[kept]
            if best[b] >= WIDTH:
                texts_now[b, lengths[kept]] = tried[(best[b] - WIDTH) % TRIED]
                lengths_now[b] += 1
            ended[b], open_[b] = ended_now[best[b]], open_now[best[b]]
        texts, lengths = texts_now, lengths_now
    return texts[0, : lengths[0]], ended[0] + open_[0]


def best_path(scores: Any) -> Any:
    """The symbols of the best path without repetitions and blanks, and the score of each."""
    symbols, certain = [], []
    before: Any = BLANK
    for t in range(scores.shape[0]):
        best = np.argmax(scores[t])
        if best != before and best != BLANK:
            symbols.append(best)
            certain.append(scores[t, best])
        before = best
    return symbols, certain


def last_symbol(text: Any, length: Any) -> Any:
    """The last symbol of a text, `BLANK` where it has none."""
    return text[length - 1] if length > 0 else BLANK


def place_of(texts: Any, lengths: Any, b: int, symbol: Any, otherwise: int) -> Any:
    """Where a text with a symbol behind it counts: as one that the beam has already, if it does, or on its own."""
    for other in range(WIDTH):
        if lengths[other] == lengths[b] + 1 and texts[other, lengths[b]] == symbol:
            same = True
            for k in range(lengths[b]):
                same = same and texts[other, k] == texts[b, k]
            if same:
                return other
    return otherwise


def prepared(picture: Any) -> Any:
    """What the network looks at: 48 rows, at least 320 columns, from -1 for black to 1 for white, and 0 behind it."""
    rows, columns = picture.shape[0], picture.shape[1]
    width = min(-(-HEIGHT * columns // rows), max(HEIGHT * columns // rows, LEAST_WIDTH))
    resized = stretched(stretched(picture.astype(np.float32), HEIGHT, 0), width, 1)
    made = np.zeros((1, 3, HEIGHT, max(width, LEAST_WIDTH)), np.float32)
    made[0, :, :, :width] = (np.rint(resized) / 255 - 0.5).transpose(2, 0, 1) / 0.5
    return made


def stretched(picture: Any, size: int, axis: int) -> Any:
    """A picture with another number of rows or columns, by bilinear interpolation between the middles of pixels."""
    old = picture.shape[axis]
    places = np.clip((np.arange(size) + 0.5) * (old / size) - 0.5, 0, old - 1)
    below = np.floor(places).astype(np.int64)
    above = np.minimum(below + 1, old - 1)
    part = (places - below).astype(np.float32).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
    return np.take(picture, below, axis) * (1 - part) + np.take(picture, above, axis) * part


# ---------------------------------------------------------------- a network and pictures


@cache
def network() -> Any:
    """The trained network, as a function."""
    return loaded(RECOGNISER, STRIPES)


def loaded(name: str, otherwise: str) -> Any:
    """One of the package's networks, or else one in ONNX's text form, as a function."""
    found = file_of(name)
    if found is not None:
        return load_onnx(found)
    import onnx.parser

    model = onnx.parser.parse_model(otherwise)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{model.graph.name}.onnx"
        path.write_bytes(model.SerializeToString())
        return load_onnx(path)


@cache
def characters() -> list[str]:
    """The character of each symbol; that of the blank is empty."""
    found = file_of(RECOGNISER)
    if found is None:
        return ["", *STRIPE]
    import onnx

    known = {entry.key: entry.value for entry in onnx.load(found).metadata_props}
    return ["", *known["character"].splitlines(), " "]


def file_of(name: str) -> Path | None:
    """One of the package's networks; None where it is not installed."""
    found = find_spec("rapidocr_onnxruntime")
    path = None if found is None or found.origin is None else Path(found.origin).parent / "models" / name
    return path if path is not None and path.exists() else None


def drawn(text: str, size: int = 28) -> Any:
    """A picture of a text in Pillow's own font, or of the stripes that the small network reads."""
    if file_of(RECOGNISER) is None:
        stripes = np.array([[128, STRIPE[c], STRIPE[c], 128] for c in text], np.uint8).ravel()
        return np.broadcast_to(stripes.repeat(8)[:, None], (HEIGHT, 32 * len(text), 3)).copy()
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size)
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("RGB", (int(right - left) + 8, int(bottom - top) + 8), "white")
    ImageDraw.Draw(image).text((4 - left, 4 - top), text, fill="black", font=font)
    return np.asarray(image)


def main() -> None:
    """Read some lines."""
    lines = ["Imperative Python", "on the edge, 2.5 ms", "no tracing!"] if file_of(RECOGNISER) else ["abcab", "cabba"]
    for line in lines:
        picture = drawn(line)
        symbols, certain = recognise(network(), picture)
        beam, probability = recognise_by_beam(network(), picture)
        texts = ["".join(characters()[int(s)] for s in found) for found in (symbols, beam)]
        print(f"{texts[0]!r}, each symbol at least {min(certain):.2f}; by beam {texts[1]!r}, {float(probability):.2f}")


if __name__ == "__main__":
    main()
