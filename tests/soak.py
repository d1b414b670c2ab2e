"""Long runs of programs with host code, in which memory has to stay as it is.

    python -m tests.soak --exchanges 1000000 --calls 100000

One call with so many exchanges, then so many calls.  Resident memory is shown as it goes; the command exits with 1
where it has grown by more than the tolerance since a tenth of the way.
"""

from __future__ import annotations

import argparse
import gc
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float64, graph_program, host_function
from graph_program.backends.host import exchange

TOLERANCE = 8.0
"""MiB; objects that stayed would be a hundred and more in a million exchanges."""
POINTS = 10
"""How often memory is looked at."""
PER_ROUND = 3
"""Exchanges in a round of the long call, at least: the next frame, the next state, the comparison."""


def resident() -> float:
    """Resident memory of this process in MiB; the highest so far where the system does not tell the present."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        return int(statm.read_text().split()[1]) * resource.getpagesize() / 2**20
    try:
        import resource
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


class Watch:
    """Memory at several points of a run."""

    def __init__(self, what: str, total: int):
        self.what, self.total = what, total
        self.found: list[float] = []
        self.began = time.perf_counter()

    def at(self, count: int) -> None:
        """Look at memory, if it is time to."""
        while len(self.found) < POINTS and count * POINTS >= self.total * (len(self.found) + 1):
            self.found.append(resident())
            seconds = time.perf_counter() - self.began
            print(f"{self.what} {count:>9}  {self.found[-1]:8.1f} MiB  {seconds:7.1f} s", flush=True)

    @property
    def grown(self) -> float:
        return max(self.found[1:]) - self.found[0]


watches: dict[str, Watch] = {}


class State:
    """What a simulator gives: an object of its own in each round."""

    def __init__(self, k: int):
        self.k = k
        self.place = np.zeros(100)

    def following(self, push: float) -> State:
        watches["exchanges"].at(self.k * PER_ROUND)
        if self.k % 10 == 9:
            raise LookupError(self)
        return State(self.k + 1)


@host_function
def first_state() -> Any:
    return State(0)


@host_function
def recovered(error: Any) -> Any:
    return State(error.args[0].k + 1)


@host_function
def is_better(state: Any, best: Any) -> bool:
    return state.k % 1000 > best.k % 1000


@host_function
def frames(n: int) -> Iterator[Float64[np.ndarray, "100"]]:
    return (np.full(100, float(k)) for k in range(n))


@graph_program(copies="ignore")
def long_call(n: int) -> tuple[Any, Any, float]:
    state = best = first_state()
    total = 0.0
    for frame in frames(n):
        total += frame.mean()
        try:
            state = state.following(total)
        except LookupError as error:
            state = recovered(error)
        if is_better(state, best):
            best = state
    return state.k, best.k, total


@host_function
def reading(k: int) -> float:
    return 0.5 * k


@graph_program(copies="ignore")
def short_call(x: Float64[np.ndarray, "n"], k: int) -> Any:
    state = first_state()
    if k % 10 == 9:
        raise ValueError("now and then")
    return x * reading(k), state


def soak(exchanges: int, calls: int, tolerance: float) -> int:
    """Run both; how many of them grew."""
    rounds = exchanges // PER_ROUND
    watches["exchanges"] = Watch("exchanges", exchanges)
    result = long_call(rounds)
    assert result[0] == rounds and abs(result[2] - rounds * (rounds - 1) / 2) < 1e-3 * rounds**2, result
    watches["calls"] = Watch("calls", calls)
    x = np.ones(100)
    for k in range(calls):
        try:
            short_call(x, k)
        except ValueError:
            assert k % 10 == 9
        watches["calls"].at(k + 1)
    gc.collect()
    failed = 0
    for watch in watches.values():
        grown = watch.grown
        failed += grown > tolerance
        print(f"{watch.what}: {watch.total}, memory grew by {grown:.1f} MiB (at most {tolerance} are allowed)")
    threads = [t.name for t in threading.enumerate() if t.name == "graph_program"]
    print(f"threads left: {len(threads)}, calls left: {len(exchange._active)}")
    return failed + len(threads) + len(exchange._active)


def main(run: Callable[[int, int, float], int] = soak) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--exchanges", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="MIB")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.exit(1 if run(options.exchanges, options.calls, options.tolerance) else 0)


if __name__ == "__main__":
    main()
