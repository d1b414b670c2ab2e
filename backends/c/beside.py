"""Work on other threads than the caller's: one at a time, and never in the middle of it when the process forks.

A child process has the locks of the threads that it does not have.  What waits for the compiler holds none.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_TURN = threading.Lock()
_OWN = threading.local()


@contextmanager
def working() -> Iterator[None]:
    """While this lasts, nobody else works so, and the process does not fork."""
    with _TURN:
        _OWN.has_turn = True
        try:
            yield
        finally:
            _OWN.has_turn = False


def is_beside() -> bool:
    """Whether this thread works so, and calls go on without what it makes."""
    return getattr(_OWN, "has_turn", False)


@contextmanager
def waiting() -> Iterator[None]:
    """While this thread waits for something, others may work, and the process may fork."""
    if not is_beside():
        yield
        return
    _TURN.release()
    try:
        yield
    finally:
        _TURN.acquire()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_TURN.acquire, after_in_parent=_TURN.release, after_in_child=_TURN.release)

__all__ = ["is_beside", "waiting", "working"]
