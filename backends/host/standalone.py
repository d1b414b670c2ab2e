"""What exported programs with host code need at run time, besides NumPy and onnxruntime.

This text, with the functions that `PARTS` names, is the file `graph_program_runtime.py` beside an exported program; so
nothing here may import anything of graph-program.
"""

from __future__ import annotations

import collections  # noqa: F401  (for the parts)
import copy  # noqa: F401
import itertools
import operator  # noqa: F401
import os  # noqa: F401
import queue  # noqa: F401
import signal  # noqa: F401
import sys  # noqa: F401
import threading  # noqa: F401
from collections import defaultdict, deque  # noqa: F401
from collections.abc import Callable, Iterator, Mapping, Sequence  # noqa: F401
from contextlib import contextmanager  # noqa: F401
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial  # noqa: F401
from math import prod  # noqa: F401
from types import FrameType  # noqa: F401
from typing import Any

import numpy as np

OBJECT_BITS, AHEAD, POLL = 44, 8, 0.1
CALLS = 1 << 63 - OBJECT_BITS
SHOWN = 80
"""Characters of a value in a message."""
_calls: Any = itertools.count(1)
_active: dict[int, Any] = {}


class Kind(Enum):
    """The class that Python would give a value."""

    ARRAY = "array"
    NUMPY = "numpy"
    PYTHON = "python"


@dataclass(frozen=True)
class Size:
    """A size; None for one that only a run tells."""

    constant: int | None


@dataclass(frozen=True)
class TensorType:
    """The type of a tensor; `text` is what messages call it."""

    dtype: Any
    shape: tuple[Size, ...]
    kind: Kind
    text: str

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return self.text


def tensor_type(dtype: str, sizes: Sequence[int | None], kind: str, text: str) -> TensorType:
    """A type from literals."""
    return TensorType(np.dtype(dtype), tuple(map(Size, sizes)), Kind(kind), text)


@dataclass(frozen=True)
class RowsType(TensorType):
    """Of a list or tuple whose elements are the rows of an array."""

    cls: type
    element: TensorType


def rows_type(array: TensorType, cls: type, element: TensorType) -> RowsType:
    """The same from the type of the array and that of a row."""
    return RowsType(array.dtype, array.shape, array.kind, array.text, cls, element)


def argument(value: Any, type_: TensorType, name: str) -> Any:
    """An argument as the graph takes it.

    Raises
    ------
    TypeError
        Where it is of another type than the program was exported for.
    """
    array = np.asarray(value)
    python = type_.kind is Kind.PYTHON
    fits = type(value) in (bool, int, float, complex) if python else isinstance(value, np.ndarray | np.generic)
    fits = fits and array.dtype == type_.dtype and array.ndim == type_.rank
    fits = fits and all(d.constant in (None, n) for d, n in zip(type_.shape, array.shape, strict=True))
    if not fits:
        refuse(name, value, type_)
    return np.ascontiguousarray(array).reshape(array.shape)


def refuse(name: str, value: Any, wanted: object) -> None:
    """Refuse an argument, or a part of one."""
    text = " ".join(line.strip() for line in repr(value).splitlines())
    shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
    raise TypeError(f"argument {name!r} is {shown}; the program was exported for {wanted}")


def require_array(name: str, value: Any, type_: TensorType) -> None:
    """Refuse anything but an array, whose size, layout and memory are asked about next."""
    if not isinstance(value, np.ndarray) or value.dtype != type_.dtype or value.ndim != type_.rank:
        refuse(name, value, type_)


def require_sizes(fits: Callable[..., bool], given: Sequence[tuple[str, Any, TensorType]]) -> None:
    """Refuse arrays whose sizes do not fit together."""
    try:
        fitting = fits([array.shape for _, array, _ in given])
    except (ValueError, ZeroDivisionError):
        fitting = False  # sizes that do not broadcast
    if not fitting:
        found = ", ".join(f"{name!r} of the shape {array.shape}" for name, array, _ in given)
        raise TypeError(f"arguments {found}; the program was exported for {', '.join(str(t) for _, _, t in given)}")


def require_parts(name: str, value: Any, cls: Any, count: int) -> None:
    """Refuse a tuple or list of another length."""
    if not isinstance(value, cls) or len(value) != count:
        refuse(name, value, f"a {cls.__name__} of {count} element{'' if count == 1 else 's'}")


