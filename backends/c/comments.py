"""Texts of the program's in comments of a C file."""

from __future__ import annotations


def in_comment(text: str) -> str:
    """A text on one line, in which no comment ends and, as compilers warn of it, none begins."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown.replace("*/", "* /").replace("/*", "/ *")


__all__ = ["in_comment"]
