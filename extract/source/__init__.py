"""The source stage: a live Python function, read from its text into the core tree."""

from __future__ import annotations

from graph_program.extract.source.load import load_function

__all__ = ["load_function"]
