"""The lines of a page and what is written in them: two trained networks, and what stands between them.

A detector says of each place of the page how likely it is text. Places that hang together are a line: a flood finds
them, a box is drawn around each and made as much larger as the detector has drawn it smaller, of boxes that overlap
the better one is kept, and the lines are put in reading order. What is in each box goes to the recogniser of
`text_recognition.py`. It is one program, and one ONNX file with both networks inside.

Run with `python samples/text_page.py`. The networks are PP-OCR's (Apache 2.0 licence), as the package
`rapidocr-onnxruntime` brings them. Without it, networks of a few lines stand in: one takes for text what is not as
bright as paper. The page is drawn.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from graph_program import Tensor, UInt8, graph_program
from graph_program.samples import text_recognition
from graph_program.samples.text_recognition import best_path, prepared, stretched

DETECTOR = "ch_PP-OCRv4_det_infer.onnx"
STEP = 32
"""The detector takes rows and columns by so many."""
COARSE = 4
"""Places are looked at by so many rows and columns of the detector's."""
LIKELY, CERTAIN = 0.3, 0.5
"""How likely a place is text, and a whole line."""
LARGER = 1.6
"""By how much a line is larger than what the detector has found: its area over its perimeter, so many times."""
SHARED = 0.5
"""Of two boxes that share more of the smaller one than this, the better one is kept."""
MEAN, SPREAD = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
DARK = """<ir_version: 8, opset_import: ["" : 17]>
dark (float[1, 3, h, w] x) => (float[1, 1, h, w] y)
<float paper = {2.0}, float sharp = {8.0}> {
  grey = ReduceMean <axes: ints = [1]> (x)  darker = Sub (paper, grey)  more = Mul (darker, sharp)
  y = Sigmoid (more) }"""


@graph_program
def read_page(detector: Any, recogniser: Any, page: UInt8[Tensor, "h w 3"]) -> Any:
    """The box of each line (top, bottom, left, right), the symbols of all lines, and how many each line has."""
    boxes = lines(detector, page)
    symbols, counts = [], []
    for box in boxes:
        found, _ = best_path(recogniser(prepared(page[box[0] : box[1], box[2] : box[3]]))[0])
        symbols += found
        counts.append(len(found))
    return boxes, symbols, counts


