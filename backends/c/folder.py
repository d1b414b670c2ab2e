"""The folder of what was compiled before: what is in it is only used where nobody else can write to it.

A file is only taken with the bytes that were written, whose digest its name ends with.  No import of it is heavy.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

VARIABLE = "GRAPH_PROGRAM_CACHE"
"""The environment variable with the folder; empty for none."""
LARGEST = 256 * 2**20
"""Bytes of the folder from which on the files that were not used for longest go."""
END = ".dll" if os.name == "nt" else ".so"
RECORD = ".json"
"""The end of a file that says how a library is called."""


@cache
def processor() -> str:
    """What the processor can do: a folder may be that of several machines."""
    with suppress(OSError):
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0].splitlines()
        return "\n".join(line for line in told if line.startswith(("flags", "Features", "model name", "CPU part")))
    return f"{platform.machine()} {platform.processor()}"


def digest_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    except OSError:
        return ""


def only_ours(*, is_made: bool = True) -> Path | None:
    """The folder, if there is one that only we can write to; it is made where there is none, or not (`is_made`)."""
    given = os.environ.get(VARIABLE)
    if given == "":
        return None
    home = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(given) if given else Path(home) / "graph_program" / "native"
    try:
        if is_made:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        state = folder.stat()
    except (OSError, RuntimeError):
        return None
    if hasattr(os, "getuid"):
        shared = stat.S_IMODE(state.st_mode) & (stat.S_IWGRP | stat.S_IWOTH)
        if state.st_uid != os.getuid() or shared:
            return None
    return folder if os.access(folder, os.W_OK) else None


def shrink(folder: Path) -> None:
    """Remove what was not used for longest where there is too much."""
    own = [path for path in folder.iterdir() if path.suffix in (END, RECORD)]
    found = sorted(((p.stat().st_mtime, p.stat().st_size, p) for p in own), reverse=True)
    total = 0
    for place, (_, size, path) in enumerate(found):
        total += size
        if place and total > LARGEST:
            path.unlink(missing_ok=True)


__all__ = ["END", "RECORD", "digest_of", "only_ours", "processor", "shrink"]
