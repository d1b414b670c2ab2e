"""The functions that a program calls to talk about its own extraction; plain Python outside of one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from graph_program.backends.models.loaded import OnnxModel

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def to_host(x: T) -> T:
    """Take a graph value over to host code, on purpose: no `ImplicitCopyWarning` here.

    Parameters
    ----------
    x : array or number

    Returns
    -------
    array or number
        `x` itself.
    """
    return x


def to_device(v: T, type: Any = None) -> T:
    """Take a host value over to the graph, on purpose: no `ImplicitCopyWarning` here.

    Parameters
    ----------
    v : array or number
    type : annotation, optional
        What `v` is, such as `Float32[np.ndarray, "4"]`, where nothing else says it.

    Returns
    -------
    array or number
        `v` itself.
    """
    return v


def static_range(*bounds: int) -> range:
    """`range`, in a loop that is unrolled: the variable is known at extraction.

    Parameters
    ----------
    *bounds : int
        As for `range`; known at extraction.
    """
    return range(*bounds)


def reveal(x: T) -> T:
    """Show the type that the extractor finds for a value; gives the value back.

    Parameters
    ----------
    x : any value of the program
    """
    return x


@overload
def host_function(fn: F, *, sync: bool = False) -> F: ...
@overload
def host_function(fn: None = None, *, sync: bool = False) -> Callable[[F], F]: ...
def host_function(fn: F | None = None, *, sync: bool = False) -> F | Callable[[F], F]:
    """Mark a function as host code: a program calls it and never looks inside.

    Parameters
    ----------
    fn : callable
    sync : bool
        Whether a call waits for all earlier graph work; for code that measures time.

    Returns
    -------
    callable
        The same function.
    """

    def mark(function: F) -> F:
        if not callable(function):
            raise TypeError(f"host_function takes a function, not {function!r}")
        function.__graph_program_host__ = True  # type: ignore[attr-defined]
        function.__graph_program_sync__ = sync  # type: ignore[attr-defined]
        return function

    return mark if fn is None else mark(fn)


def load_onnx(path: str | os.PathLike[str]) -> OnnxModel:
    """Load an ONNX model that programs can call; it becomes part of their graphs.

    Parameters
    ----------
    path : str or path
        A model file; its external data stands in its folder.

    Returns
    -------
    OnnxModel
        Called with arrays, in the order of its inputs or by their names, it gives an array, or a tuple of arrays where
        it has several outputs. Its `inputs` and `outputs` say their names, element types and sizes.

    Raises
    ------
    ModelError
        GP610 to GP614: for a file that cannot be read, is no well-formed model, keeps data outside of its folder,
        takes or gives anything but arrays of numbers, or has operators that onnxruntime does not know.
    """
    from graph_program.backends.models.loaded import OnnxModel

    return OnnxModel(os.fspath(path))


_function: Any
for _function in (to_host, to_device, static_range, reveal, host_function, load_onnx):
    _function.__module__ = "graph_program"
    _function.__graph_program_word__ = _function.__name__
