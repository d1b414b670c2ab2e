"""The decorator: a program of a function, lambda or method."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any, overload

from graph_program.calls.program_options import ProgramOptions, read_options
from graph_program.program import BoundProgram, Dims, GraphProgramFunction, P, R, function_of


@overload
def graph_program(
    fn: Callable[P, R],
    *,
    copies: str = "warn",
    inline: Iterable[str] = (),
    freeze: bool = False,
    providers: Sequence[Any] | None = None,
    threads: int | None = None,
    dims: Dims | None = None,
    extractions: str = "warn",
    without: Iterable[str] = (),
    backend: str = "auto",
) -> GraphProgramFunction[P, R]: ...
@overload
def graph_program(
    fn: None = None,
    *,
    copies: str = "warn",
    inline: Iterable[str] = (),
    freeze: bool = False,
    providers: Sequence[Any] | None = None,
    threads: int | None = None,
    dims: Dims | None = None,
    extractions: str = "warn",
    without: Iterable[str] = (),
    backend: str = "auto",
) -> Callable[[Callable[P, R]], GraphProgramFunction[P, R]]: ...
def graph_program(
    fn: Any = None,
    *,
    copies: str = "warn",
    inline: Iterable[str] = (),
    freeze: bool = False,
    providers: Sequence[Any] | None = None,
    threads: int | None = None,
    dims: Dims | None = None,
    extractions: str = "warn",
    without: Iterable[str] = (),
    backend: str = "auto",
) -> Any:
    """Make a program of a function: a decorator, or a call on a function, lambda or method.

    Parameters
    ----------
    fn : callable, optional
        A function, lambda, method, or object with a `__call__` written in Python, or a `functools.partial` of one.
    copies : {"warn", "error", "ignore"}
        What an implicit copy between host and graph does.
    inline : iterable of str
        Packages whose functions are inlined besides your own.
    freeze : bool
        Whether captured arrays are constants: faster, and later changes of them are not seen.
    providers : sequence, optional
        onnxruntime's execution providers; the CPU by default.  One that does not start is refused (GP602), and CUDA's,
        where it is named without options, computes float32 in float32, not in TF32.
    threads : int, optional
        Threads inside one operation; onnxruntime's choice by default.
    dims : mapping of str to int or (int, int), optional
        Sizes of dims by their names in the annotations: the only one, or the smallest and the largest
        (None for no limit), as in `dims={"n": 128, "batch": (1, 8)}`.  A call with another size is
        refused (GP403); the program may count on these.
    extractions : {"warn", "error", "ignore"}
        What happens at more than eight extractions for one reason; see `GraphProgramFunction.extractions`.
    without : iterable of str
        Names of passes over the graph that are left out, such as `["layer_norm"]`.
    backend : {"auto", "onnxruntime", "native"}
        What runs the graph: onnxruntime, or machine code that this machine's C compiler makes, which is faster where
        there are loops over numbers.  "auto" begins in onnxruntime, and has machine code made beside the calls where
        they take long enough and it is clearly faster; `GraphProgramFunction.extractions` tells.  The environment
        variable `GRAPH_PROGRAM_BACKEND` chooses for all programs with "auto".

    Returns
    -------
    GraphProgramFunction

    Examples
    --------
    >>> @graph_program
    ... def scale(x: Float32[Tensor, "n"], k: float) -> Float32[Tensor, "n"]:
    ...     return x * k
    """
    options = read_options(copies, inline, freeze, providers, threads, dims, extractions, without, backend)
    return (lambda f: _program(f, options)) if fn is None else _program(fn, options)


def _program(target: Any, options: ProgramOptions) -> GraphProgramFunction[..., Any]:
    if isinstance(target, MethodType):
        return BoundProgram(function_of(target.__func__), options, target.__self__)
    if isinstance(target, BoundProgram):
        return BoundProgram(target._target, options, target._object)
    if isinstance(function_of(target), FunctionType):
        return GraphProgramFunction(target, options)
    if isinstance(target, functools.partial):
        from graph_program.partials import PartialProgram

        return PartialProgram(target, options, _program(target.func, options))
    call = getattr(type(target), "__call__", None)  # noqa: B004  (the function itself is wanted)
    if not isinstance(target, type) and isinstance(function_of(call), FunctionType):
        return BoundProgram(function_of(call), options, target)
    raise TypeError(f"graph_program takes a function written in Python, not {target!r}")


graph_program.__module__ = "graph_program"
