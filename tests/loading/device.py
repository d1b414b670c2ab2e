"""A process that stands for the device: it has NumPy, onnxruntime and the one file, and cannot import graph_program.

    with Device() as device:
        outcomes = device.run("tracker.onnx", [(measured,), (measured,)])
    assert outcomes[1].result == plain(tracker.step.python(measured))

This file is both ends: `Device` starts it again as a program, in a folder with a copy of the one file.  Objects of the
tests' classes cross as plain tuples (see `plain`), as the device has no such classes.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import enum
import pickle
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy

BLOCKED = ("graph_program", "onnx", "onnx_ir", "libcst", "sympy", "jaxtyping", "ml_dtypes", "tests")
"""What is not on the device."""
OBJECT, MEMBER, NAMED, FUNCTION = "<object>", "<member>", "<named tuple>", "<function>"


class Raised(NamedTuple):
    """An exception: its class, the names of all its classes, and its text."""

    name: str
    classes: tuple[str, ...]
    text: str
    notes: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What one call has come to; structures are `plain`."""

    result: Any
    error: Raised | None
    args: tuple[Any, ...]
    """The arguments as they are after the call, those by keyword last."""
    state: dict[str, Any]
    """The state after the call, by the names of its objects."""


class Arguments(NamedTuple):
    """Arguments of one call, some of them by keyword."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}


class Device:
    """The process; it is ended by `close`, or at the end of a `with` block.

    A process that onnxruntime has aborted is started anew for the next file.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="device")
        self.folder = Path(self._folder.name)
        self.errors = self.folder / "errors.txt"
        from graph_program.onnx_program.one_file import FILE, one_file

        (self.folder / FILE).write_text(one_file(), encoding="utf-8")
        (self.folder / "device.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()  # type: ignore[union-attr]
            self._process.wait(10)
            self._process.stdout.close()  # type: ignore[union-attr]
            self._process = None
        self._folder.cleanup()

    def stop(self) -> None:
        """End the process at once, while it is being asked: the question raises `DeviceError`."""
        if self._process is not None:
            self._process.kill()

    def run(
        self, model: str | Path | bytes, calls: Iterable[tuple[Any, ...] | Arguments], **options: Any
    ) -> list[Outcome]:
        """Load a model, and call it with each tuple of arguments in turn; its state goes from call to call.

        Parameters
        ----------
        model : path or bytes
        calls : iterable of tuple or Arguments
        options
            For `load`.

        Raises
        ------
        DeviceError
            Where the model does not load, or the process ends: with the text of what was raised.
        """
        listed = [(tuple(c.args), dict(c.kwargs)) if isinstance(c, Arguments) else (tuple(c), {}) for c in calls]
        source = model if isinstance(model, bytes) else str(Path(model).resolve())
        # Each call has arguments of its own, whatever objects two of them share here.
        return self.ask(source, [pickle.dumps(plain(call)) for call in listed], options)  # type: ignore[no-any-return]

    def ask(self, model: str | bytes, calls: Any, options: Mapping[str, Any]) -> Any:
        """Send one question; the process is started for the first."""
        process = self._process = self._process or self._started()
        try:
            pickle.dump((model, calls, options), process.stdin)  # type: ignore[arg-type]
            process.stdin.flush()  # type: ignore[union-attr]
            kind, answer = pickle.load(process.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError):
            self._process, code = None, process.wait()
            said = self.errors.read_text(encoding="utf-8", errors="replace")
            raise DeviceError(f"the process ended with {code}\n{said}") from None
        if kind == "failed":
            raise DeviceError(answer)
        return [Outcome(result, error and Raised(*error), args, state) for result, error, args, state in answer]

    def _started(self) -> subprocess.Popen[bytes]:
        command, pipe = [sys.executable, "device.py"], subprocess.PIPE
        with self.errors.open("wb") as errors:
            return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, cwd=self.folder)


class DeviceError(Exception):
    """A model that does not load on the device, or ends its process."""


# ---------------------------------------------------------------- both ends


def plain(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """A value with objects of classes as tuples: `("<object>", "Track", {"x": ...})`; the same object is one tuple."""
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)][0]
    made = _plain(value, memo)
    memo[id(value)] = made, value  # which is held, so that no other object gets its number
    return made


