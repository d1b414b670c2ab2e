"""A browser without a window that a test uses as a person does: through the DevTools protocol, over two pipes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
)
PATIENCE = 120.0
"""Seconds for one answer, on a machine that does other things, too."""


def chromium() -> str | None:
    """The browser; None where there is none."""
    return next((path for path in map(shutil.which, CHROMIUM) if path), None)


class Browser:
    """One process of the browser, with one page at a time."""

    def __init__(self, command: str, profile: Path, flags: Sequence[str] = ()):
        ours, theirs = _pipe(), _pipe()
        self._out, self._in = ours[1], theirs[0]

        def connect() -> None:
            os.dup2(ours[0], 3)
            os.dup2(theirs[1], 4)

        self.process = subprocess.Popen(
            [command, *FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=connect,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._waiting = b""
        self._number = 0
        self.told: list[dict[str, Any]] = []
        """Events, as they come."""
        self.session: str | None = None

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser for something; RuntimeError where it refuses."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                found: dict[str, Any] = answer.get("result", {})
                return found
            self.told.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            part = os.read(self._in, 2**20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._waiting += part
        text, _, self._waiting = self._waiting.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def open(self, path: Path, downloads: Path, scheme: str = "light", width: int = 900, height: int = 800) -> Opened:
        """A page from a file."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.told.clear()
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        self.call("Page.navigate", url=path.as_uri())
        return Opened(self, downloads)

    def close(self) -> None:
        """End the process, and its own ones."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._out)
        os.close(self._in)


class Opened:
    """A page that is open."""

    def __init__(self, browser: Browser, downloads: Path):
        self.browser, self.downloads = browser, downloads

    def value(self, script: str) -> Any:
        """What an expression of JavaScript gives; promises are waited for."""
        answer = self.browser.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def wait(self, script: str) -> Any:
        """What an expression gives as soon as it is true."""
        end = time.monotonic() + PATIENCE
        while not (found := self.value(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"{script}\n{self.text('body')}\n{self.complaints()}")
            time.sleep(0.05)
        return found

    def text(self, selector: str) -> str:
        """The text that an element shows."""
        return str(self.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def ready(self) -> Opened:
        """The page, when the model can be run."""
        self.wait("/^(Ready|Not ready)$/.test(document.querySelector('#status')?.innerText)")
        assert self.text("#error") == "", self.text("#error")
        return self

    def type(self, name: str, text: str) -> None:
        """Write into a field, as if it was typed."""
        self.value(
            f"(() => {{ const field = document.querySelector('[data-input={json.dumps(name)}]'); field.focus();"
            f"field.value = ''; }})()"
        )
        self.browser.call("Input.insertText", text=text)
        self.value("document.activeElement.dispatchEvent(new Event('change', {bubbles: true}))")

    def click(self, selector: str) -> None:
        """Click an element."""
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def choose(self, selector: str, path: Path) -> None:
        """Choose a file."""
        root = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        node = self.browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.browser.call("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def choose_for(self, name: str, path: Path) -> None:
        """Choose a file for an input that is a picture or a sound, and wait until it is shown."""
        self.choose(f"[data-input={json.dumps(name)}]", path)
        self.wait(
            f"!document.querySelector('[data-input={json.dumps(name)}]').closest('.field').querySelector('canvas').hidden"
        )

    def run(self) -> None:
        """Press the button, and wait for the end."""
        self.click("#run")
        self.wait("/^(Ran in|Not run)/.test(document.querySelector('#status').innerText)")

    def results(self) -> Any:
        """All results, from the file that the page makes of them."""
        path = self.download("#whole")
        return json.loads(path.read_text())

    def result(self, label: str) -> str:
        """A number or a text among the results."""
        return self.text(f"dd[data-result={json.dumps(label)}]")

    def view(self, label: str) -> str:
        """How a result is shown."""
        selector = json.dumps(f"figure[data-result={json.dumps(label)}]")
        return str(self.value(f"document.querySelector({selector})?.dataset.view ?? ''"))

    def download(self, selector: str) -> Path:
        """The file that a button saves."""
        for old in self.downloads.iterdir():
            old.unlink()
        self.click(selector)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = [path for path in self.downloads.iterdir() if path.suffix != ".crdownload"]
            if found and found[0].stat().st_size:
                return found[0]
            time.sleep(0.02)
        raise TimeoutError(selector)

    def array(self, label: str) -> Path:
        """The .npy file of a result."""
        figure = f"figure[data-result={json.dumps(label)}]"
        self.value(f"document.querySelector({json.dumps(figure + ' details')}).open = true")
        return self.download(f"{figure} .row button")

    def complaints(self) -> list[str]:
        """What the console was told, and every address that was asked for and is no part of the page."""
        found = []
        for event in self.browser.told:
            match event.get("method"):
                case "Log.entryAdded":
                    found.append(event["params"]["entry"]["text"])
                case "Runtime.exceptionThrown":
                    found.append(str(event["params"]["exceptionDetails"]))
                case "Network.requestWillBeSent":
                    url = event["params"]["request"]["url"]
                    if not url.startswith(("file:", "blob:", "data:", "about:")):
                        found.append(url)
        return found

    def screenshot(self, clip: dict[str, float] | None = None) -> str:
        """A PNG of the page, in base64."""
        shown: dict[str, Any] = {} if clip is None else {"clip": {**clip, "scale": 1}}
        return str(self.browser.call("Page.captureScreenshot", captureBeyondViewport=True, **shown)["data"])


def _pipe() -> tuple[int, int]:
    """A pipe whose ends have numbers that a browser's own do not have."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


@contextlib.contextmanager
def started(command: str, flags: Sequence[str] = ()) -> Iterator[Browser]:
    """A browser, for as long as it is needed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(command, Path(profile), flags)
        try:
            yield browser
        finally:
            browser.close()
