"""Python's and NumPy's functions as compiled programs call them: by address, so that no header of theirs is needed.

All of them are in Python's stable interface.  Of an array, the address, sizes and flags are read where NumPy's binary
interface has them, which is tried once in each process; where it isn't so, `ctypes` calls the programs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

FUNCTIONS = {
    "call": ("PyObject_CallFunctionObjArgs", "gp_object *", "gp_object *, ..."),
    "as_double": ("PyFloat_AsDouble", "double", "gp_object *"),
    "as_int": ("PyLong_AsLongLong", "long long", "gp_object *"),
    "as_unsigned": ("PyLong_AsUnsignedLongLong", "unsigned long long", "gp_object *"),
    "index": ("PyNumber_Index", "gp_object *", "gp_object *"),
    "truth": ("PyObject_IsTrue", "int", "gp_object *"),
    "from_double": ("PyFloat_FromDouble", "gp_object *", "double"),
    "from_int": ("PyLong_FromLongLong", "gp_object *", "long long"),
    "from_unsigned": ("PyLong_FromUnsignedLongLong", "gp_object *", "unsigned long long"),
    "from_bool": ("PyBool_FromLong", "gp_object *", "long"),
    "occurred": ("PyErr_Occurred", "gp_object *", "void"),
    "clear": ("PyErr_Clear", "void", "void"),
    "no_memory": ("PyErr_NoMemory", "gp_object *", "void"),
    "call_with": ("PyObject_CallObject", "gp_object *", "gp_object *, gp_object *"),
    "item": ("PyTuple_GetItem", "gp_object *", "gp_object *, intptr_t"),
    "tuple": ("PyTuple_New", "gp_object *", "intptr_t"),
    "put": ("PyTuple_SetItem", "int", "gp_object *, intptr_t, gp_object *"),
    "keep": ("Py_IncRef", "void", "gp_object *"),
    "drop": ("Py_DecRef", "void", "gp_object *"),
    "leave": ("PyEval_SaveThread", "void *", "void"),
    "come_back": ("PyEval_RestoreThread", "void", "void *"),
    "enter": ("PyGILState_Ensure", "int", "void"),
    "exit": ("PyGILState_Release", "void", "int"),
    "signals": ("PyErr_CheckSignals", "int", "void"),
}
"""By the names that the programs have for them: the function, its result and its parameters."""

OBJECTS: dict[str, Any] = {
    "none": None,
    "empty": np.empty,
    "contiguous": np.ascontiguousarray,
    "ndarray": np.ndarray,
    "bool_class": bool,
    "int_class": int,
    "float_class": float,
    "step": None,
    "sort": np.ndarray.sort,
    "argsort": partial(np.ndarray.argsort, kind="stable"),
}
"""Objects that the programs use; what does a step of the host is that of the program."""

HEADER = object.__basicsize__
"""So many bytes of an object are Python's own; the last of them point to its class."""


class ArrayFields(ctypes.Structure):
    """What follows the header of an array."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int),
        ("sizes", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.c_void_p),
        ("base", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


DECLARATIONS = "\n".join(
    [
        "typedef struct gp_object gp_object;",
        "typedef struct {",
        "    char *data;",
        "    int rank;",
        "    intptr_t *sizes, *strides;",
        "    gp_object *base, *dtype;",
        "    int flags;",
        "} gp_array;",
        "typedef struct {",
        *(f"    {result} (*{name})({parameters});" for name, (_, result, parameters) in FUNCTIONS.items()),
        f"    gp_object {', '.join(f'*{name}' for name in OBJECTS)};",
        "} gp_python;",
        "",
    ]
)
"""The same in C."""


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FAST_CALL = 0x80
"""The function takes an array of arguments and their number."""
_KEPT: list[Any] = []
"""What loaded programs point to; they are never unloaded."""


@cache
def is_usable() -> bool:
    """Whether programs can be called so here."""
    try:
        made = [getattr(ctypes.pythonapi, name) for name, _, _ in FUNCTIONS.values()]
        return bool(made) and all(map(_is_as_told, _SAMPLES))
    except (AttributeError, ValueError):
        return False


_SAMPLES = (np.arange(6.0).reshape(2, 3), np.arange(12, dtype=np.int16)[::2], np.zeros((), bool), np.eye(3).T[1:])


def _is_as_told(array: np.ndarray[Any, Any]) -> bool:
    fields = ArrayFields.from_address(id(array) + HEADER)
    shape = tuple(fields.sizes[axis] for axis in range(array.ndim)) if fields.rank == array.ndim else None
    return (
        ctypes.c_void_p.from_address(id(array) + HEADER - ctypes.sizeof(ctypes.c_void_p)).value == id(type(array))
        and fields.data == array.__array_interface__["data"][0]
        and shape == array.shape
        and fields.dtype == id(array.dtype)
        and fields.flags == array.flags.num
    )


@cache
def _table(step: Any) -> Any:
    """The functions and objects, one address after the other."""
    addresses = [_address(getattr(ctypes.pythonapi, name)) for name, _, _ in FUNCTIONS.values()]
    addresses += [id(found) for found in (OBJECTS | {"step": step}).values()]
    return (ctypes.c_void_p * len(addresses))(*addresses)


def _address(function: Any) -> int | None:
    return ctypes.cast(function, ctypes.c_void_p).value


def builtin(
    library: Any, bind: str, entry: str, dtypes: Sequence[np.dtype[Any]], step: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A function of a library as one of Python's, after it was told of Python and of the element types it needs.

    `step` does the steps of the host, where the function has some.
    """
    types = (ctypes.c_void_p * (len(dtypes) or 1))(*map(id, dtypes))
    binding = getattr(library, bind)
    binding.argtypes, binding.restype = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p], None
    binding(ctypes.byref(_table(step)), HEADER, types)
    method = _Method(entry.encode(), _address(getattr(library, entry)), _FAST_CALL, None)
    _KEPT.append((method, tuple(dtypes)))
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.argtypes, new.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p], ctypes.py_object
    made: Callable[..., Any] = new(ctypes.addressof(method), None, None)
    return made


__all__ = ["DECLARATIONS", "builtin", "is_usable"]
