"""What the sources say of each error code, and `errors.toml` besides: for the catalogue of errors."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SOURCES = ["tensor_api", "extract", "backends", "graph_program"]
CODE = re.compile(r"GP\d{3}")


def codes_in_sources() -> dict[str, list[tuple[str, str]]]:
    """Each code that the sources mention, with the (message, hint) pairs given with it."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for code in CODE.findall(text):
                found.setdefault(code, [])
            for code, message, hint in raised(ast.parse(text)):
                if (message, hint) not in found[code]:
                    found[code].append((message, hint))
    return dict(sorted(found.items()))


def raised(module: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Code, message and hint of each call that is given a code and a literal message."""
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        texts = [literal(argument) for argument in node.args]
        hint = "".join(literal(keyword.value) for keyword in node.keywords if keyword.arg == "hint")
        codes = [k for k, text in enumerate(texts) if CODE.fullmatch(text)]
        if codes and codes[0] + 1 < len(texts) and texts[codes[0] + 1]:
            yield texts[codes[0]], texts[codes[0] + 1], hint


def literal(node: ast.expr) -> str:
    """The text of a string or f-string, with an ellipsis for what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def catalogue() -> dict[str, dict[str, str]]:
    """Titles and explanations, as `errors.toml` has them."""
    return tomllib.loads((DOCS / "errors.toml").read_text(encoding="utf-8"))


def titles() -> dict[str, str]:
    """What each code means in a few words."""
    known, constructs = catalogue(), constructs_by_code()
    return {code: known.get(code, {}).get("title") or constructs.get(code, ("",))[0] for code in codes_in_sources()}


def packaged_catalogue() -> str:
    """Titles and explanations of all codes, as a file of the package; reports show them."""
    known, parts = catalogue(), ["# What the error codes mean; made by docs/generate.py from docs/errors.toml.\n"]
    for code, title in titles().items():
        text = " ".join(known.get(code, {}).get("text", "").split())
        parts.append(f"\n[{code}]\ntitle = {quoted(title)}\n" + (f"text = {quoted(text)}\n" if text else ""))
    return "".join(parts)


def quoted(text: str) -> str:
    """A string as TOML writes it, which for these is JSON's way."""
    return json.dumps(text, ensure_ascii=False)


def errors() -> str:
    """One section per code: its title and explanation from `errors.toml`, its messages from the sources."""
    known, named = catalogue(), titles()
    constructs = constructs_by_code()
    parts = []
    for code, messages in codes_in_sources().items():
        entry, title = known.get(code, {}), named[code]
        parts.append(f"### {code}{': ' + title if title else ''}\n\n")
        if "text" in entry:
            parts.append(entry["text"].strip() + "\n\n")
        for message, hint in [constructs[code]] if code in constructs else messages:
            lines = [message] if message != title else []
            lines += [f"help: {hint}"] if hint else []
            parts.append("> " + "\n>\n> ".join(lines) + "\n\n" if lines else "")
    return "".join(parts).rstrip("\n") + "\n"


def constructs_by_code() -> dict[str, tuple[str, str]]:
    """Message and hint of each code of `unsupported.py`."""
    from graph_program.extract.source.unsupported import CONSTRUCTS

    return {construct.code: (construct.message, construct.hint) for construct in CONSTRUCTS.values()}
