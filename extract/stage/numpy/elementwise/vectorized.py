"""`np.vectorize` in a program: a loop over the elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library import vectorized
from graph_program.extract.stage.arrays.lowering_arguments import is_given, refuse_given, takes
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.paths.several import mixed_numbers
from graph_program.extract.stage.values.questions import one_or_many
from graph_program.extract.stage.values.values import NONE, Static, Tuple, Value


@lowers(np.vectorize)
@takes("pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None")
def vectorize(m: Machine, pyfunc: Value, otypes: Value, excluded: Value, cache: Value, signature: Value) -> Value:
    refuse_given(m, "np.vectorize", hint="go through the rows with a `for` loop", signature=signature)
    named = static(m, excluded, "np.vectorize(excluded=...)") if is_given(excluded) else ()
    types = Tuple(tuple(map(Static, _types(m, otypes)))) if is_given(otypes) else NONE
    return entries.call(m, Static(vectorized.vectorize), [pyfunc, types, Static(tuple(named)), cache], {})


@lowers(vectorized.of_one_class)
def of_one_class(m: Machine, values: Value) -> Value:
    """Refuse results whose class depends on the elements."""
    for value in one_or_many(values):
        if mixed_numbers.one_of_numbers(value) is not None:
            raise m.error(
                "GP321",
                "np.vectorize gives all results the type of the first one, which depends on the elements here",
                hint="say what they are: np.vectorize(f, otypes=[float])",
            )
    return NONE


def _types(m: Machine, otypes: Value) -> tuple[np.dtype[Any], ...]:
    """The types of the results: characters or dtypes."""
    given = static(m, otypes, "np.vectorize(otypes=...)")
    return tuple(np.dtype(t) for t in given)
