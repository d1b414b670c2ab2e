"""Loops and branches as functions of functions, in the order of arguments that `jax.lax` has.

carry, ys = scan(f, init, xs)             ->    carry, ys = init, []
                                                for x in xs:
                                                    carry, y = f(carry, x)
                                                    ys.append(y)
                                                ys = np.stack(ys)

Each is ordinary code, and means the loop or the branch that it stands for: a carry may be anything that a variable of
a loop may be, and what `f` does to things around it happens in order. What is gone through, and what is stacked, are
arrays (NumPy's or `tensor_api.Array`) and tuples, named tuples, dicts and dataclasses of arrays; None stands for
nothing.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.tensor_api.array_api.array import Array

Function = Callable[..., Any]


def scan(
    f: Function, init: Any, xs: Any, length: int | None = None, reverse: bool = False, *, like: Any = ...
) -> tuple[Any, Any]:
    """Go through rows with a carry, and stack what each round gives.

    Parameters
    ----------
    f : callable
        `f(carry, x)` gives the next carry, and a result of the round: a number, an array, a structure of these, or
        None.
    init : anything
        The first carry.
    xs : array, structure of arrays, or None
        Their first axes have one size; `x` is a row of each. With None, `x` is None and `length` says how many.
    length : int, optional
        The number of rounds, which must be that of the rows.
    reverse : bool
        Whether the last row comes first; the results stand in the places of their rows.
    like : optional
        What a round gives, for the case that there are no rows; its values do not matter.

    Returns
    -------
    carry : anything
        The last one.
    ys : array or structure of arrays
        The results, stacked along a new first axis.

    Raises
    ------
    ValueError
        If there are no rows and no `like`, or if there are different numbers of rows.
    """
    count = _count("scan", xs, length)
    if count == 0:
        return init, _no_rows("scan", like)
    carry, ys = init, []
    for i in range(count):
        carry, y = f(carry, _row(xs, count - 1 - i if reverse else i))
        ys.append(y)
    if reverse:
        ys.reverse()
    return carry, _stacked(ys)


def map(f: Function, xs: Any, axis: int = 0, *, like: Any = ...) -> Any:
    """The results of a function for each row of an array, or of several, stacked.

    Parameters
    ----------
    f : callable
        `f(x)` gives a number, an array, or a structure of these.
    xs : array or structure of arrays
        `x` is what is at one position of `axis`, in the same structure.
    axis : int
        That of every array.
    like : optional
        What `f` gives, for the case that there are no rows; its values do not matter.

    Returns
    -------
    array or structure of arrays
        The results, stacked along a new first axis.

    Raises
    ------
    ValueError
        If there are no rows and no `like`, or if there are different numbers of rows.
    """
    rows = _along("map", xs, axis)
    count = _count("map", rows, None)
    if count == 0:
        return _no_rows("map", like)
    ys = []
    for i in range(count):
        ys.append(f(_row(rows, i)))
    return _stacked(ys)


def reduce(f: Function, xs: Any, init: Any, axis: int = 0) -> Any:
    """`f(...f(f(init, x0), x1)..., xn)` over the rows of an array, or of several; `init` if there are none.

    Parameters
    ----------
    f : callable
        `f(carry, x)` gives the next carry.
    xs : array or structure of arrays
    init : anything
    axis : int
        That of every array.
    """
    rows = _along("reduce", xs, axis)
    carry = init
    for i in range(_count("reduce", rows, None)):
        carry = f(carry, _row(rows, i))
    return carry


def fori_loop(lower: int, upper: int, body: Function, init: Any) -> Any:
    """`for i in range(lower, upper): init = body(i, init)`, and then `init`."""
    carry = init
    for i in range(lower, upper):
        carry = body(i, carry)
    return carry


def while_loop(cond: Function, body: Function, init: Any) -> Any:
    """`while cond(init): init = body(init)`, and then `init`."""
    carry = init
    while cond(carry):
        carry = body(carry)
    return carry


def cond(pred: Any, true_fn: Function, false_fn: Function, *operands: Any) -> Any:
    """`true_fn(*operands) if pred else false_fn(*operands)`."""
    return true_fn(*operands) if pred else false_fn(*operands)


def switch(index: Any, branches: Sequence[Function], *operands: Any) -> Any:
    """`f(*operands)` of the function f = `branches[index]`; an index outside means the first or the last one.

    Raises
    ------
    ValueError
        If there are no branches.
    """
    if len(branches) == 0:
        raise ValueError("switch: there are no branches")
    wanted = operator.index(index)
    for k, branch in enumerate(branches[:-1]):
        if wanted <= k:
            return branch(*operands)
    return branches[-1](*operands)


# ---------------------------------------------------------------- structures


def _parts(value: Any) -> tuple[Any, ...] | None:
    """What a structure consists of; None for an array or a number."""
    if value is None:
        return ()
    if isinstance(value, tuple):
        return tuple(value)
    if isinstance(value, dict):
        return tuple(value.values())
    if dataclasses.is_dataclass(value):
        return tuple([getattr(value, field.name) for field in dataclasses.fields(value)])
    return None


def _with_parts(value: Any, parts: tuple[Any, ...]) -> Any:
    """A structure like another one, of other parts."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return parts if type(value) is tuple else type(value)(*parts)
    if isinstance(value, Array):
        return Array(np.asarray(parts[0]))
    if isinstance(value, dict):
        return dict(zip(value, parts, strict=True))
    names = [field.name for field in dataclasses.fields(value)]
    return dataclasses.replace(value, **dict(zip(names, parts, strict=True)))


