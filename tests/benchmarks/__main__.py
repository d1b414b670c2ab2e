"""`python -m tests.benchmarks [--quick] [TOPIC ...]`: run the measurements and print one table."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys

TOPICS = [
    "imports",
    "solver",
    "overhead",
    "lstm",
    "programs",
    "host",
    "overlap",
    "copies",
    "lists",
    "shape_inference",
    "linear_algebra",
    "networks",
    "forms",
    "operations",
    "exports",
    "sessions",
    "voice",
]
OUTSIDE = ["npbench"]
"""Topics about a project that the user has to check out; measured only where they are named."""
OWN_TABLES = [
    "auto",
    "devices",
    "encoder_exports",
    "everyday",
    "extraction",
    "gpu",
    "graphs",
    "loops",
    "native",
    "portable",
    "quantized",
]
"""Topics with columns of their own."""
BACKENDS = ["onnxruntime", "native", "auto"]
THREADS = "2"
THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"]


def main() -> int:
    """Run the topics named on the command line, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=", ".join(TOPICS + OWN_TABLES + OUTSIDE))
    parser.add_argument("--quick", action="store_true", help="few rounds: does it run at all?")
    parser.add_argument("--path", metavar="CHECKOUT", help=f"the other project's files ({', '.join(OUTSIDE)})")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="some of its programs")
    parser.add_argument(
        "--backend", nargs="+", choices=BACKENDS, default=BACKENDS[:2], help="npbench: what runs the programs"
    )
    parser.add_argument(
        "--corpus", action="store_true", help="extraction, graphs: a sample of the programs of the tests, too"
    )
    parser.add_argument("--every", type=int, metavar="N", help="portable: one test of so many")
    parser.add_argument("--from", type=int, default=0, dest="start", metavar="K", help="portable: the part K of N")
    parser.add_argument("--kept", metavar="FOLDER", help="portable: where what is collected stays for other runs")
    parser.add_argument("--runtimes", nargs="+", default=[], metavar="NAME", help="portable: some of the runtimes")
    parser.add_argument("--targets", action="store_true", help="portable: only what is made for each of the runtimes")
    parser.add_argument("--rows", action="store_true", help="portable: each program in each runtime, too")
    options = parser.parse_args()
    unknown = set(options.topics) - {*TOPICS, *OUTSIDE, *OWN_TABLES}
    if unknown:
        parser.error(f"no such topic: {', '.join(sorted(unknown))}")
    use_two_threads()

    from tests.benchmarks.measure import Row, render

    rows: list[Row] = []
    tables: list[str] = []
    for topic in options.topics or TOPICS + OWN_TABLES:
        print(f"measuring {topic} ...", file=sys.stderr, flush=True)
        module = importlib.import_module(f"tests.benchmarks.{topic}")
        if topic in OWN_TABLES:
            own = ("every", "start", "kept", "runtimes", "rows", "targets") if topic == "portable" else ()
            sample = {name: getattr(options, name) for name in own}
            tables += module.tables(options.quick, options.corpus, **sample)
        elif topic in OUTSIDE:
            rows += module.rows(options.quick, options.path, options.only, options.backend)
        else:
            rows += module.rows(options.quick)
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}")
    print("\n\n".join([render(rows)] * bool(rows) + tables))
    return 0


def use_two_threads() -> None:
    """Give every library the same two threads, and two cores where that can be said; before any import."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = THREADS
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: int(THREADS)]))


if __name__ == "__main__":
    sys.exit(main())
