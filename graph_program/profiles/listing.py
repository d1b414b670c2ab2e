"""A profile as text: the source with the time of each line, or a table of operations.

   time   share
61.2 us  45.1 %    25          y = helper(y)
                                 helper, tools.py
                                 60.0 us  44.2 %     7      return np.tanh(a)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath

from graph_program.profiles.profile import Line, Operation, Profile
from graph_program.profiles.sources import function_at, source_line

SMALL = 0.005
"""The share below which lines of inlined functions are shown as one."""
BLANK = " " * 18
NUMBER = 6


def listing(profile: Profile) -> str:
    """The source of a program, with the time of each line and those of what was inlined there below it."""
    rows = [*_head(profile), "", f"{'time':>9}  {'share':>7}"]
    for number, (file, function, lines) in enumerate(_groups(profile)):
        rows += ["", f"{BLANK}{_heading(file, function)}"] if number else [f"{BLANK}{_heading(file, function)}"]
        rows += _function(profile, file, lines)
    rows += ["", *_rest(profile)]
    return "\n".join(row.rstrip() for row in rows)


def _head(profile: Profile) -> Iterator[str]:
    times = [time for i, time in enumerate(profile.runs) if i not in profile.outliers]
    count = f"{len(times)} runs" if len(times) > 1 else "1 run"
    yield f"{profile.name}: {duration(profile.seconds)} a call, the median of {count}"
    if len(times) > 1:
        yield f"the fastest took {duration(min(times))}, the slowest {duration(max(times))}"
    if profile.outliers:
        told = ", ".join(f"run {i + 1} took {duration(profile.runs[i])}" for i in profile.outliers)
        yield f"left out as outliers: {told}"
    extra = profile.profiled - profile.seconds
    if extra > profile.seconds / 10:
        yield f"left out is the time of the profiler itself, with which a call took {duration(profile.profiled)}"


def _groups(profile: Profile) -> list[tuple[str, str, list[Line]]]:
    """The lines by file and function, the program itself first."""
    groups = [(*key, list(lines)) for key, lines in groupby(profile.lines, key=lambda x: (x.file, x.function))]
    entry = profile.entry
    if entry is None:
        return groups
    own = [group for group in groups if group[:2] == (entry.file, entry.function)]
    return [*(own or [(entry.file, entry.function, [])]), *(group for group in groups if group not in own)]


def _function(profile: Profile, file: str, lines: Sequence[Line]) -> Iterator[str]:
    """The lines of a function: all of the program itself, those that take time of others."""
    by_number = {line.line: line for line in lines}
    numbers: Iterable[int] = sorted(by_number)
    entry = profile.entry
    start = entry.line if entry is not None and entry.file == file else min(by_number, default=0)
    found = function_at(file, start)
    if found is not None and all(found.first <= number <= found.last for number in by_number):
        numbers = range(found.first, found.last + 1)
    for number in numbers:
        text = source_line(file, number)
        if number in by_number:
            yield from _line(by_number[number], profile.seconds)
        else:
            yield f"{BLANK}{number:>{NUMBER}}  {text}"


def _line(line: Line, total: float) -> Iterator[str]:
    text = source_line(line.file, line.line)
    yield f"{_time(line.seconds, total)}{line.line:>{NUMBER}}  {text}"
    yield from _inlined(line, total, len(text) - len(text.lstrip()))


def _inlined(line: Line, total: float, indent: int) -> Iterator[str]:
    """What was inlined in a line, by function; lines that take next to nothing as one."""
    margin = BLANK + " " * (NUMBER + indent + 4)
    if line.inlined and line.own > SMALL * total:
        yield f"{margin}{_time(line.own, total)}{'':>{NUMBER}}  the line itself"
    for (file, function), lines in groupby(line.inlined, key=lambda x: (x.file, x.function)):
        yield f"{margin}{_heading(file, function)}"
        small = []
        for inner in lines:
            if inner.share < SMALL:
                small.append(inner)
                continue
            yield from (f"{margin}{row}" for row in _line(inner, total))
        if small:
            count = f"{len(small)} more lines" if len(small) > 1 else "1 more line"
            yield f"{margin}{_time(sum(inner.seconds for inner in small), total)}{'':>{NUMBER}}  {count}"


def _rest(profile: Profile) -> Iterator[str]:
    total = profile.seconds
    if profile.unattributed:
        yield f"{_time(profile.unattributed, total)}  operations without a known line"
    yield f"{_time(profile.between, total)}  between operations: onnxruntime itself"
    yield f"{_time(total, total)}  in all"


def operators(profile: Profile) -> str:
    """The operations, what takes longest first."""
    rows = [*_head(profile), "", f"{'time':>9}  {'share':>7}  {'times':>8}  operation"]
    total = profile.seconds
    for operation in sorted(profile.operations, key=lambda o: -o.seconds):
        where = " < ".join(f"{PurePath(f.file).name}:{f.line}" for f in reversed(operation.stack))
        rows.append(f"{_time(operation.seconds, total)}  {operation.count:>8,.0f}  {_named(operation)}  {where}")
    rows.append(f"{_time(profile.between, total)}  {'':>8}  between operations: onnxruntime itself")
    rows.append(f"{_time(total, total)}  {'':>8}  in all")
    return "\n".join(row.rstrip() for row in rows)


def _named(operation: Operation) -> str:
    """`MatMul y.2`: nodes are named after the operator and the value that they make."""
    value = operation.name.removeprefix(f"{operation.operator}_")
    return f"{operation.operator:<16} {value:<20}"


def _heading(file: str, function: str) -> str:
    name = PurePath(file).name
    return f"{function}, {name}" if function else name


def _time(seconds: float, total: float) -> str:
    share = 100 * seconds / total if total else 0.0
    return f"{duration(seconds):>9}  {share:>5.1f} %"


def duration(seconds: float) -> str:
    """`61.2 us`."""
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 1000 else f"{seconds * factor:,.0f} {unit}"
    return f"{seconds * 1e6:.3g} us" if seconds >= 1e-8 else "0 us"


__all__ = ["duration", "listing", "operators"]