def lines(detector: Any, page: Any) -> Any:
    """The boxes of the lines in reading order."""
    rows, columns = page.shape[0], page.shape[1]
    likely = seen(detector, page)
    places = likely > LIKELY
    boxes, certain = [], []
    while places.any():
        start = int(np.argmax(places))
        piece = flooded(places, start // places.shape[1], start % places.shape[1])
        places &= ~piece
        score = likely[piece].mean()
        if score > CERTAIN and piece.sum() > 2:
            down, across = np.nonzero(piece.any(axis=1))[0], np.nonzero(piece.any(axis=0))[0]
            tall, wide = down[-1] + 1 - down[0], across[-1] + 1 - across[0]
            margin = LARGER * tall * wide / (2 * (tall + wide))
            box = np.array([down[0] - margin, down[-1] + 1 + margin, across[0] - margin, across[-1] + 1 + margin])
            boxes.append(box)
            certain.append(score)
    kept = in_reading_order(apart(np.array(boxes).reshape(-1, 4), np.array(certain)))
    scale = np.array([rows / likely.shape[0]] * 2 + [columns / likely.shape[1]] * 2)
    found = np.rint(kept * scale).astype(np.int64)
    return np.clip(found, 0, np.array([rows, rows, columns, columns]))


def seen(detector: Any, page: Any) -> Any:
    """How likely each few rows and columns of a page are text."""
    height, width = (max(-(-size // STEP), 1) * STEP for size in page.shape[:2])
    resized = stretched(stretched(page.astype(np.float32), height, 0), width, 1)
    normal = ((resized / 255 - MEAN) / SPREAD).transpose(2, 0, 1)[None]
    found = detector(normal)[0, 0]
    return found.reshape(height // COARSE, COARSE, width // COARSE, COARSE).max(axis=(1, 3))


def flooded(places: Any, row: Any, column: Any) -> Any:
    """The piece that a place belongs to."""
    piece = np.zeros_like(places)
    piece[row, column] = True
    before = 0
    while piece.sum() > before:
        before = piece.sum()
        wider = piece.copy()
        wider[1:] |= piece[:-1]
        wider[:-1] |= piece[1:]
        wider[:, 1:] |= piece[:, :-1]
        wider[:, :-1] |= piece[:, 1:]
        piece = wider & places
    return piece


def apart(boxes: Any, certain: Any) -> Any:
    """Of boxes that overlap much, the one that is more certain."""
    kept = []
    gone = np.zeros(len(certain), bool)
    for i in np.argsort(-certain, kind="stable"):
        if gone[i]:
            continue
        kept.append(i)
        top, left = np.maximum(boxes[:, 0], boxes[i, 0]), np.maximum(boxes[:, 2], boxes[i, 2])
        bottom, right = np.minimum(boxes[:, 1], boxes[i, 1]), np.minimum(boxes[:, 3], boxes[i, 3])
        shared = np.maximum(bottom - top, 0) * np.maximum(right - left, 0)
        sizes = (boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2])
        gone |= shared > SHARED * np.minimum(sizes, sizes[i])
    return boxes[np.array(kept, np.int64)]


def in_reading_order(boxes: Any) -> Any:
    """Boxes from the top to the bottom, those on one line from the left to the right."""
    ordered = boxes[np.argsort(boxes[:, 0], kind="stable")]
    for i in range(len(ordered)):
        k = i
        while k > 0 and is_left_of(ordered[k], ordered[k - 1]):
            ordered[k], ordered[k - 1] = ordered[k - 1].copy(), ordered[k].copy()
            k -= 1
    return ordered


def is_left_of(box: Any, other: Any) -> Any:
    """Whether a box stands on the same line as another one, and further to the left."""
    middle = (box[0] + box[1]) / 2
    return other[0] < middle < other[1] and box[2] < other[2]


# ---------------------------------------------------------------- networks and a page


@cache
def detector() -> Any:
    """The trained detector, as a function."""
    return text_recognition.loaded(DETECTOR, DARK)


def drawn(texts: list[list[str]], size: int = 26) -> Any:
    """A page with some texts in each row."""
    pictures = [[text_recognition.drawn(text, size) for text in row] for row in texts]
    height = sum(max(p.shape[0] for p in row) + 24 for row in pictures) + 24
    width = max(sum(p.shape[1] + 60 for p in row) for row in pictures) + 60
    page = np.full((height, width, 3), 255, np.uint8)
    down = 24
    for row in pictures:
        across = 60
        for picture in row:
            page[down : down + picture.shape[0], across : across + picture.shape[1]] = picture
            across += picture.shape[1] + 60
        down += max(p.shape[0] for p in row) + 24
    return page


def written(symbols: Any, counts: Any) -> list[str]:
    """The text of each line."""
    ends = np.cumsum(counts)
    known = text_recognition.characters()
    return ["".join(known[int(s)] for s in symbols[end - n : end]) for end, n in zip(ends, counts, strict=True)]


def main() -> None:
    """Read a page."""
    trained = text_recognition.file_of(DETECTOR) is not None
    texts = [["Invoice 2041", "12 May"], ["2 loops", "19.90"], ["1 branch", "5.00"]]
    page = drawn(texts if trained else [["ab", "cac"], ["b"]])
    boxes, symbols, counts = read_page(detector(), text_recognition.network(), page)
    for box, line in zip(boxes, written(symbols, counts), strict=True):
        print(f"{box.tolist()}: {line!r}" if trained else f"{box.tolist()}: a line, which trained networks read")


if __name__ == "__main__":
    main()
