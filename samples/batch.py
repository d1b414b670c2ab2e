"""One program for many pictures: in a loop, in processes of this machine, and on a cluster with Ray Data.

The program is that of `coins.py`. Each of Ray's workers has a session of it, and counts the coins in its share of the
pictures; graph-program has to be installed where they run.

Run with `python samples/batch.py [PICTURES]`. Without an address in `RAY_ADDRESS`, Ray starts a cluster on this
machine; with one, the same file runs on that cluster. Without the package `ray[data]`, that part is left out.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from graph_program.samples.coins import Settings, count_coins

SETTINGS = Settings(background=20, smallest=40)
ROWS = 8
"""Pictures that a worker is given at once."""


def drawn(seed: int) -> Any:
    """Up to nine bright discs on a background that is lit from one side, with noise: `uint8[90, 120]`."""
    rng = np.random.default_rng(seed)
    y, x = np.indices((90, 120))
    picture = 40 + 60 * x / 120 + rng.normal(scale=4, size=(90, 120))
    for place in rng.permutation(9)[: rng.integers(3, 10)]:
        row, column = divmod(int(place), 3)
        away = np.hypot(y - 15 - 30 * row, x - 20 - 40 * column)
        picture += 90 * (away < rng.uniform(6, 12))
    return picture.astype(np.uint8)


def in_a_loop(pictures: Sequence[Any]) -> list[int]:
    """The numbers of coins, one picture after the other."""
    return [count_coins(picture, SETTINGS).count for picture in pictures]


def in_processes(pictures: Sequence[Any], count: int) -> list[int]:
    """The same, with processes that run the graph."""
    with count_coins.session() as session:
        calls = ((picture, SETTINGS) for picture in pictures)
        return [found.count for found in session.run_many(calls, processes=count, progress=False)]


class Counter:
    """What each of Ray's workers makes once and calls with some rows at a time."""

    def __init__(self) -> None:
        self.session = count_coins.session()

    def __call__(self, rows: dict[str, Any]) -> dict[str, Any]:
        found = [self.session(picture, SETTINGS).count for picture in rows["picture"]]
        return {"coins": np.array(found, np.int64)}


def with_ray(pictures: Sequence[Any], workers: int) -> list[int]:
    """The same, by workers of a cluster."""
    from ray import data

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    options = data.DataContext.get_current()
    options.execution_options.preserve_order = True
    options.enable_progress_bars = False
    rows = data.from_items([{"picture": picture} for picture in pictures])
    counted = rows.map_batches(
        Counter,
        batch_size=ROWS,
        compute=data.ActorPoolStrategy(size=workers),
    )
    return [int(row["coins"]) for row in counted.take_all()]


def cluster() -> int:
    """Join the cluster that `RAY_ADDRESS` names, or start one here; the number of its processors."""
    import ray

    found: Any = ray
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if not ray.is_initialized():
        here: dict[str, Any] = {} if "RAY_ADDRESS" in os.environ else {"include_dashboard": False}
        ray.init(logging_level=logging.ERROR, log_to_driver=False, **here)
    return max(1, int(found.cluster_resources().get("CPU", 1)))


def told(what: str, work: Callable[[], list[int]], expected: list[int] | None, count: int) -> list[int]:
    """Do some work, and say how long it took and whether it gives what was expected."""
    began = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - began
    equal = "" if expected is None else ", equal" if found == expected else ", DIFFERENT"
    print(f"{what}: {count / seconds:.0f} pictures/s{equal}")
    return found


def main(count: int = 24) -> None:
    pictures = [drawn(seed) for seed in range(count)]
    in_a_loop(pictures[:1])  # extracted here, once
    expected = told("a loop", lambda: in_a_loop(pictures), None, count)
    told("2 processes", lambda: in_processes(pictures, 2), expected, count)
    if find_spec("ray") is None:
        print("Ray: left out, as the package is not there (pip install 'ray[data]')")
    else:
        workers = cluster()
        told(f"Ray, {workers} workers", lambda: with_ray(pictures, workers), expected, count)
    print(f"{sum(expected)} coins in {count} pictures")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
