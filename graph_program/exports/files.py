"""Writing a model file in one step: the whole file is there, or what was there before."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc

if TYPE_CHECKING:
    import onnx


def write_model(model: onnx.ModelProto, path: str | os.PathLike[str], loc: Loc) -> None:
    """Write a model; `ExportError` GP501, and nothing left behind, where that fails."""
    try:
        data = model.SerializeToString()
        _write(data, _target(os.fspath(path)))
    except (OSError, ValueError) as error:
        raise _failure(error, path, loc) from None


def write_files(files: Mapping[str, bytes], loc: Loc, folder: str | None = None) -> None:
    """Write files, each in one step; into a `folder` that is made if it is not there."""
    if folder is not None:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise _failure(error, folder, loc) from None
    for path, data in files.items():
        try:
            _write(data, _target(path))
        except (OSError, ValueError) as error:
            raise _failure(error, path, loc) from None


def _failure(error: Exception, path: str | os.PathLike[str], loc: Loc) -> ExportError:
    reason = getattr(error, "strerror", None) or str(error)
    return ExportError(Diagnostic("GP501", f"cannot write {os.fspath(path)!r}: {reason}", loc))


def _target(path: str | bytes) -> Path:
    """The file to replace: the one that a link leads to, if it may be written."""
    if not path:
        raise FileNotFoundError(errno.ENOENT, "the path is empty")
    target = Path(os.path.realpath(os.fsdecode(path)))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target


def _write(data: bytes, path: Path) -> None:
    """Into a new file of the same folder, which then takes the name."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those that a new file would get."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
