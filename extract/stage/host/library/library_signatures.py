"""What functions and methods of the standard library and of `np.random` return, which do not say so themselves.

An entry is a note (see `host/values/host_annotations`), or a rule that gives one for the arguments.
"""

from __future__ import annotations

import collections
import collections.abc
import csv
import datetime
import inspect
import io
import math
import os
import pathlib
import queue
import random
import re
import statistics
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.host.library.noted_calls import Given, Ruled, of, tuple_of
from graph_program.extract.stage.host.library.random_signatures import NUMPY_RANDOM
from graph_program.extract.stage.host.values import host_annotations
from graph_program.extract.stage.values.values import Static, Value
from graph_program.extract.types.dims import symbol
from graph_program.extract.types.tensors.tensor_type import TensorType

# ---------------------------------------------------------------- calls


def _element(wrap: Any = None) -> Ruled:
    """The note of what the first argument gives when it is gone through, perhaps in a container."""

    def rule(given: Given) -> Any:
        found = host_annotations.element(given.note(0))
        return found if wrap is None or found is None else of(wrap, found)

    return Ruled(rule)


def _zipped(given: Given) -> Any:
    found = [host_annotations.element(given.note(i)) for i in range(len(given.args))]
    known = [Any if note is None else note for note in found]
    return None if all(note is None for note in found) else of(collections.abc.Iterator, tuple_of(*known))


def _enumerated(given: Given) -> Any:
    return of(collections.abc.Iterator, tuple_of(int, host_annotations.element(given.note(0)) or Any))


def _array_of(given: Given) -> Any:
    """`np.array(items)` of numbers or arrays of one type."""
    first = given.note(0)
    row = host_annotations.tensor_type(host_annotations.element(first))
    if row is None or len(given.args) > 1 or given.keywords or host_annotations.class_of(first) not in (list, tuple):
        return None
    return TensorType(row.dtype, (symbol("size"), *row.shape))


def _dict_of(given: Given) -> Any:
    pair = host_annotations.parts(host_annotations.element(given.note(0))) if len(given.args) == 1 else None
    return of(dict, *pair) if pair is not None and len(pair) == 2 else dict


def _argument(place: int) -> Ruled:
    """An argument of the owner's note: the values of `dict[str, float]`."""

    def rule(given: Given) -> Any:
        args = getattr(given.owner, "__args__", ())
        return args[place] if place < len(args) and args[place] is not Any else None

    return Ruled(rule)


def _view(*places: int) -> Ruled:
    def rule(given: Given) -> Any:
        args = getattr(given.owner, "__args__", ())
        if len(args) != 2:
            return None
        found = [args[p] for p in places]
        return of(collections.abc.Collection, found[0] if len(found) == 1 else tuple_of(*found))

    return Ruled(rule)


# ---------------------------------------------------------------- functions

CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
FLOATS = ("random", "uniform", "gauss", "normalvariate", "expovariate", "triangular", "betavariate", "gammavariate")
FLOATS += ("lognormvariate", "vonmisesvariate", "paretovariate", "weibullvariate")  # type: ignore[assignment]
MATH = ("sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "atan2")
MATH += ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "hypot", "fabs", "fmod", "pow", "degrees", "radians")  # type: ignore[assignment]
MATH += ("copysign", "erf", "erfc", "gamma", "lgamma", "dist", "fsum", "remainder", "ldexp")  # type: ignore[assignment]
PATHS = ("exists", "isfile", "isdir", "isabs", "islink")
TEXTS = ("join", "basename", "dirname", "abspath", "normpath", "realpath", "expanduser")
STREAMS = (io.StringIO, io.TextIOWrapper, io.TextIOBase)

FUNCTIONS: dict[Any, Any] = {
    **{getattr(time, name): float for name in CLOCKS},
    **{getattr(time, f"{name}_ns"): int for name in CLOCKS},
    **{getattr(random, name): float for name in FLOATS},
    **dict.fromkeys([random.randint, random.randrange, random.getrandbits], int),
    **dict.fromkeys([random.choice], _element()),
    **dict.fromkeys([random.sample, random.choices], _element(list)),
    **{cls: cls for cls in (int, float, bool, str, bytes)},
    **dict.fromkeys([math.floor, math.ceil, math.trunc, math.gcd, math.isqrt, math.lcm, math.comb, math.perm], int),
    **dict.fromkeys([math.factorial, zlib.crc32, zlib.adler32], int),
    **dict.fromkeys([math.isnan, math.isinf, math.isfinite, math.isclose], bool),
    **{getattr(math, name): float for name in MATH},
    **dict.fromkeys([statistics.fmean, statistics.geometric_mean], float),
    **dict.fromkeys(
        [statistics.mean, statistics.median], Ruled(lambda given: float if _element().rule(given) is float else None)
    ),
    **{getattr(os.path, name): bool for name in PATHS},
    **{getattr(os.path, name): str for name in TEXTS},
    os.path.getsize: int,
    **dict.fromkeys([os.path.getmtime, os.path.getctime, os.path.getatime], float),
    **dict.fromkeys([os.getpid], int),
    os.listdir: list[str],
    os.getcwd: str,
    os.stat: os.stat_result,
    open: io.TextIOWrapper,
    csv.reader: collections.abc.Iterator[list[str]],
    csv.DictReader: collections.abc.Iterator[dict[str, str]],
    **dict.fromkeys([re.match, re.search, re.fullmatch], re.Match[str] | None),
    re.findall: None,
    re.split: list[str],
    re.sub: str,
    range: collections.abc.Sequence[int],
    **dict.fromkeys([len, ord, hash, id], int),
    **dict.fromkeys([isinstance, issubclass, hasattr, callable, any, all], bool),
    **dict.fromkeys([input, repr, ascii, chr, format, bin, hex, oct], str),
    round: Ruled(lambda given: float if len(given.args) + len(given.keywords) > 1 else int),
    abs: Ruled(lambda given: given.note(0)),
    next: Ruled(lambda given: host_annotations.or_default(_element().rule(given), given)),
    **dict.fromkeys([iter, reversed], _element(collections.abc.Iterator)),
    **dict.fromkeys([sorted, list], _element(list)),
    set: _element(set),
    **dict.fromkeys([np.array, np.asarray], Ruled(_array_of)),
    dict: Ruled(_dict_of),
    zip: Ruled(_zipped),
    enumerate: Ruled(_enumerated),
    np.random.default_rng: np.random.Generator,
    datetime.datetime.now: datetime.datetime,
}
"""By function."""

