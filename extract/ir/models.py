"""Trained models that a program calls: what is known of one, and the operations that stand for a call.

    prob, state = vad(chunk, state, 16000)          call = model_call(chunk, state, 16000, model=vad)
                                                    prob = model_result(call, number=0)
                                                    state = model_result(call, number=1)

What a call gives is one value, of which the results are read right behind it: an object, which no region
gives, no loop carries and no other operation takes.  A call has no effects, so equal ones are one.

The rules of a call are here once, for plain Python and for programs: what the arguments have to be, and what is
said where they are not.
"""

from __future__ import annotations

import inspect
import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import TensorType

CALL, RESULT = "model_call", "model_result"
OBJECT = TensorType(np.dtype(object))
"""The type of a call's value."""

MOST = 1024
"""Elements of a constant that a model is looked at with."""

D = TypeVar("D")
"""A size: an int, or a dim."""


@dataclass(frozen=True)
class Port:
    """An input or an output of a model.

    Attributes
    ----------
    name : str
        As the model has it.
    dtype : numpy.dtype
    dims : tuple of int, str or None
        Known sizes, names of sizes, and None for those of which nothing is known.
    sure : tuple of bool
        Of an output, which of them follow from the inputs; others the model only says.
    has_rank : bool
        Whether the number of dimensions follows, too.
    """

    name: str
    dtype: np.dtype[Any]
    dims: tuple[int | str | None, ...]
    sure: tuple[bool, ...] = ()
    has_rank: bool = True

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype.name} [{', '.join('?' if d is None else str(d) for d in self.dims)}]"


@dataclass(frozen=True)
class Known:
    """What is known of an input where a model is called.

    Attributes
    ----------
    sizes : tuple of int or None
    elements : bytes or None
        Those of a constant.
    """

    sizes: tuple[int | None, ...] = ()
    elements: bytes | None = None

    @classmethod
    def of(cls, type_: TensorType, constant: np.ndarray[Any, Any] | None) -> Known:
        """What is known of a value of a type, which may be a constant."""
        if constant is not None and constant.size <= MOST:
            return cls(constant.shape, np.asarray(constant, type_.dtype).tobytes())
        return cls(tuple(size.constant for size in type_.shape))


@dataclass(frozen=True)
class Demand:
    """Two sizes that must be equal, and what is said where they are not."""

    found: Any
    wanted: Any
    message: tuple[Any, ...]


class Model(ABC):
    """A model with typed inputs and outputs, which is what a program calls.

    Attributes
    ----------
    name : str
        What messages and values are called by, an identifier.
    inputs, outputs : tuple of Port
    random : str
        An operator in it that gives something else in each run; empty where there is none.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    random: str

    @abstractmethod
    def run(self, arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        """All outputs for arrays that fit the inputs."""

    def outputs_of(self, known: tuple[Known, ...]) -> tuple[Port, ...]:
        """The outputs where something is known of the inputs."""
        return self.outputs

    @cached_property
    def signature(self) -> inspect.Signature:
        """The inputs as parameters; a name that Python does not have is written with `_`."""
        names = list(_identifiers([port.name for port in self.inputs]))
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind) for name in names])

    def bound(self, args: Sequence[D], keywords: Mapping[str, D]) -> list[D]:
        """The arguments in the order of the inputs; Python's TypeError where they are others."""
        try:
            return list(self.signature.bind(*args, **keywords).args)
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None

    # ------------------------------------------------------------ what must hold

    @staticmethod
    def takes_number(port: Port, cls: type) -> bool:
        """Whether an input takes a Python number of a class: as an operand beside an array of its type, unchanged."""
        return port.dtype.kind in {bool: "b", int: "iuf", float: "f"}.get(cls, "")

    def wrong_class(self, port: Port, given: str) -> str:
        return f"{self.name}(): the input {port.name!r} is an array, got {given}"

    def wrong_dtype(self, port: Port, given: str) -> str:
        return f"{self.name}(): the input {port.name!r} is {port.dtype.name}, got {given}"

    def wrong_rank(self, port: Port, rank: int, what: str = "input") -> str:
        return f"{self.name}(): the {what} {port.name!r} has {len(port.dims)} dimensions, got {rank}"

    def named_sizes(self, shapes: Sequence[Sequence[D]]) -> dict[str, D]:
        """What the names of sizes stand for: each is the first size of the inputs that has it."""
        found: dict[str, D] = {}
        for port, shape in zip(self.inputs, shapes, strict=True):
            for name, size in zip(port.dims, shape, strict=True):
                if isinstance(name, str):
                    found.setdefault(name, size)
        return found

    def demands(self, shapes: Sequence[Sequence[D]], number: Callable[[int], D]) -> Iterator[Demand]:
        """What the sizes of arguments of the right ranks have to be; `number` makes a size of an int."""
        named = self.named_sizes(shapes)
        for port, shape in zip(self.inputs, shapes, strict=True):
            for axis, (want, size) in enumerate(zip(port.dims, shape, strict=True)):
                where = f"{self.name}(): axis {axis} of the input {port.name!r} is "
                if isinstance(want, int):
                    yield Demand(size, number(want), (where, number(want), ", got ", size))
                elif want is not None and size is not named[want]:
                    first = named[want]
                    yield Demand(size, first, (where, f"{want}=", first, ", got ", size))

    def promises(
        self, port: Port, shape: Sequence[D], named: Mapping[str, D], number: Callable[[int], D]
    ) -> list[Demand]:
        """What the model says of the sizes of an output and nothing shows."""
        found = []
        for axis, (said, sure, size) in enumerate(zip(port.dims, port.sure, shape, strict=True)):
            wanted = number(said) if isinstance(said, int) else named.get(said or "")
            if not sure and wanted is not None:
                text = f"{self.name}(): the model says that axis {axis} of its output {port.name!r} is "
                found.append(Demand(size, wanted, (text, wanted, ", and it is ", size)))
        return found


def _identifiers(names: Sequence[str]) -> Iterator[str]:
    taken: set[str] = set()
    for name in names:
        plain = re.sub(r"\W", "_", name)
        if not plain.isidentifier() or keyword.iskeyword(plain):
            plain = f"_{plain}"
        while plain in taken:
            plain += "_"
        taken.add(plain)
        yield plain


# ---------------------------------------------------------------- operations


def call(*arrays: np.ndarray[Any, Any], model: Model) -> np.ndarray[Any, Any]:
    """What a call gives: an array of rank 0 with the list of its results."""
    result = np.empty((), object)
    result[()] = model.run(arrays)
    return result


def result(call: np.ndarray[Any, Any], *, number: int) -> np.ndarray[Any, Any]:
    """One of the results of a call."""
    found: np.ndarray[Any, Any] = call[()][number]
    return found


OPERATIONS: Mapping[str, Callable[..., np.ndarray[Any, Any]]] = {CALL: call, RESULT: result}
"""The operations of a call, in NumPy."""

__all__ = ["CALL", "MOST", "OBJECT", "OPERATIONS", "RESULT", "Demand", "Known", "Model", "Port"]
