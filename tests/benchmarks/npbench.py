"""The kernels of the public NPBench project, unmodified: which are extracted, equal, and how fast.

The kernels are read from a checkout of the user's, given with `--path`:

    git clone https://github.com/spcl/npbench
    python -m tests.benchmarks npbench --path npbench [--only NAME ...] [--backend onnxruntime native auto]

Each kernel runs in a process of its own for each back end asked for (`--backend`; without it onnxruntime and machine
code, one after the other), under a time limit.  It is wrapped in `graph_program` as it
stands, called with the data that NPBench makes for its preset "S", and compared with plain NumPy:
what it returns and every argument, by class, dtype, shape and, to rounding, value.  Times are the processor's, with one
thread on either side: waiting threads and other processes would count for whoever has more calls.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean

from tests.benchmarks.measure import Row, three_digits

BACKENDS = ("onnxruntime", "native")
"""What runs the kernels where nothing is asked for."""
LIMIT_S = 300
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
VERDICTS = ["equal", "refused", "wrong", "timeout", "failed"]


@dataclass(frozen=True)
class Report:
    """What became of one kernel in one back end; times in seconds, size in bytes; which one "auto" has chosen."""

    kernel: str
    backend: str
    verdict: str
    detail: str = ""
    extraction: float = 0.0
    first_call: float = 0.0
    size: int = 0
    nodes: int = 0
    ours: float = 0.0
    numpy: float = 0.0
    chosen: str = ""

    @property
    def texts(self) -> tuple[str, str]:
        """The columns `median` and `ratio` of the table."""
        if self.verdict != "equal":
            return f"{self.verdict}: {self.detail}" if self.detail else self.verdict, ""
        made = f"extraction {self.extraction:.2f} s, {self.size} bytes, {self.nodes} nodes"
        times = f"{three_digits(self.ours * 1e3)} ms, NumPy {three_digits(self.numpy * 1e3)} ms"
        told = "; ".join(filter(None, ("equal", made, times, self.chosen)))
        return told, three_digits(self.ours / self.numpy)


def kernels(checkout: Path) -> list[str]:
    """The names of the benchmarks of a checkout.

    Raises
    ------
    FileNotFoundError
        Where the folder is no checkout of NPBench.
    """
    names = sorted(path.stem for path in (checkout / "bench_info").glob("*.json"))
    if not names:
        raise FileNotFoundError(f"{checkout} has no bench_info/*.json; git clone https://github.com/spcl/npbench")
    return names


def measured(checkout: Path, kernel: str, backend: str, quick: bool, limit: float = LIMIT_S) -> Report:
    """The report on one kernel, from a process of its own."""
    module = "tests.benchmarks.npbench_kernel"
    command = [sys.executable, "-m", module, str(checkout), kernel, backend, "1" if quick else ""]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env={**os.environ, **ONE_THREAD})
    except subprocess.TimeoutExpired:
        return Report(kernel, backend, "timeout", f"{limit:.0f} s")
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        last = done.stderr.strip().splitlines()[-1:]
        return Report(kernel, backend, "failed", f"exit {done.returncode}: {''.join(last)}")
    return Report(kernel, backend, **json.loads(lines[-1]))


def rows(
    quick: bool, path: str | None = None, only: Iterable[str] = (), backends: Iterable[str] = BACKENDS
) -> list[Row]:
    """The ratio is the program's time over plain NumPy's; the last rows of each back end are the counts."""
    if path is None:
        return [Row("npbench", "all kernels", "give a checkout of NPBench with --path")]
    checkout = Path(path).resolve()
    names = list(only) or kernels(checkout)
    return [row for backend in backends for row in rows_of_one(checkout, names, backend, quick)]


def rows_of_one(checkout: Path, names: list[str], backend: str, quick: bool) -> list[Row]:
    """The kernels in one back end, and their counts."""
    reports = []
    for name in names:
        report = measured(checkout, name, backend, quick)
        print(f"  {backend:12} {name:24} {' '.join(report.texts)}", file=sys.stderr, flush=True)
        reports.append(report)
    topic = f"npbench, {backend}"
    found = Counter(report.verdict for report in reports)
    counted = [Row(topic, v, f"{found[v]} of {len(reports)}") for v in VERDICTS]
    return [Row(topic, report.kernel, *report.texts) for report in reports] + counted + against_numpy(topic, reports)


def against_numpy(topic: str, reports: Iterable[Report]) -> list[Row]:
    """How many times as fast as NumPy the equal kernels are, and how many are slower."""
    speeds = [report.numpy / report.ours for report in reports if report.verdict == "equal"]
    if not speeds:
        return []
    slower = sum(speed < 1 for speed in speeds)
    return [
        Row(topic, "NumPy's time over ours, geomean", three_digits(geometric_mean(speeds))),
        Row(topic, "slower than NumPy", f"{slower} of {len(speeds)}"),
    ]


def encoded(report: Report) -> str:
    """A report as one line of JSON, without the names of the kernel and the back end."""
    fields = asdict(report)
    del fields["kernel"], fields["backend"]
    return json.dumps(fields)
