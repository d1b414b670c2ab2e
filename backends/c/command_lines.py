"""What a compiler is called with to make a library.  Options are GCC's; Microsoft's `cl` is told them in its own words.

cc -std=c99 -O3 -DNAME=1 -shared -fPIC program.c -o program.so -lm
cl /nologo /LD /utf-8 /std:c11 /O2 /DNAME=1 program.c /Fo:program.obj /Fe:program.dll
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PureWindowsPath

MICROSOFT = frozenset({"cl", "clang-cl"})
SHARED = ("-shared", "-fPIC")
LIBRARY = ("/nologo", "/LD", "/utf-8")
SAID = {
    "-std=c99": "/std:c11",  # it has no other name for what is newer than C89
    "-ffp-contract=off": "/fp:precise",
    "-O0": "/Od",
    "-O1": "/O1",
    "-O2": "/O2",
    "-O3": "/O2",
    "-Wall": "/W3",
    "-Werror": "/WX",
}
"""Options that `cl` has, too."""
TAKEN_OVER = ("-D", "-I", "-U")
"""Options that it writes the same way, behind a slash."""
LEFT_OUT = ("-W", "-f", "-m", "-l", "-DGP_VECTORS")
"""Those that it has no word for: they make warnings, or faster code; its pragmas for vectors are others."""


def is_microsoft(compiler: Sequence[str]) -> bool:
    """Whether a compiler takes the options of `cl`."""
    return any(PureWindowsPath(word).stem.lower() in MICROSOFT for word in compiler)


def command_line(compiler: Sequence[str], source: Path, target: Path, options: Iterable[str]) -> list[str]:
    """The command that makes a library of a file.

    Parameters
    ----------
    compiler : sequence of str
    source, target : Path
    options : iterable of str
        As GCC has them.
    """
    if not is_microsoft(compiler):
        return [*compiler, *options, *SHARED, str(source), "-o", str(target), "-lm"]
    made = [str(source), f"/Fo:{source.with_suffix('.obj')}", f"/Fe:{target}"]
    return [*compiler, *LIBRARY, *filter(None, map(_said, options)), *made]


def _said(option: str) -> str:
    """An option of GCC's in the words of `cl`; "" where it has none."""
    if option in SAID:
        return SAID[option]
    if option.startswith(LEFT_OUT):
        return ""
    return f"/{option[1:]}" if option.startswith(TAKEN_OVER) else option


def asks_version(compiler: Sequence[str]) -> list[str]:
    """The command by which a compiler says what it is."""
    return [*compiler] if is_microsoft(compiler) else [*compiler, "--version"]


__all__ = ["asks_version", "command_line", "is_microsoft"]
