"""The entry point of the command line, by the name that installed scripts have for it."""

from __future__ import annotations

from graph_program.command_line.main import main

__all__ = ["main"]
