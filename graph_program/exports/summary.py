"""What an export has made: shown by the command line, and given back by `export`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExportSummary:
    """What an export has made; `print` shows it as a table.

    Attributes
    ----------
    files : tuple of str
        What was written.
    """

    files: tuple[str, ...]


__all__ = ["ExportSummary"]
