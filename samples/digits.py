"""Which digit somebody has written: features that are written by hand before a classifier that is trained.

A picture of 8 by 8 greys becomes 38 numbers: how dark each row and each column is, where the ink lies and how far it
spreads, how often a line across meets ink, and how many holes there are, which a flood from the border finds.
Gradient-boosted trees decide by them. All of it is one program, and one ONNX file with the trees inside.

Run with `python samples/digits.py`. The pictures are those of the UCI repository that scikit-learn brings; the trees
are trained at the start, in a second or two, on two thirds of them, and exported by skl2onnx.
"""

from __future__ import annotations

import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program, load_onnx

SIZE = 8
INK = 6.0
"""From this grey on, a place is ink, of at most 16."""
TRAINED_ON = 1200


@graph_program
def read_digit(trees: Any, picture: Float32[Tensor, "8 8"]) -> Any:
    """The digit on a picture, and how probable it is."""
    digit, probable = trees(features(picture).reshape(1, -1))
    return digit[0], probable[0, digit[0]]


@graph_program
def features(picture: Float32[Tensor, "8 8"]) -> Any:
    """What the trees look at."""
    ink = picture >= INK
    places = np.arange(SIZE, dtype=np.float32)
    whole = np.maximum(picture.sum(), np.float32(1))
    rows, columns = picture.sum(axis=1) / whole, picture.sum(axis=0) / whole
    row, column = (rows * places).sum(), (columns * places).sum()
    tall, wide = (rows * (places - row) ** 2).sum(), (columns * (places - column) ** 2).sum()
    slant = ((places[:, None] - row) * (places[None, :] - column) * picture).sum() / whole
    met = np.zeros(2 * SIZE, np.float32)
    for k in range(SIZE):
        met[k], met[SIZE + k] = met_by(ink[k]), met_by(ink[:, k])
    others = np.array([row, column, tall, wide, slant, np.float32(holes(ink))])
    return np.concatenate([rows, columns, met, others])


def met_by(line: Any) -> Any:
    """How often a line meets ink."""
    count = 0
    before = False
    for k in range(SIZE):
        if line[k] and not before:
            count += 1
        before = line[k]
    return np.float32(count)


def holes(ink: Any) -> Any:
    """How many pieces of paper ink surrounds: those that a flood from the border does not come to."""
    paper = np.ones((SIZE + 2, SIZE + 2), bool)
    paper[1:-1, 1:-1] = ~ink
    count = -1  # that around all is none
    while paper.any():
        start = int(np.argmax(paper))
        flooded = np.zeros((SIZE + 2, SIZE + 2), bool)
        flooded[start // (SIZE + 2), start % (SIZE + 2)] = True
        before = 0
        while flooded.sum() > before:
            before = flooded.sum()
            flooded[1:] |= flooded[:-1]
            flooded[:-1] |= flooded[1:]
            flooded[:, 1:] |= flooded[:, :-1]
            flooded[:, :-1] |= flooded[:, 1:]
            flooded &= paper
        paper &= ~flooded
        count += 1
    return count


# ---------------------------------------------------------------- the trees and the pictures


@cache
def pictures() -> tuple[Any, Any]:
    """The pictures, and which digit each of them is."""
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.images.astype(np.float32), found.target


@cache
def trees() -> Any:
    """The trained classifier, as a function."""
    from skl2onnx import to_onnx
    from sklearn.ensemble import GradientBoostingClassifier

    images, digits = pictures()
    known = np.stack([features.python(image) for image in images[:TRAINED_ON]])
    classifier = GradientBoostingClassifier(n_estimators=40, max_depth=3, subsample=0.5, random_state=0)
    classifier.fit(known, digits[:TRAINED_ON])
    model = to_onnx(classifier, known[:1], options={"zipmap": False}, target_opset={"": 18, "ai.onnx.ml": 3})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trees.onnx"
        path.write_bytes(model.SerializeToString())
        return load_onnx(path)


def main() -> None:
    """Read the pictures that the trees have not seen."""
    missing = [name for name in ("sklearn", "skl2onnx") if find_spec(name) is None]
    if missing:
        print("trees are trained and exported by two packages: pip install scikit-learn skl2onnx")
        return
    images, digits = (part[TRAINED_ON:] for part in pictures())
    found = [read_digit(trees(), image) for image in images]
    right = sum(int(digit) == wanted for (digit, _), wanted in zip(found, digits, strict=True))
    print(f"{right} of {len(images)} digits are read right")
    for (digit, probable), wanted in zip(found[:5], digits[:5], strict=True):
        print(f"  {digit} ({probable:.2f}), and it is {wanted}")


if __name__ == "__main__":
    main()
