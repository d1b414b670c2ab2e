"""`np.vectorize`: a function that is called for each element of its arguments, which are broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

EMPTY = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


def of_one_class(values: Any) -> None:
    """Refused where the class of a result depends on the elements: the first one alone would say it for all."""


class vectorize:
    """`np.vectorize`, without signatures.

    As NumPy's, it asks for the first element once more to know the types of the results, unless they are given,
    and the function has Python's numbers then.
    """

    def __init__(self, pyfunc: Callable[..., Any], otypes: Any, excluded: Any, cache: bool) -> None:
        self.pyfunc = pyfunc
        self.otypes = otypes
        self.excluded = excluded
        self.cache = cache

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        places = [i for i in range(len(args)) if i not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]

        def function(values: Any) -> Any:
            given, named = list(args), dict(kwargs)
            for i, place in enumerate(places):
                given[place] = values[i]
            for i, name in enumerate(names):
                named[name] = values[len(places) + i]
            return self.pyfunc(*given, **named)

        arrays = [np.asarray(args[i]) for i in places] + [np.asarray(kwargs[name]) for name in names]
        return self._of_each(function, arrays) if len(arrays) > 0 else function(())

    def _of_each(self, function: Callable[[Any], Any], arrays: Any) -> Any:
        otypes = self.otypes
        known: Any = ()
        if otypes is None:
            for array in arrays:
                if array.size == 0:
                    raise ValueError(EMPTY)
            first = function([array.flat[0] for array in arrays])
            several = isinstance(first, tuple)
            found = first if several else (first,)
            known = (first,) if self.cache else ()
            otypes = [np.asarray(result).dtype for result in found]
        else:
            several = len(otypes) > 1
        arrays = np.broadcast_arrays(*arrays)
        flat = [array.ravel() for array in arrays]
        count = flat[0].shape[0]
        results = [np.empty(count, otype) for otype in otypes]
        for k in range(count):
            if len(known) > 0 and k == 0:
                values = known[0]
            else:
                values = function([array[k].item() for array in flat])
                if self.otypes is None:
                    of_one_class(values)
            for i in range(len(results)):
                results[i][k] = values[i] if several else values
        shaped = [result.reshape(arrays[0].shape) for result in results]
        return tuple(shaped) if several else shaped[0]


__all__ = ["of_one_class", "vectorize"]