def _each(act: Function, value: Any) -> Any:
    """The structure with something else for each array in it."""
    parts = _parts(value)
    return act(value) if parts is None else _with_parts(value, tuple([_each(act, part) for part in parts]))


def _arrays(value: Any) -> tuple[Any, ...]:
    """The arrays in a structure."""
    parts = _parts(value)
    if parts is None:
        return (value,)
    found: tuple[Any, ...] = ()
    for part in parts:
        found = (*found, *_arrays(part))
    return found


# ---------------------------------------------------------------- rows


def _count(name: str, xs: Any, length: int | None) -> int:
    """How many rows there are."""
    counts: tuple[int, ...] = () if length is None else (operator.index(length),)
    for array in _arrays(xs):
        counts = (*counts, _with_axis(name, array).shape[0])
    if len(counts) == 0:
        raise ValueError(f"{name}: nothing says how many rounds there are")
    for count in counts[1:]:
        if count != counts[0]:
            raise ValueError(f"{name}: there are {counts[0]} rows or rounds in one place and {count} in another")
    if counts[0] < 0:
        raise ValueError(f"{name}: length must not be negative")
    return counts[0]


def _with_axis(name: str, array: Any) -> Any:
    """What can be gone through."""
    if not hasattr(array, "shape") or len(array.shape) == 0:
        raise TypeError(f"{name}: what is gone through must be arrays that have an axis, or structures of these")
    return array


def _along(name: str, xs: Any, axis: int) -> Any:
    """The arrays with the rows of an axis as those of the first one."""
    return _each(lambda array: np.moveaxis(_with_axis(name, array), axis, 0), xs)


def _row(xs: Any, i: int) -> Any:
    """A row of every array."""
    return _each(lambda array: array[i], xs)


def _stacked(ys: list[Any]) -> Any:
    """The results of all rounds, of which there is at least one, as arrays."""
    parts = _parts(ys[0])
    if parts is None:
        return np.stack(ys)
    columns = [_stacked([_parts(y)[k] for y in ys]) for k, _ in enumerate(parts)]  # type: ignore[index]
    return _with_parts(ys[0], tuple(columns))


def _no_rows(name: str, like: Any) -> Any:
    """The results of no rounds."""
    if like is ...:
        raise ValueError(f"{name}: there are no rows, and no `like` says what their results would be")
    return _each(lambda one: np.zeros((0, *np.shape(one)), np.asarray(one).dtype), like)


__all__ = ["cond", "fori_loop", "map", "reduce", "scan", "switch", "while_loop"]
