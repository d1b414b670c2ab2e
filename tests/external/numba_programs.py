"""The programs of numba's own tests, run as graphs and compared with plain Python.

`python -m tests.external.numba_programs [module ...] [--verbose] [--all] [--name TEXT]` prints a table with a row
for each test module: programs, in scope, extracted and equal, refused, wrong.  It exits with 1 if any is wrong.
The programs and their arguments are taken from the installed numba (see `recording`); `scope.toml` says which
of them are outside the language.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.external.compare import Outcome, mismatch, outcome, refusal, without_contents
from tests.external.recording import Call, Recorded, record
from tests.external.scope import Table, argument_reason, listed, program_reason, result_reason, table_of

MODULES = (
    "test_flow_control",
    "test_range",
    "test_closure",
    "test_nested_calls",
    "test_tuples",
    "test_dataflow",
    "test_mixed_tuple_unroller",
    "test_array_attr",
    "test_array_constants",
    "test_array_exprs",
    "test_array_iterators",
    "test_array_manipulation",
    "test_array_methods",
    "test_array_reductions",
    "test_array_return",
    "test_dyn_array",
    "test_fancy_indexing",
    "test_indexing",
    "test_unpack_sequence",
    "test_optional",
    "test_lists",
    "test_dictobject",
    "test_jitclasses",
    "test_exceptions",
    "test_try_except",
)
PER_SIGNATURE = 3
SIGNATURES = 10
VARIANTS = 8
"""How many sets of arguments, signatures and closures of a program are tried, unless all are asked for."""


@dataclass
class Finding:
    """What became of one program: out of scope for a reason, refused with codes, wrong, or equal."""

    name: str
    out_of_scope: str = ""
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    equal: int = 0

    @property
    def verdict(self) -> str:
        if self.out_of_scope:
            return "out of scope"
        if self.wrong:
            return "wrong"
        return "refused" if self.refused else "equal"


@dataclass
class Program:
    """One function of a module's text, with all closures that were made of it."""

    name: str
    variants: list[Recorded] = field(default_factory=list)


def programs_of(recorded: list[Recorded]) -> list[Program]:
    """The recorded functions, grouped by their place in the text."""
    found: dict[tuple[str, int], Program] = {}
    for item in recorded:
        key = item.name, item.function.__code__.co_firstlineno
        found.setdefault(key, Program(item.name)).variants.append(item)
    return list(found.values())


def signature(value: Any) -> Any:
    """What of an argument is not its value: class, element type, rank, layout."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.ndim, value.flags.c_contiguous, value.flags.f_contiguous, value.flags.writeable
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(map(signature, value))
    return type(value).__name__


def chosen(calls: list[Call], everything: bool) -> Iterator[Call]:
    """Some argument sets of each signature."""
    seen: Counter[Any] = Counter()
    for call in calls:
        key = signature((*call.args, *call.keywords.values())), tuple(call.keywords)
        seen[key] += 1
        if everything or (seen[key] <= PER_SIGNATURE and len(seen) <= SIGNATURES):
            yield call


def run_program(program: Program, table: Table, everything: bool) -> Finding:
    """Compare all variants of a program with plain Python."""
    finding = Finding(program.name)
    first = program.variants[0].function
    finding.out_of_scope = listed(table.excluded, program.name) or program_reason(first)
    if finding.out_of_scope:
        return finding
    excluded: Counter[str] = Counter()
    shown = without_contents if listed(table.unspecified, program.name) else lambda value: value
    variants = program.variants if everything else program.variants[:VARIANTS]
    for variant in variants:
        excluded.update(run_variant(finding, variant, everything, shown))
    if not (finding.equal or finding.refused or finding.wrong):
        finding.out_of_scope = excluded.most_common(1)[0][0] if excluded else "never called by numba's tests"
    return finding


def run_variant(finding: Finding, variant: Recorded, everything: bool, shown: Callable[[Any], Any]) -> Iterator[str]:
    """Compare the calls of one function; yields why calls were left out."""
    graph = graph_program(variant.function, inline=("numba",))
    for call in chosen(variant.calls, everything):
        given = *call.args, *call.keywords.values()
        if reason := argument_reason(given) or too_few(variant.function, call):
            yield reason
            continue
        expected = outcome(variant.function, call.args, call.keywords)
        if reason := result_reason(expected.result):
            yield reason
            continue
        found = outcome(graph, call.args, call.keywords)
        note(finding, given, *(replace(o, result=shown(o.result)) for o in (expected, found)))


def too_few(function: FunctionType, call: Call) -> str:
    """Why a call cannot be made: numba's tests compile for types that their Python function does not take."""
    try:
        inspect.signature(function).bind(*call.args, **call.keywords)
    except TypeError:
        return "called with the wrong number of arguments"
    return ""


def note(finding: Finding, args: tuple[Any, ...], expected: Outcome, found: Outcome) -> None:
    if code := refusal(found, expected):
        finding.refused[f"{code} {str(found.error).splitlines()[0]}"] += 1
    elif text := mismatch(expected, found):
        finding.wrong.append(f"{args!r}: {text}")
    else:
        finding.equal += 1


def run_module(name: str, options: argparse.Namespace) -> list[Finding]:
    """All programs of a test module."""
    table = table_of(name)
    _, recorded = record(name)
    wanted = [p for p in programs_of(recorded) if options.name in p.name]
    findings = []
    for program in wanted:
        findings.append(run_program(program, table, options.all))
        if options.verbose:
            print_finding(findings[-1])
    return findings


def print_finding(finding: Finding) -> None:
    match finding.verdict:
        case "out of scope":
            print(f"  out of scope  {finding.name}: {finding.out_of_scope}")
        case "refused":
            for text, count in finding.refused.items():
                print(f"  refused       {finding.name}: {text} ({count} of {finding.equal + finding.refused.total()})")
        case "wrong":
            for text in finding.wrong[:3]:
                print(f"  WRONG         {finding.name}: {' '.join(text.split())[:WIDTH]}")
    sys.stdout.flush()


WIDTH = 400
HEADER = ("module", "programs", "in scope", "equal", "refused", "wrong", "codes")


def row(module: str, findings: list[Finding]) -> tuple[str, ...]:
    verdicts = Counter(f.verdict for f in findings)
    codes = Counter(text.split()[0] for f in findings if f.verdict == "refused" for text in list(f.refused)[:1])
    inside = len(findings) - verdicts["out of scope"]
    numbers = (len(findings), inside, verdicts["equal"], verdicts["refused"], verdicts["wrong"])
    return (module, *map(str, numbers), " ".join(f"{code}:{n}" for code, n in codes.most_common()))


def main() -> int:
    """Run the modules and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.external.numba_programs", description=__doc__)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--verbose", action="store_true", help="list what is refused, wrong and out of scope")
    parser.add_argument("--all", action="store_true", help="all recorded arguments, not some of each signature")
    parser.add_argument("--name", default="", help="only programs with this in their name")
    options = parser.parse_args()
    print("  ".join(f"{text:<26}" if k == 0 else f"{text:>8}" for k, text in enumerate(HEADER)))
    total: list[Finding] = []
    for module in options.modules:
        findings = run_module(module, options)
        total += findings
        cells = row(module, findings)
        print("  ".join(f"{text:<26}" if k == 0 else f"{text:>8}" for k, text in enumerate(cells)), flush=True)
    if len(options.modules) > 1:
        print("  ".join(f"{text:<26}" if k == 0 else f"{text:>8}" for k, text in enumerate(row("all", total))))
    return 1 if any(f.wrong for f in total) else 0


if __name__ == "__main__":
    sys.exit(main())
