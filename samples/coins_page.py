"""Counting coins in a browser: the program of `coins.py` as one HTML file, which needs no server and no network.

The page has the model, ONNX Runtime Web and a photograph in it. Other photographs are chosen, dropped or taken with a
camera; the settings are fields; the coins are coloured over the picture, and everything can be saved as .npy or JSON.

Run with `python samples/coins_page.py [coins.html]`. It needs `npm install onnxruntime-web`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from graph_program import ExportError, Page
from graph_program.samples.coins import Settings, count_coins, photograph


def write_page(path: str | os.PathLike[str], onnxruntime_web: str | os.PathLike[str] | None = None) -> int:
    """Write the page, with a photograph to begin with.

    Returns
    -------
    int
        The size of the file in bytes.
    """
    page = Page(show={"result.labels": "labels", "result.outline": "mask"}, onnxruntime_web=onnxruntime_web)
    return count_coins.export(path, (photograph(), Settings()), page=page).bytes


def main() -> None:
    """Write the page where the command says, or try whether it can be written."""
    with tempfile.TemporaryDirectory() as folder:
        path = (
            Path(sys.argv[1]) if len(sys.argv) == 2 and sys.argv[1].endswith(".html") else Path(folder) / "coins.html"
        )
        try:
            size = write_page(path)
        except ExportError as error:
            if error.code != "GP551":
                raise
            print("no page is made: it needs `npm install onnxruntime-web`")
        else:
            print(f"a page of {size / 1e6:.1f} MB counts coins: {path.name}")


if __name__ == "__main__":
    main()
