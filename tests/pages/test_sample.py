"""The sample writes its page, and says what it needs where that is not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graph_program.samples import coins_page
from tests.pages.made import given, pretended


def test_the_page_has_a_photograph(tmp_path: Path) -> None:
    coins_page.write_page(tmp_path / "coins.html", pretended(tmp_path / "web"))
    said = given(tmp_path / "coins.html")
    photo, settings = said["parameters"]
    assert photo["controls"][0]["control"] == "image" and "initial" in photo["controls"][0]
    assert settings["controls"][0]["label"] == "settings.smoothing"
    assert said["show"] == {"result.labels": "labels", "result.outline": "mask"}


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NODE_PATH", raising=False)
    monkeypatch.setattr(sys, "argv", ["coins_page.py", "coins.html"])
    coins_page.main()
    assert capsys.readouterr().out == "no page is made: it needs `npm install onnxruntime-web`\n"
    pretended(tmp_path / "node_modules" / "onnxruntime-web")
    coins_page.main()
    assert capsys.readouterr().out.endswith("counts coins: coins.html\n") and Path("coins.html").is_file()
