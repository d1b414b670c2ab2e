"""What a check found, as text, JSON, SARIF or GitHub annotations."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, TextIO

from graph_program.extract.diagnostics import Diagnostic, Fact, Loc

Json = dict[str, Any]
REVEAL = "reveal"
"""The code of the notes that answer a question."""


@dataclass(frozen=True)
class Finding:
    """One thing to say about a program; `severity` is "error", "warning" or "note"."""

    severity: str
    diagnostic: Diagnostic
    program: str = ""
    fact: Fact | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """Findings with the same key say the same; what is revealed differs by the calls that led there."""
        d = self.diagnostic
        chain = d.loc.chain if self.fact is not None else [d.loc]
        return (self.severity, d.code, d.message, *chain)


@dataclass(frozen=True)
class Report:
    """All that a check has to say."""

    findings: tuple[Finding, ...]
    problems: tuple[str, ...] = ()
    """Files that could not be looked at."""

    @property
    def errors(self) -> int:
        return self._count("error")

    @property
    def warnings(self) -> int:
        return self._count("warning")

    def _count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)


# ---------------------------------------------------------------- places


def shown_place(loc: Loc) -> Loc:
    """A place with its file as seen from the current folder."""
    call = None if loc.call is None else shown_place(loc.call)
    return replace(loc, file=shown_file(loc.file), call=call)


def shown_file(file: str) -> str:
    """A path relative to the current folder where it lies in it, with forward slashes."""
    path = Path(file)
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return file


def shown(diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic with all its files as seen from the current folder."""
    labels = tuple(replace(label, loc=shown_place(label.loc)) for label in diagnostic.labels)
    return replace(diagnostic, loc=shown_place(diagnostic.loc), labels=labels)


# ---------------------------------------------------------------- text


def text(report: Report) -> str:
    """What a person reads: every finding with its source."""
    return "\n".join(map(_text_of, report.findings))


def _text_of(finding: Finding) -> str:
    d = shown(finding.diagnostic)
    if finding.severity != "note":
        return d.render(finding.severity)
    calls = [f"  inlined from {call} in {call.function}" for call in d.loc.chain[1:]]
    notes = [f"  note: {note}" for note in d.notes] + ([f"  help: {d.hint}"] if d.hint else [])
    return "\n".join([f"{d.loc}: note: {d.message}", *calls, *notes])


STYLES = (
    (r"(?m)^\S.*?: (error\[\w+\]):", "bold red"),
    (r"(?m)^\S.*?: (warning\[\w+\]):", "bold yellow"),
    (r"(?m)^\S.*?: (note):", "bold cyan"),
    (r"(?m)^  (note|help):", "cyan"),
    (r"(?m)^  +\| +(\^+)$", "red"),
    (r"(?m)^(  +\d* \|)", "blue"),
)


def show(written: str, stream: TextIO | None) -> None:
    """Write text, in colours where a person looks on and has rich installed; to a closed stream, nothing."""
    if not written or stream is None:
        return
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        print(written, file=stream)
        return
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        print(written, file=stream)
        return
    styled = Text(written)
    for pattern, style in STYLES:
        for match in re.finditer(pattern, written):
            styled.stylize(style, match.start(1), match.end(1))
    Console(file=stream, soft_wrap=True).print(styled)


# ---------------------------------------------------------------- JSON


def as_json(report: Report) -> str:
    """A list of findings."""
    return json.dumps(list(map(_json_of, report.findings)), indent=2)


def _json_of(finding: Finding) -> Json:
    d = shown(finding.diagnostic)
    return {
        "code": d.code,
        "severity": finding.severity,
        "message": d.message,
        **_span(d.loc),
        "program": finding.program,
        "related": [{"message": label.text, **_span(label.loc)} for label in d.labels],
        "notes": list(d.notes),
        "hint": d.hint,
        "inlined_from": [{**_span(call), "function": call.function} for call in d.loc.chain[1:]],
        "fact": None if finding.fact is None else asdict(finding.fact),
    }


def _span(loc: Loc) -> Json:
    return {
        "file": loc.file,
        "line": loc.line,
        "column": loc.column,
        "end_line": loc.end_line,
        "end_column": loc.end_column,
    }


# ---------------------------------------------------------------- SARIF


