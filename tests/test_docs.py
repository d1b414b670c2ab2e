"""The documentation: its code prints what it says, generated parts are current, links lead somewhere."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import linecache
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def load_generator() -> Any:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_generate"] = module
    spec.loader.exec_module(module)
    return module


generate = load_generator()


def blocks(text: str) -> list[tuple[str, int, str]]:
    """Kind, number of lines before, and content of each `python` and `text` block of a page."""
    text = generate.MARKED.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [(match[1], text[: match.start(2)].count("\n"), match[2]) for match in BLOCK.finditer(text)]


def run_block(code: str, before: int, page: Path, namespace: dict[str, Any]) -> str:
    """What a block prints; its line numbers are the page's."""
    text = "\n" * before + code
    file = f"<{name_of(page)}:{before + 1}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, file, "exec"), namespace)
    return printed.getvalue()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")], ids=name_of
)
def test_code_prints_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType("page_" + page.stem.lower().replace("-", "_"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    found = blocks(page.read_text(encoding="utf-8"))
    for (kind, before, code), (next_kind, _, expected) in zip(found, [*found[1:], ("", 0, "")], strict=True):
        if kind == "python":
            printed = run_block(code, before, page, vars(module))
            if next_kind == "text":
                assert printed == expected, f"{name_of(page)}, line {before + 1}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        if "://" not in match[1]:
            assert (page.parent / match[1]).exists(), match[1]


MARKED_PAGES = [page for page in PAGES if generate.MARKED.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", MARKED_PAGES, ids=name_of)
def test_generated_parts_are_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert generate.filled(text) == text, "run `make docs`"


@pytest.mark.parametrize("file", generate.FILES, ids=name_of)
def test_generated_files_are_current(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == generate.FILES[file](), "run `make docs`"


def test_every_error_code_has_a_section() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### (GP\d{3})", text, re.MULTILINE)
    assert sections == list(generate.error_catalogue.codes_in_sources()), "run `make docs`"


def test_every_explained_code_is_in_use() -> None:
    explained = generate.error_catalogue.catalogue()
    assert set(explained) <= set(generate.error_catalogue.codes_in_sources())


def test_every_code_has_a_title() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert not re.findall(r"^### (GP\d{3})$", text, re.MULTILINE), "give them titles in docs/errors.toml"


def test_the_example_is_the_same_everywhere() -> None:
    shown = generate.EXAMPLE.strip()
    for name in ("README.md", "docs/tutorial.md", "docs/pipeline.md"):
        assert shown in (ROOT / name).read_text(encoding="utf-8"), name
