"""New files take their places when all of them are there: what was there before stays, or is gone.

Files are written into a folder of their own, beside the place where they go, under the names that they will
have, so that they can be read and tried there.  Then they take their places by renaming, which needs no room on
the disk.  Whatever fails before leaves nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from graph_program.extract.diagnostics import Diagnostic, ExportError, GraphProgramError, Loc


def write_files(files: Mapping[str, bytes], loc: Loc, folder: str | None = None) -> None:
    """Write files of one folder; into `folder`, that is made if it is not there."""
    with _made(folder, loc), replaced(list(files), loc) as new:
        for path, data in zip(new, files.values(), strict=True):
            path.write_bytes(data)


def write_tree(files: Mapping[str, bytes], loc: Loc) -> None:
    """Write files of several folders, which are made if they are not there; first all, then each to its place."""
    folders: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        folders.setdefault(os.path.dirname(path), {})[path] = data
    with contextlib.ExitStack() as stack:
        for folder, own in folders.items():
            stack.enter_context(_made(folder, loc))
            for new, data in zip(stack.enter_context(replaced(list(own), loc)), own.values(), strict=True):
                new.write_bytes(data)


def require_format(path: str, loc: Loc) -> None:
    """Refuse a name that promises another format than ONNX, C or HTML (GP501)."""
    suffix = os.path.splitext(path)[1]
    if suffix.lower() not in ("", ".onnx"):
        stem = path.removesuffix(suffix)
        said = f"cannot write {path!r}: there is no export to {suffix} files"
        raise ExportError(
            Diagnostic("GP501", said, loc, hint=f"{stem}.onnx is an ONNX model, {stem}.c is C99, {stem}.html a page")
        )


@contextlib.contextmanager
def replaced(paths: Sequence[str], loc: Loc) -> Iterator[list[Path]]:
    """Places for new files, which replace those at `paths` in this order when the block ends well.

    Parameters
    ----------
    paths : sequence of str
        Files of one folder, and the one that refers to the others last; links are followed.
    loc : Loc
        The program's place, for messages.

    Yields
    ------
    list of pathlib.Path
        Where to write the new files: under the same names, in a folder of their own.

    Raises
    ------
    ExportError
        GP501 where a file cannot be written, or what is there is no regular file.
    """
    folder: Path | None = None
    named = paths[-1]
    try:
        targets = []
        for named in paths:
            targets.append(_target(named))
        folder = Path(tempfile.mkdtemp(prefix=f".{targets[-1].name}.", suffix=".tmp", dir=targets[-1].parent))
        new = [folder / Path(path).name for path in paths]
        yield new
        for named, target, file in zip(paths, targets, new, strict=True):
            if _target(named).exists():
                file.chmod(stat.S_IMODE(target.stat().st_mode))
        _put(new, targets)
    except GraphProgramError:
        raise
    except (OSError, ValueError) as error:
        raise _failure(error, named, loc) from None
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _failure(error: Exception, path: str, loc: Loc) -> ExportError:
    reason = getattr(error, "strerror", None) or str(error)
    return ExportError(Diagnostic("GP501", f"cannot write {path!r}: {reason}", loc))


def _target(path: str) -> Path:
    """The file to replace: the one that a link leads to, if it is a file and may be written."""
    if not path:
        raise FileNotFoundError(errno.ENOENT, "the path is empty")
    target = Path(os.path.realpath(path))
    if os.path.islink(target):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if target.is_dir() or not os.path.basename(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, f"{_kind(target)} is there, and only files are replaced")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target


_KINDS = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def _kind(target: Path) -> str:
    return _KINDS.get(stat.S_IFMT(target.stat().st_mode), "something else")


def _put(new: Sequence[Path], targets: Sequence[Path]) -> None:
    """All files to their places; where one cannot go there, those before it go back."""
    kept: list[tuple[Path, Path | None]] = []
    try:
        for file, target in zip(new[:-1], targets[:-1], strict=True):
            old = file.with_name(f"{file.name}.old") if target.exists() else None
            if old is not None:
                os.replace(target, old)
            kept.append((target, old))
            os.replace(file, target)
        os.replace(new[-1], targets[-1])
    except BaseException:
        for target, old in reversed(kept):
            if old is not None:
                os.replace(old, target)
            else:
                target.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _made(folder: str | None, loc: Loc) -> Iterator[None]:
    """A folder that is there, and is not left behind empty."""
    missing: list[Path] = []
    try:
        if folder is not None:
            place = Path(folder)
            missing = [part for part in (place, *place.parents) if not part.exists()]
            place.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        with contextlib.suppress(OSError):
            for part in missing:
                part.rmdir()
        if isinstance(error, OSError | ValueError) and not isinstance(error, GraphProgramError):
            raise _failure(error, folder or "", loc) from None
        raise


__all__ = ["replaced", "write_files", "write_tree"]