def sarif(report: Report) -> str:
    """A log in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS, 2020)."""
    levels = {finding.diagnostic.code: finding.severity for finding in report.findings}
    codes = sorted(levels)
    driver = {
        "name": "graph-program",
        "version": metadata.version("graph-program"),
        "rules": [_rule(code, levels[code]) for code in codes],
    }
    notifications = [{"level": "error", "message": {"text": problem}} for problem in report.problems]
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not notifications, "toolExecutionNotifications": notifications}],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the folder that the check ran in"}}},
        "results": [_result(finding, codes) for finding in report.findings],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str, level: str) -> Json:
    entry = catalogue().get(code, {})
    title = entry.get("title", code)
    explained = entry.get("text", title)
    return {
        "id": code,
        "shortDescription": {"text": title},
        "fullDescription": {"text": explained},
        "help": {"text": explained},
        "helpUri": help_uri(code, title),
        "defaultConfiguration": {"level": level},
    }


def _result(finding: Finding, codes: Sequence[str]) -> Json:
    d = shown(finding.diagnostic)
    related = [(label.text, label.loc) for label in d.labels]
    related += [(f"inlined from here, in {call.function}", call) for call in d.loc.chain[1:]]
    return {
        "ruleId": d.code,
        "ruleIndex": codes.index(d.code),
        "level": finding.severity,
        "message": {"text": _whole_message(d)},
        "locations": [_location(d.loc)],
        "relatedLocations": [{"id": i, **_location(loc), "message": {"text": t}} for i, (t, loc) in enumerate(related)],
    }


def _whole_message(d: Diagnostic) -> str:
    return "\n".join([d.message, *(f"note: {note}" for note in d.notes), *([f"help: {d.hint}"] if d.hint else [])])


def _location(loc: Loc) -> Json:
    if Path(loc.file).is_absolute():
        artifact = {"uri": Path(loc.file).as_uri()}
    else:
        artifact = {"uri": _quoted(loc.file), "uriBaseId": "%SRCROOT%"}
    physical: Json = {"artifactLocation": artifact}
    if loc.line:
        region = {"startLine": loc.line, "startColumn": loc.column, "endLine": loc.end_line}
        if (loc.line, loc.column) != (loc.end_line, loc.end_column):
            region["endColumn"] = loc.end_column
        physical["region"] = region
    return {"physicalLocation": physical}


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path)


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """What each code means, as the errors page says it: a title, and often a text."""
    file = resources.files("graph_program") / "errors.toml"
    return {**tomllib.loads(file.read_text(encoding="utf-8")), REVEAL: {"title": "revealed type"}}


def help_uri(code: str, title: str) -> str:
    """Where a code is explained: on the errors page, if the package's metadata says where the docs are."""
    urls = metadata.metadata("graph-program").get_all("Project-URL") or []
    named = dict(url.split(", ", 1) for url in urls if ", " in url)
    base = named.get("Documentation")
    if base is None:
        return f"urn:graph-program:error:{code}"
    anchor = re.sub(r"[^\w -]", "", f"{code}: {title}".lower()).replace(" ", "-")
    return f"{base.rstrip('/')}/errors.md#{anchor}"


# ---------------------------------------------------------------- GitHub


def github(report: Report) -> str:
    """Workflow commands that make annotations of a pull request."""
    lines = [_annotation(finding) for finding in report.findings]
    lines += [f"::error title=graph-program::{_escaped(problem)}" for problem in report.problems]
    return "\n".join(lines)


def _annotation(finding: Finding) -> str:
    d = shown(finding.diagnostic)
    command = {"error": "error", "warning": "warning", "note": "notice"}[finding.severity]
    place: dict[str, object] = {"file": d.loc.file}
    if d.loc.line:
        place |= {"line": d.loc.line, "col": d.loc.column, "endLine": d.loc.end_line, "endColumn": d.loc.end_column}
    properties = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in (place | {"title": d.code}).items())
    calls = [f"inlined from {call} in {call.function}" for call in d.loc.chain[1:]]
    return f"::{command} {properties}::{_escaped(chr(10).join([_whole_message(d), *calls]))}"


def _escaped(written: str, more: str = "") -> str:
    """A value of a workflow command: percent, line ends, and what else separates values."""
    return "".join(f"%{ord(c):02X}" if c in f"%\r\n{more}" else c for c in written)


FORMATS: dict[str, Callable[[Report], str]] = {"text": text, "json": as_json, "sarif": sarif, "github": github}