def _plain(value: Any, memo: dict[int, Any]) -> Any:
    cls = type(value)
    if isinstance(value, enum.Enum):
        return (MEMBER, cls.__name__, value.name)
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        return (NAMED, cls.__name__, [(name, plain(part, memo)) for name, part in zip(cls._fields, value, strict=True)])
    if cls in (tuple, list):
        return cls(plain(part, memo) for part in value)
    if cls is dict:
        return {plain(key, memo): plain(part, memo) for key, part in value.items()}
    if cls.__name__ == "Unknown" and cls.__module__ == "onnx_program":
        return (FUNCTION, value.name)
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return (FUNCTION, f"{value.__module__}.{value.__qualname__}")
    if cls.__module__ in ("builtins", "numpy") or cls.__module__.startswith("numpy."):
        return value
    fields = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else list(vars(value))
    made: tuple[Any, ...] = (OBJECT, cls.__name__, {})
    memo[id(value)] = made, value
    made[2].update({name: plain(getattr(value, name), memo) for name in fields if hasattr(value, name)})
    return made


def plain_error(error: BaseException) -> Raised:
    """An exception as it crosses."""
    classes = tuple(cls.__name__ for cls in type(error).__mro__[:-1])
    return Raised(type(error).__name__, classes, str(error), tuple(getattr(error, "__notes__", ())))


# ---------------------------------------------------------------- on the device


class _Blocker:
    """Refuses the imports of what the device does not have."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"{name} is not on the device", name=name)


def _restored(value: Any, classes: Mapping[str, Any], memo: dict[int, Any]) -> Any:
    """What `plain` has made a tuple of, as an object of the program's own stand-ins."""
    if id(value) in memo:
        return memo[id(value)]
    head = value[0] if isinstance(value, tuple) and value and isinstance(value[0], str) else ""
    if head == OBJECT:
        memo[id(value)] = made = object.__new__(classes[value[1]] if value[1] in classes else type(value[1], (), {}))
        for name, part in value[2].items():
            object.__setattr__(made, name, _restored(part, classes, memo))
        return made
    if head == NAMED:
        made = tuple.__new__(classes[value[1]], [_restored(part, classes, memo) for _, part in value[2]])
    elif head == MEMBER:
        made = classes[value[1]][value[2]]
    elif head == FUNCTION:
        made = _named(*value[1].split(".", 1), classes)
    elif type(value) in (tuple, list):
        made = type(value)(_restored(part, classes, memo) for part in value)
    elif type(value) is dict:
        made = {_restored(k, classes, memo): _restored(part, classes, memo) for k, part in value.items()}
    else:
        made = value
    memo[id(value)] = made
    return made


def _named(module: str, name: str, classes: Mapping[str, Any]) -> Any:
    """A class or function: NumPy's and Python's own, or what the program has instead."""
    own = {"numpy": numpy, "builtins": builtins}.get(module)
    return classes.get(name, None) if own is None else getattr(own, name)


def _outcome(program: Any, call: tuple[tuple[Any, ...], dict[str, Any]]) -> tuple[Any, ...]:
    memo: dict[int, Any] = {}
    args = tuple(_restored(a, program.classes, memo) for a in call[0])
    kwargs = {name: _restored(a, program.classes, memo) for name, a in call[1].items()}
    result, error = None, None
    try:
        result = program(*args, **kwargs)
    except BaseException as raised:
        error = tuple(plain_error(raised))
    seen: dict[int, Any] = {}
    return plain(result, seen), error, plain((*args, *kwargs.values()), seen), plain(dict(program.state), seen)


def _serve() -> None:
    """Answer until there are no more questions."""
    sys.meta_path.insert(0, _Blocker())  # type: ignore[arg-type]
    from onnx_program import load  # type: ignore[import-not-found]

    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    while True:
        try:
            model, calls, options = pickle.load(questions)
        except EOFError:
            return
        try:
            program = load(model, **options)
            # Each answer is pickled at once: later calls may write into what is in it.
            answer = "done", [pickle.loads(pickle.dumps(_outcome(program, pickle.loads(call)))) for call in calls]
        except Exception as error:
            answer = "failed", "".join(traceback.format_exception(error))
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    _serve()
