"""Files of arrays as NumPy writes them: one array in an .npy file, arrays by name in an .npz file."""

from __future__ import annotations

import zipfile
import zlib
from typing import Any

import numpy as np

from graph_program.command_line.errors import CommandError

Arr = np.ndarray[Any, Any]
NPZ = "an .npz file has arrays by name, as np.savez('arrays.npz', x=x) writes them"
NPY = "an .npy file has one array, as np.save('array.npy', x) writes it"
NOT_ARRAYS = (ValueError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)
"""What NumPy raises for files that are no arrays, or of which a part is missing."""


def named_arrays(file: str) -> dict[str, Arr]:
    """The arrays in an .npz file, by name.

    Raises
    ------
    CommandError
    """
    try:
        found = np.load(file, allow_pickle=False)
        if isinstance(found, np.ndarray):
            raise CommandError(f"{file} has one array, without a name; {NPZ}")
        with found:
            named = {name: found[name] for name in found.files}
    except OSError as error:
        raise CommandError(_unread(file, error)) from None
    except NOT_ARRAYS as error:
        raise CommandError(f"{_unread(file, error)}; {NPZ}") from None
    other = next((name for name, array in named.items() if not isinstance(array, np.ndarray)), None)
    if other is not None:
        raise CommandError(f"cannot read {file}: {other!r} in it is no array; {NPZ}")
    return named


def one_array(place: str, file: str) -> Arr:
    """The array in an .npy file.

    Parameters
    ----------
    place : str
        What it is for, as messages say it.
    file : str

    Raises
    ------
    CommandError
    """
    try:
        found = np.load(file, allow_pickle=False)
    except OSError as error:
        raise CommandError(f"{place}: {_unread(file, error)}") from None
    except NOT_ARRAYS as error:
        raise CommandError(f"{place}: {_unread(file, error)}; {NPY}") from None
    if isinstance(found, np.ndarray):
        array: Arr = found
        return array
    found.close()
    raise CommandError(f"{place}: {file} has arrays by name; {NPY}")


def _unread(file: str, error: Exception) -> str:
    """That a file cannot be read, without NumPy's advice, which nobody here can follow."""
    text = getattr(error, "strerror", None) or str(error)
    return f"cannot read {file}: {'it has Python objects, or is no file of arrays' if 'pickle' in text else text}"


__all__ = ["named_arrays", "one_array"]
