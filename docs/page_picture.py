"""The picture of a page in docs/page.md, made anew where chromium and onnxruntime-web are there."""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "img" / "page.png"
WIDTH = 680
COLOURS = 112
"""More would make the file larger than what it shows is worth."""


def main() -> int:
    """Open the page of the sample, run it, and write what is seen."""
    sys.path.insert(0, str(ROOT))
    from PIL import Image

    from graph_program.samples.coins_page import write_page
    from tests.pages.browser import chromium, started
    from tests.pages.made import WHY, installed

    command, web = chromium(), installed()
    if command is None or web is None:
        print("there is no chromium" if command is None else WHY)
        return 1
    with tempfile.TemporaryDirectory() as folder, started(command) as browser:
        path = Path(folder) / "coins.html"
        write_page(path, web)
        page = browser.open(path, Path(folder), width=WIDTH).ready()
        page.run()
        page.value("document.querySelector('[data-result=\"result.outline\"]').hidden = true")
        end = page.value("document.querySelector('#whole').getBoundingClientRect().top + scrollY")
        shown = base64.b64decode(page.screenshot({"x": 0, "y": 0, "width": WIDTH, "height": end}))
    Image.open(io.BytesIO(shown)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        PICTURE, optimize=True
    )
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
