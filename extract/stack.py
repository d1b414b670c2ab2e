"""Python's own stack during an extraction: the evaluator is recursive, and needs more of it than most code.

An inlined call takes some thirty frames of the evaluator, and Python allows a thousand in all.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType

from graph_program.extract.diagnostics import Diagnostic, Loc, UnsupportedError

FRAMES = 6000
"""How many frames an extraction may take on top of those of its caller."""
_lock = threading.Lock()
_limits: list[int] = []
"""Python's own limit, once for every extraction under way."""


@contextmanager
def deep_stack(fn: FunctionType) -> Iterator[None]:
    """Allow an extraction of `fn` deeper recursion than Python does.

    Raises
    ------
    UnsupportedError
        Where even that is not enough (GP345).
    """
    with _lock:
        _limits.append(_limits[0] if _limits else sys.getrecursionlimit())
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _depth() + FRAMES))
    try:
        yield
    except RecursionError:
        raise too_deep(fn) from None
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                sys.setrecursionlimit(limit)


def too_deep(fn: FunctionType) -> UnsupportedError:
    """The refusal of a program that takes more frames than there are."""
    code = fn.__code__
    place = Loc(code.co_filename, code.co_firstlineno, 1, code.co_firstlineno, 1)
    message = f"calls and expressions in {fn.__name__} are nested too deeply to be extracted"
    return UnsupportedError(Diagnostic("GP345", message, place))


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