# ---------------------------------------------------------------- methods and attributes

_STR = {
    **dict.fromkeys(["split", "rsplit", "splitlines"], list[str]),
    **dict.fromkeys(["strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "replace", "join"], str),
    **dict.fromkeys(["format", "zfill", "ljust", "rjust", "center", "removeprefix", "removesuffix"], str),
    **dict.fromkeys(["find", "rfind", "index", "rindex", "count"], int),
    **dict.fromkeys(["startswith", "endswith", "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower"], bool),
    **dict.fromkeys(["partition", "rpartition"], tuple[str, str, str]),
    "encode": bytes,
}
_MAPPING = {
    "items": _view(0, 1),
    "keys": _view(0),
    "values": _view(1),
    "pop": Ruled(lambda given: host_annotations.or_default(_argument(1).rule(given), given)),
    "__getitem__": _argument(1),
}
_STREAM = {
    **dict.fromkeys(["read", "readline", "getvalue"], str),
    "readlines": list[str],
    **dict.fromkeys(["write", "tell", "seek"], int),
    "closed": bool,
}
_DATE = dict.fromkeys(["year", "month", "day"], int)

MEMBERS: dict[type, dict[str, Any]] = {
    str: _STR,
    list: {"pop": _argument(0), "index": int, "count": int},
    dict: _MAPPING,
    collections.abc.Mapping: _MAPPING,
    random.Random: {
        **dict.fromkeys(FLOATS, float),
        **dict.fromkeys(["randint", "randrange", "getrandbits"], int),
        "choice": _element(),
        **dict.fromkeys(["sample", "choices"], _element(list)),
    },
    np.random.Generator: NUMPY_RANDOM,
    np.random.RandomState: NUMPY_RANDOM,
    **dict.fromkeys(STREAMS, _STREAM),
    np.ndarray: dict.fromkeys(["tobytes", "dumps"], bytes),
    np.generic: dict.fromkeys(["tobytes", "dumps"], bytes),
    queue.Queue: {"qsize": int, "empty": bool, "full": bool},
    threading.Event: {"is_set": bool, "wait": bool},
    datetime.timedelta: {"total_seconds": float, "days": int, "seconds": int, "microseconds": int},
    datetime.date: {**_DATE, "weekday": int, "isoformat": str, "strftime": str, "toordinal": int},
    datetime.datetime: {**dict.fromkeys(["hour", "minute", "second", "microsecond"], int), "timestamp": float},
    os.stat_result: {"st_size": int, "st_mtime": float, "st_atime": float, "st_ctime": float},
    re.Match: {"start": int, "end": int},
    pathlib.PurePath: {
        **dict.fromkeys(["name", "stem", "suffix", "as_posix"], str),
        **dict.fromkeys(["exists", "is_file", "is_dir"], bool),
        "read_text": str,
        "read_bytes": bytes,
        **dict.fromkeys(["write_text", "write_bytes"], int),
        "stat": os.stat_result,
        **dict.fromkeys(["iterdir", "glob", "rglob"], collections.abc.Iterator[pathlib.Path]),
        **dict.fromkeys(["with_suffix", "with_name", "joinpath", "resolve"], pathlib.Path),
        "parent": pathlib.Path,
    },
}
"""By class: methods and attributes."""

ELEMENTS: dict[type, Any] = {**dict.fromkeys((str, *STREAMS), str), **dict.fromkeys((bytes, bytearray, range), int)}
"""What objects of a class give when they are gone through."""


def member(cls: type, name: str) -> Any:
    """The entry of a method or attribute, of the class or of one that it is made from; None for none."""
    for base in cls.__mro__:
        if name in MEMBERS.get(base, {}):
            return MEMBERS[base][name]
        if name in vars(base):
            return None
    return None


def add(functions: Mapping[Any, Any], members: Mapping[type, dict[str, Any]]) -> None:
    """Join entries to those here."""
    FUNCTIONS.update(functions)
    for cls, found in members.items():
        MEMBERS[cls] = {**MEMBERS.get(cls, {}), **found}


def entry(function: Any) -> Any:
    """The entry of a function; None for none."""
    try:
        return FUNCTIONS.get(function)
    except TypeError:  # what has no hash is none of them
        return None


def called(
    function: Any, args: Sequence[Value], keywords: Mapping[str, Value], notes: Sequence[Any] | None = None
) -> Any:
    """The note of what a function returns."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if args and isinstance(args[0], Static) and vars(type(args[0].value)).get(name) is function:
        owner, args = args[0].value, args[1:]  # a method apart from its object
        notes = None if notes is None else notes[1:]
    found = entry(function)
    if found is None and owner is not None and not inspect.ismodule(owner):
        found = member(type(owner), name)
    return result(found, Given(None if owner is None else type(owner), args, keywords, notes))


def result(entry: Any, given: Given) -> Any:
    """The note of what is called with these arguments."""
    return entry.rule(given) if isinstance(entry, Ruled) else entry
