"""The commands that docs/command-line.md shows do what it says, and its options are all there are."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from graph_program.cli import main
from graph_program.command_line.commands import export

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_commands_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = re.search(r"^```py\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert source is not None
    (tmp_path / "track.py").write_text(source[1])
    commands = re.findall(r"^\$ graph-program (.*)$", TEXT, re.MULTILINE)
    assert len(commands) > 3
    for command in commands:
        assert main(shlex.split(command)) == 0, command
    assert "[1.        3.        2.6666667]" in capsys.readouterr().out


def test_every_option_of_export_is_on_the_page() -> None:
    parser = argparse.ArgumentParser()
    export.add(parser.add_subparsers())
    with pytest.raises(SystemExit):
        parser.parse_args(["export"])
    usage = parser._subparsers._group_actions[0].choices["export"].format_help()  # type: ignore[union-attr,index]
    options = set(re.findall(r"--[a-z][a-z-]+", usage)) - {"--help", "--output"}
    assert options <= set(re.findall(r"--[a-z][a-z-]+", TEXT))
