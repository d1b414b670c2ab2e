"""The folder of a bundle: what may be replaced in it, which is what an earlier bundle has written there.

A bundle has a list of its files with their checksums, in an order of its own.  A file is of that bundle where it stands
in the list, and is still the same: so nothing is lost that anybody else has made, and no link is followed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from graph_program.exports.files import write_files
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.onnx_program.one_file import FILE

MODEL, SUMS = "model.onnx", "SHA256SUMS"
LAST = ["description.json", "example.npz", "LICENSES.txt", "README.md"]
"""What ends the list of each bundle, with `onnx_program.py` where the model is a program's; arrays stand before."""
CACHE = "__pycache__"
"""What Python makes in a bundle whose `onnx_program.py` is imported."""
SHOWN = 3


def write_bundle_files(files: Mapping[str, bytes], folder: Path, loc: Loc) -> tuple[str, ...]:
    """Write the files of a bundle; those of an earlier one go.

    Parameters
    ----------
    files : mapping of str to bytes
        By name; the list of their checksums is made here.
    folder : pathlib.Path
        It is made if it is not there.
    loc : Loc

    Returns
    -------
    tuple of str
        The names of all files.

    Raises
    ------
    ExportError
        GP501 where a file cannot be written, or the folder has others.
    """
    require_own(folder, loc)
    earlier = _listed(folder)
    whole = {**files, SUMS: _checksums(files).encode()}
    write_files({str(folder / name): content for name, content in whole.items()}, loc, str(folder))
    for name in earlier.keys() - whole.keys():
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            text = f"cannot remove {str(folder / name)!r}, which is of an earlier bundle: {error.strerror}"
            raise ExportError(Diagnostic("GP501", text, loc)) from None
    return tuple(whole)


def require_own(folder: Path, loc: Loc) -> None:
    """Refuse a folder with files that are not as an earlier bundle has written them (GP501)."""
    listed = _listed(folder)
    try:
        there = sorted(folder.iterdir()) if folder.is_dir() else []
        others = [path.name for path in there if not _is_own(path, listed)]
    except OSError as error:
        text = f"cannot read {str(folder)!r}: {error.strerror}"
        raise ExportError(Diagnostic("GP501", text, loc)) from None
    if others:
        named = ", ".join(map(repr, others[:SHOWN])) + (f" and {len(others) - SHOWN} more" if others[SHOWN:] else "")
        text = f"cannot write a bundle into {str(folder)!r}: no earlier bundle has written what is there, {named}"
        if listed:
            text = f"cannot replace the bundle in {str(folder)!r}: it has not written what is there, {named}"
        raise ExportError(Diagnostic("GP501", text, loc, hint="name a folder that is empty or not there"))


def _is_own(path: Path, listed: Mapping[str, str]) -> bool:
    if not listed or path.is_symlink():
        return False
    if path.name == CACHE:
        return path.is_dir()
    if not path.is_file():
        return False
    return path.name == SUMS or listed.get(path.name) == hashlib.sha256(path.read_bytes()).hexdigest()


def _listed(folder: Path) -> dict[str, str]:
    """The checksums of an earlier bundle, by name; none where there is no bundle."""
    path = folder / SUMS
    if path.is_symlink() or not path.is_file():
        return {}
    try:
        pairs = [line.split("  ", 1) for line in path.read_text(encoding="utf-8").splitlines()]
        listed = {name: digest for digest, name in pairs}
    except (OSError, ValueError):
        return {}
    names = [name for name in listed if name != FILE]
    return listed if names[:1] == [MODEL] and names[-len(LAST) :] == LAST else {}  # not one that anybody else has made


def _checksums(files: Mapping[str, bytes]) -> str:
    return "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())


__all__ = ["MODEL", "require_own", "write_bundle_files"]
