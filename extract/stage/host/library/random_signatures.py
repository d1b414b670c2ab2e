"""What NumPy's random numbers are: their element types and sizes, by the distribution and the arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.stage.host.library.noted_calls import Given, Ruled, row_of
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.values.questions import is_array_of_graph, is_just, is_known, is_known_as, known_value
from graph_program.extract.stage.values.values import Static, Tensor, Tuple, Value
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.element_types import SUPPORTED
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

DISTRIBUTIONS = {
    **dict.fromkeys(["random", "random_sample", "ranf", "sample"], (0, float)),
    **dict.fromkeys(["standard_normal", "standard_exponential", "standard_cauchy"], (0, float)),
    **dict.fromkeys(["exponential", "chisquare", "rayleigh", "weibull", "standard_gamma", "standard_t"], (1, float)),
    **dict.fromkeys(["pareto", "power"], (1, float)),
    **dict.fromkeys(["normal", "uniform", "gamma", "beta", "laplace", "logistic", "lognormal", "gumbel"], (2, float)),
    **dict.fromkeys(["vonmises", "wald", "f"], (2, float)),
    "triangular": (3, float),
    **dict.fromkeys(["poisson", "geometric", "zipf", "logseries"], (1, int)),
    **dict.fromkeys(["binomial", "negative_binomial"], (2, int)),
    "hypergeometric": (3, int),
    "integers": (2, np.int64),
    "randint": (2, int),
}
"""How many parameters come before `size`, and what a single number is."""


def _drawn(before: int, single: type) -> Ruled:
    def rule(given: Given) -> Any:
        size = given.keywords.get("size", given.args[before] if before < len(given.args) else None)
        dtype = _dtype(given, np.dtype(single))
        if dtype is None:
            return None
        if size is None or is_just(size, None):
            parameters = [*given.args[:before], *given.keywords.values()]
            if any(is_array_of_graph(v) for v in parameters) or not all(map(_is_single, parameters)):
                return None
            same = single is not int or "dtype" not in given.keywords
            return single if same and single is not np.int64 else TensorType(dtype, (), Kind.NUMPY)
        return _array(dtype, size)

    return Ruled(rule)


def _is_single(value: Value) -> bool:
    """Whether a parameter of a distribution is one number, or says how it is to be drawn."""
    if is_known(value):
        return not isinstance(value.value, list | tuple | np.ndarray)
    return isinstance(told_of(value), Tensor)


def _dtype(given: Given, default: np.dtype[Any]) -> np.dtype[Any] | None:
    found = given.keywords.get("dtype")
    if found is None:
        return default
    try:
        dtype = np.dtype(known_value(found, object))
    except TypeError:
        return None
    return dtype if dtype in SUPPORTED else None


def _array(dtype: np.dtype[Any], size: Value) -> TensorType | None:
    """An array of the size that is given: a number, or a tuple of numbers."""
    match told_of(size):
        case Static(int(n)):
            return TensorType(dtype, (dim(n),))
        case Static(tuple(sizes)) if all(isinstance(n, int) for n in sizes):
            return TensorType(dtype, tuple(dim(n) for n in sizes))
        case Tuple(elts):
            return TensorType(dtype, tuple(_size(e) for e in elts))
        case Tensor(type=type_) if not type_.rank:
            return TensorType(dtype, (symbol("size"),))

    return None


def _size(value: Value) -> Any:
    return dim(value.value) if is_known_as(value, int) else symbol("size")


def _of_dims(given: Given) -> Any:
    return _array(np.dtype(float), Tuple(tuple(given.args))) if given.args else float


def _permuted(given: Given) -> Any:
    note = given.note(0)
    if isinstance(note, TensorType) and note.rank:
        return note
    return TensorType(np.dtype(np.int64), (symbol("size"),)) if note is int or isinstance(note, TensorType) else None


def _chosen(given: Given) -> Any:
    """`choice(a, size)`: of the numbers below `a`, or of an array."""
    size = given.keywords.get("size", given.args[1] if len(given.args) > 1 else None)
    note = given.note(0)
    if isinstance(note, TensorType) and note.rank == 1:
        return row_of(note) if size is None else _array(note.dtype, size)
    if isinstance(note, TensorType) and not note.rank:
        return int if size is None else _array(np.dtype(np.int64), size)
    return None


NUMPY_RANDOM: dict[str, Any] = {
    **{name: _drawn(*entry) for name, entry in DISTRIBUTIONS.items()},
    "rand": Ruled(_of_dims),
    "randn": Ruled(_of_dims),
    "permutation": Ruled(_permuted),
    "choice": Ruled(_chosen),
}
