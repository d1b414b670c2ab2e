"""The checkout as a clone would have it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files() -> list[str]:
    """What git knows, and what is new and not ignored, relative to the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def copy_to(folder: Path, below: str = "") -> Path:
    """Copy the files, or those whose path begins so, into a folder."""
    for name in files():
        if name.startswith(below):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


__all__ = ["ROOT", "copy_to", "files"]