def require_keys(name: str, value: Any, keys: list[Any]) -> None:
    """Refuse a dict with other keys, or in another order."""
    if not isinstance(value, dict) or not is_same(list(value), keys):
        refuse(name, value, f"a dict with the keys {keys!r}")


def require_known(name: str, value: Any, known: Any) -> None:
    """Refuse another value than the one that was known when the program was exported."""
    if not is_same(value, known):
        refuse(name, value, repr(known))


@dataclass(frozen=True)
class Named:
    """What a file knows by its name only."""

    name: str

    def __repr__(self) -> str:
        return self.name


def name_of(value: Any) -> str | None:
    """What a function, a class, a module or a member of an enum is called, in whichever module."""
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    return getattr(value, "__qualname__", getattr(value, "__name__", None))


def is_same(value: Any, known: Any) -> bool:
    """Whether a value is the one that was known; classes and the bits of numbers count."""
    if isinstance(known, Named):
        return name_of(value) == known.name
    if type(value) is not type(known):
        return False
    if isinstance(known, tuple | list):
        return len(value) == len(known) and all(map(is_same, value, known))
    if isinstance(known, dict):
        return is_same(list(value), list(known)) and is_same(list(value.values()), list(known.values()))
    if isinstance(known, float | complex | np.generic):
        return repr(value) == repr(known)
    return bool(value == known)


def refuse_overlap(written: Any, other: Any, written_text: str, other_text: str) -> None:
    """Refuse arrays that share memory where the program writes one of them."""
    if np.may_share_memory(written, other):
        raise ValueError(f"arguments {written_text!r} and {other_text!r} share memory, and the program writes to one")


def refuse_repeats(written: Any, text: str) -> None:
    """Refuse to write an array that may have several of its own elements in one place."""
    if 0 in written.strides and written.size > 1:
        raise ValueError(f"elements of argument {text!r} share memory, and the program writes to it")


def refuse_same(changed_text: str, other_text: str) -> None:
    """Refuse one object in two places where the program changes it."""
    raise ValueError(f"arguments {changed_text!r} and {other_text!r} are one object, and the program changes it")


def raised(error: BaseException, place: str = "", **behind: BaseException | None) -> BaseException:
    """An exception of the program's own, with its cause and context; `place` is said for who reads this."""
    for name, other in behind.items():
        setattr(error, f"__{name}__", other)
    return error


@dataclass(frozen=True)
class Step:
    """A host step: what runs it, how many objects it makes, the types of what it is sent and of what it tells, and
    which objects end behind it."""

    run: Callable[..., Any]
    results: int
    sends: tuple[TensorType, ...]
    receives: tuple[TensorType, ...]
    lifetimes: Any


class Model:
    """One model with operators on the host, which Python does through onnxruntime-extensions.

    `beside`: the model has steps that are begun and waited for later, so that both can work at once.
    """

    def __init__(self, path: str, steps: Sequence[Step], beside: bool):
        import onnxruntime

        def adjust(options: Any) -> None:
            if beside:
                options.execution_order = onnxruntime.ExecutionOrder.PRIORITY_BASED
            options.register_custom_ops_library(library())  # type: ignore[name-defined] # noqa: F821

        self._session = inference_session(path, adjust, ["CPUExecutionProvider"])  # type: ignore[name-defined] # noqa: F821
        self._inputs = [i.name for i in self._session.get_inputs()]
        self.steps = Steps(steps)  # type: ignore[name-defined] # noqa: F821
        self._beside = beside

    def run(self, feed: dict[str, Any], given: Sequence[Any]) -> list[Any]:
        """One call: the outputs, then the objects on the host by number."""
        import onnxruntime

        settings = onnxruntime.RunOptions()

        def stop() -> None:
            settings.terminate = True

        with Exchange(self.steps, [s.run for s in self.steps], given, stop) as exchange:  # type: ignore[name-defined] # noqa: F821
            feed = {**feed, "host": np.array(exchange.start, np.int64)}
            try:
                inputs = {name: feed[name] for name in self._inputs}
                run = partial(self._session.run, None, inputs, settings)
                outputs = run_in_step(exchange, run, self._beside)  # type: ignore[name-defined] # noqa: F821
            except Exception:
                if exchange.failure is None:
                    raise
            objects = exchange.end()
            return [*outputs[:-1], objects]
