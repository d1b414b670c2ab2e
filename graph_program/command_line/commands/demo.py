"""`graph-program demo`: count coins in a photograph, as Python and as an ONNX file, and draw them."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

SCALE = 3
"""The picture is drawn at this many times the size of the photograph."""
OUTLINE = (255, 96, 0)
TEXT = (255, 255, 255)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo.

    Parameters
    ----------
    argv : sequence of str, optional
        `--output DIR` names the folder for the model and the picture.

    Returns
    -------
    int
        0 if the model gave what Python gave, else 1.
    """
    parser = argparse.ArgumentParser(prog="graph-program demo", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("graph-program-demo"), metavar="DIR")
    folder: Path = parser.parse_args(argv).output
    from graph_program.samples.coins import photograph

    if find_spec("skimage") is None:
        print("the coins are drawn; a photograph comes with scikit-image: pip install 'graph-program[demo]'")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return run(photograph(), folder)
    except OSError as error:
        print(f"graph-program: cannot write into {folder}: {error.strerror or error}", file=sys.stderr)
        return 2


def run(photo: np.ndarray, folder: Path) -> int:
    """Extract, write, run, compare and draw; print each step."""
    from graph_program.samples.coins import Settings, count_coins

    path = folder / "count_coins.onnx"
    settings = Settings()
    _, seconds = timed(lambda: count_coins.export(path, (photo, settings)))
    print(f"extracted   in {seconds:.2f} s: {count_coins.signature}")
    print(f"written     {path}: {describe(path)}")

    expected, seconds = timed(lambda: count_coins.python(photo, settings))
    print(f"Python      {expected.count} coins in {seconds * 1000:.0f} ms")
    (count, labels, outline), seconds = run_file(path, photo, settings)
    print(f"onnxruntime {count} coins in {seconds * 1000:.0f} ms, from the file alone")

    same = count == expected.count and np.array_equal(labels, expected.labels)
    same = same and np.array_equal(outline, expected.outline)
    print("same count, labels and outlines" if same else "DIFFERENT RESULTS")
    if find_spec("PIL") is not None:
        picture = folder / "coins.png"
        draw(photo, labels, outline).save(picture)
        print(f"drawn       {picture}")
    return 0 if same else 1


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of `work()` and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def describe(path: Path) -> str:
    """How many nodes the model has, and how many of them are loops and branches."""
    import onnx

    kinds = Counter(node.op_type for node in all_nodes(onnx.load(path).graph.node))
    return f"{kinds.total()} ONNX nodes, of them {kinds['Loop']} Loop and {kinds['If']} If"


def all_nodes(nodes: Iterable[Any]) -> Iterable[Any]:
    """The nodes of a graph and of the graphs nested in it."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from all_nodes(attribute.g.node)


def run_file(path: Path, photo: np.ndarray, settings: Any) -> tuple[Any, float]:
    """The model's results with nothing but NumPy and onnxruntime; seconds of one warm run."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    values = {"photo": photo}
    for name, value in vars(settings).items():
        values[f"settings.{name}"] = np.asarray(value)
    feed = {value.name: values[value.name] for value in session.get_inputs()}
    names = [value.name for value in session.get_outputs()][:3]
    session.run(names, feed)
    return timed(lambda: session.run(names, feed))


def draw(photo: np.ndarray, labels: np.ndarray, outline: np.ndarray) -> Any:
    """The photograph enlarged, with the coins outlined and numbered: a `PIL.Image`."""
    from PIL import Image, ImageDraw, ImageFont

    size = (photo.shape[1] * SCALE, photo.shape[0] * SCALE)
    picture = Image.fromarray(photo).resize(size, Image.Resampling.BICUBIC).convert("RGB")
    line = Image.fromarray((outline * 255).astype(np.uint8)).resize(size, Image.Resampling.BICUBIC)
    picture.paste(OUTLINE, mask=line)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(12 * SCALE)
    count = int(np.max(labels, initial=0))
    for coin in range(1, count + 1):
        rows, columns = np.nonzero(labels == coin)
        place = ((columns.mean() + 0.5) * SCALE, (rows.mean() + 0.5) * SCALE)
        pen.text(place, str(coin), TEXT, font, "mm", stroke_width=SCALE, stroke_fill=(0, 0, 0))
    caption = f"{count} coins"
    corner = (6 * SCALE, 4 * SCALE)
    pen.text(corner, caption, TEXT, font, stroke_width=SCALE, stroke_fill=(0, 0, 0))
    return picture


if __name__ == "__main__":
    raise SystemExit(main())
