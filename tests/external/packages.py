"""Functions of installed packages of pure NumPy, run as graphs and compared with plain Python.

`python -m tests.external.packages [text ...]` prints a row for each function whose name has one of the texts in it:
the verdict (equal, refused with its code, wrong), the seconds that extraction took, and the model's nodes and bytes.
It exits with 1 if any is wrong.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from graph_program import GraphProgramError, graph_program
from graph_program.command_line.commands.demo import all_nodes
from tests.external.compare import differs_deeply, mismatch, outcome, refusal
from tests.external.package_functions import SUBJECTS, Case, Subject

MISSING = "not installed"
EQUAL = "equal"


@dataclass(frozen=True)
class Row:
    """What became of one function."""

    name: str
    inline: tuple[str, ...]
    verdict: str
    seconds: float = 0.0
    nodes: int = 0
    size: int = 0
    detail: str = ""


def measured(subject: Subject) -> Row:
    """Compare a function with plain Python on its calls, and look at its model."""
    try:
        plain, compared = subject.make(), subject.make()
    except ModuleNotFoundError:
        return Row(subject.name, subject.inline, MISSING)
    program = graph_program(compared.function, inline=subject.inline)
    start = time.perf_counter()
    try:
        model = program.model(compared.calls[0])
    except GraphProgramError as error:
        return Row(subject.name, subject.inline, f"refused {error.diagnostic.code}", detail=str(error))
    seconds = time.perf_counter() - start
    nodes = sum(1 for _ in all_nodes(model.graph.node)) + sum(len(f.node) for f in model.functions)
    verdict, detail = verdict_of(plain, compared, program)
    return Row(subject.name, subject.inline, verdict, seconds, nodes, model.ByteSize(), detail)


def verdict_of(plain: Case, compared: Case, program: object) -> tuple[str, str]:
    """Call both one after the other; "equal", or what differs first."""
    for args in plain.calls:
        expected, found = outcome(plain.function, args), outcome(program, args)  # type: ignore[arg-type]
        if code := refusal(found, expected):
            return f"refused {code}", str(found.error)
        if text := mismatch(expected, found):
            return "wrong", text
        for ours, theirs in zip(plain.state, compared.state, strict=True):
            if differs_deeply(vars(ours), vars(theirs)):
                return "wrong", f"fields left as {vars(ours)!r} in Python, {vars(theirs)!r} as a graph"
    return EQUAL, ""


def main() -> int:
    """Run the functions and print the table."""
    texts = sys.argv[1:]
    print(f"{'function':<52}{'inline':<26}{'verdict':<16}{'seconds':>8}{'nodes':>7}{'bytes':>8}")
    rows = []
    for subject in SUBJECTS:
        if texts and not any(text in subject.name for text in texts):
            continue
        rows.append(row := measured(subject))
        numbers = f"{row.seconds:>8.2f}{row.nodes:>7}{row.size:>8}" if row.nodes else ""
        print(f"{row.name:<52}{','.join(row.inline):<26}{row.verdict:<16}{numbers}".rstrip(), flush=True)
        if row.detail:
            print("    " + "\n    ".join(row.detail.splitlines()[:6]), flush=True)
    return 1 if any(row.verdict == "wrong" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
