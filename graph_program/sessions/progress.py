"""A bar that says how far a stream of calls is, where there is a terminal and the package `rich`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from operator import length_hint
from typing import Any

PAUSE = 0.1
"""Seconds between two looks at how many results there are."""


def shown(results: Iterator[Any], stream: Iterable[Any], title: str) -> Iterator[Any]:
    """The same results, with a bar that goes along with them on the standard error stream."""
    if not sys.stderr.isatty():
        return results
    try:
        import rich.progress  # noqa: F401
    except ImportError:
        return results
    return _with_bar(results, length_hint(stream, -1), title)


def _with_bar(results: Iterator[Any], total: int, title: str) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    columns += [TimeElapsedColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None if total < 0 else total)
        count, seen = 0, time.monotonic()
        for result in results:
            count += 1
            if time.monotonic() - seen >= PAUSE:
                seen = time.monotonic()
                bar.update(task, completed=count)
            yield result
        bar.update(task, completed=count)


__all__ = ["shown"]
