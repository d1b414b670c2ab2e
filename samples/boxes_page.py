"""Overlapping boxes in a browser: the program of `detections.py` as wasm in a page of its own.

The page is one file that works without a server: the program, its boxes and the JavaScript that calls it
(`devices/boxes.js`) are in it. A browser without a window, and Node, give what Python gives, bit by bit.

Run with `python samples/boxes_page.py [boxes.html]`. It needs `pip install ziglang`; chromium or Node to be tried.
"""

from __future__ import annotations

import base64
import html
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.samples.detections import noisy_boxes, suppress
from graph_program.samples.devices import Absent, compiled, printed, python_tool, tool

DEVICES = Path(__file__).with_name("devices")
EXPORTS = ("suppress", "malloc", "free")
OVERLAP = 0.5
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")
WITHOUT_A_WINDOW = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom")
IN_NODE = """
const source = require("fs").readFileSync(process.argv[1], "utf8");
const { code, wasm, boxes, scores, most } = JSON.parse(source);
const load = new Function(`${code}; return loadSuppress;`)();
load(Buffer.from(wasm, "base64")).then((suppress) => console.log(JSON.stringify(suppress(boxes, scores, most))));
"""


def in_wasm(folder: Path) -> bytes:
    """The program as wasm.

    Raises
    ------
    Absent
        Where there is no compiler for it.
    """
    exports = [f"-Wl,--export={name}" for name in EXPORTS]
    compiler = python_tool("ziglang", "cc", "-target", "wasm32-wasi", "-mexec-model=reactor", "-O2", "-s", *exports)
    suppress.export(folder / "suppress.c", noisy_boxes(2, 2))
    return compiled(
        [*compiler, "-Wno-unused-command-line-argument"], [folder / "suppress.c"], folder / "suppress.wasm"
    ).read_bytes()


def page(wasm: bytes, boxes: np.ndarray, scores: np.ndarray) -> str:
    """The text of the page."""
    text = (DEVICES / "boxes.html").read_text(encoding="utf-8")
    filled = {
        "// {{boxes.js}}": (DEVICES / "boxes.js").read_text(encoding="utf-8"),
        "{{wasm}}": base64.b64encode(wasm).decode(),
        '"{{boxes}}"': json.dumps({"boxes": boxes.tolist(), "scores": scores.tolist()}),
    }
    for name, content in filled.items():
        text = text.replace(name, content)
    return text


def in_python(boxes: np.ndarray, scores: np.ndarray) -> list[dict[str, Any]]:
    """The boxes that Python keeps."""
    return [found._asdict() for found in suppress.python(boxes, scores, OVERLAP)]


def in_node(wasm: bytes, boxes: np.ndarray, scores: np.ndarray, folder: Path) -> list[dict[str, Any]]:
    """The boxes that the program keeps when Node calls it."""
    node = tool("nodejs", "node", "nodejs")
    code = (DEVICES / "boxes.js").read_text(encoding="utf-8")
    given = {"code": code, "wasm": base64.b64encode(wasm).decode(), "most": OVERLAP}
    given |= {"boxes": boxes.tolist(), "scores": scores.tolist()}
    (folder / "given.json").write_text(json.dumps(given))
    found: list[dict[str, Any]] = json.loads(printed([node, "-e", IN_NODE, str(folder / "given.json")]))
    return found


def in_browser(text: str, folder: Path) -> list[dict[str, Any]]:
    """The boxes that the page says it keeps, in a browser without a window."""
    browser = tool("chromium", *CHROMIUM)
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    shown = printed([browser, *WITHOUT_A_WINDOW, path.as_uri()])
    _, _, rest = shown.partition('<pre id="found">')
    found: list[dict[str, Any]] = json.loads(html.unescape(rest.partition("</pre>")[0]))
    return found


def main() -> None:
    """Make the page, and try the program in Node and in a browser."""
    boxes, scores = noisy_boxes(things=3, each=5)
    expected = in_python(boxes, scores)
    print(f"of {len(boxes)} boxes, {len(expected)} are kept")
    with tempfile.TemporaryDirectory() as folder:
        try:
            wasm = in_wasm(Path(folder))
        except Absent as absent:
            print(f"no page is made: {absent}")
            return
        text = page(wasm, boxes, scores)
        tried: dict[str, Callable[[], list[dict[str, Any]]]] = {
            "Node": lambda: in_node(wasm, boxes, scores, Path(folder)),
            "a browser": lambda: in_browser(text, Path(folder)),
        }
        for name, run in tried.items():
            try:
                print(f"{name} keeps {'the same' if run() == expected else 'others'}")
            except Absent as absent:
                print(f"not tried in {name}: {absent}")
    if len(sys.argv) == 2 and sys.argv[1].endswith(".html"):
        Path(sys.argv[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
