"""onnxruntime-web with WebGPU, in Chromium without a window: a page asks a server here for models, and answers."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graph_program.verification.web import crossed, crossing, package, whole

SCRIPT = Path(__file__).with_name("webgpu.js")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
)
"""With the adapter in software: it is there on every machine, and gives the same on each."""
PATIENCE = 60.0
"""Seconds for one model; those for the first one are for the browser, too."""
PAGE = b'<!doctype html><meta charset="utf-8"><script type="module" src="/webgpu.js"></script>'
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}
Question = tuple[Path, Sequence[Mapping[str, Any]]]
Answer = dict[str, Any]
ENDED = ("Aborted", "unreachable", "out of bounds", "null function", "Device is lost", "device was lost")
"""What errors say behind which a page runs nothing more."""


def browser() -> str | None:
    """The browser; None where there is none."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def answers_of(questions: Sequence[Question], patience: float = PATIENCE) -> list[Answer]:
    """What onnxruntime-web makes of models with WebGPU, as `web.answers_of` says it.

    A model that takes longer than `patience`, or ends the page, has an error; the others go on in a new page.

    Raises
    ------
    RuntimeError
        Where there is no WebGPU.
    """
    found: dict[int, Answer] = {}
    while len(found) < len(questions):
        left = [number for number in range(len(questions)) if number not in found]
        with _Server([(number, questions[number]) for number in left]) as server, _opened(server.address):
            for number in left:
                try:
                    told, found[number] = server.told.get(timeout=patience)
                except queue.Empty:
                    found[number] = {"error": "it takes too long, or ends the page"}
                    break
                if told is None:
                    raise RuntimeError("the browser has no WebGPU")
                if any(word in found[number].get("error", "") for word in ENDED):
                    break
    return [found[number] for number in range(len(questions))]


def run_in_browser(model: Path, feed: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of one call."""
    (answer,) = answers_of([(model, [feed])])
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return {name: crossed(tensor) for name, tensor in answer["outputs"][0].items()}


class _Server:
    """Gives questions to a page in their order, and takes its answers.

    Attributes
    ----------
    told : queue.Queue
        A number, or None where the page has no WebGPU, and an answer.
    address : str
    """

    def __init__(self, questions: Sequence[tuple[int, Question]]) -> None:
        self.questions = dict(questions)
        self.waiting = iter(self.questions)
        self.told: queue.Queue[tuple[int | None, Answer]] = queue.Queue()
        self.folder = package()[0] / "dist"

    def __enter__(self) -> _Server:
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, self))
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}/"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def question(self) -> bytes | None:
        """The next one; None where all have been asked."""
        number = next(self.waiting, None)
        if number is None:
            return None
        feeds = [{name: crossing(array) for name, array in feed.items()} for feed in self.questions[number][1]]
        return json.dumps({"number": number, "model": f"/model/{number}", "feeds": feeds}).encode()


class _Handler(http.server.BaseHTTPRequestHandler):
    """What the page asks for: itself, the runtime, questions and models."""

    def __init__(self, asked: _Server, *rest: Any) -> None:
        self.asked = asked
        super().__init__(*rest)

    def do_GET(self) -> None:
        """Give a file, a model or a question."""
        kind, _, name = self.path.lstrip("/").partition("/")
        match kind:
            case "":
                self._give(PAGE, "text/html")
            case "webgpu.js":
                self._give(SCRIPT.read_bytes(), TYPES[".js"])
            case "dist" if (self.asked.folder / Path(name).name).is_file():
                file = self.asked.folder / Path(name).name
                self._give(file.read_bytes(), TYPES.get(file.suffix, "text/plain"))
            case "model":
                self._give(whole(self.asked.questions[int(name)][0]), "application/octet-stream")
            case "question":
                self._give(self.asked.question(), "application/json")
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        """Take an answer."""
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = self.path.rpartition("/")[2]
        self.asked.told.put((int(number) if number.isdecimal() else None, said))
        self._give(None, "")

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def _give(self, content: bytes | None, type_: str) -> None:
        self.send_response(204 if content is None else 200)
        if content is not None:
            self.send_header("Content-Type", type_)
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if content is not None:
            with contextlib.suppress(ConnectionError):
                self.wfile.write(content)


@contextlib.contextmanager
def _opened(address: str) -> Iterator[None]:
    """A browser that shows a page, for as long as it is needed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(browser()), *FLAGS, f"--user-data-dir={profile}", address]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        try:
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


__all__ = ["answers_of", "browser", "run_in_browser"]
