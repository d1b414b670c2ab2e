"""Python looks less often for objects that only refer to each other, while an extraction makes many that stay.

An eighth of the time of extractions, and of the imports before the first one, is such looking: they make hundreds of
thousands of objects, hardly one of which is garbage before the end.
"""

from __future__ import annotations

import gc
import threading
from typing import Any

OBJECTS = 300_000
"""So many new objects, some tens of megabytes, until the next look."""


class _FewerCollections:
    """A context in which Python looks for garbage after more new objects than else, if it looks at all.

    That is a setting of the process: other threads have it, too, meanwhile.  It is set back at the end of the last of
    the contexts that threads are in, unless somebody has set another one.  What has been made by then counts as old:
    to look at all of it at once would take what was saved.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._own = self._set = gc.get_threshold()

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._own = gc.get_threshold()
                if 0 < self._own[0] < OBJECTS:
                    gc.set_threshold(OBJECTS, *self._own[1:])
                self._set = gc.get_threshold()

    def __exit__(self, *raised: Any) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and gc.get_threshold() == self._set:
                if self._set != self._own and not gc.get_freeze_count():  # else what is frozen would be no more
                    gc.freeze()
                    gc.unfreeze()
                gc.set_threshold(*self._own)


fewer_collections = _FewerCollections()

__all__ = ["fewer_collections"]
