"""Memory of calls that is bound to a session: where arguments are read, and where results are written.

Results go round between a few places.  Python counts who has an array, so a place is taken again when nobody has what
was written there last; where somebody has, it gets a new array.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from graph_program.backends.host.codegen import Scope, build
from graph_program.backends.onnxruntime.session import RUN_ERRORS, Session
from graph_program.extract.records import dataclass

if TYPE_CHECKING:
    from graph_program.extract.types.tensors.tensor_type import TensorType

SMALL = 16384
"""Arguments of at most so many bytes are copied; to bind another array takes as long as to copy these."""
PLACES = 3
"""Results of one thread go to so many places before a new one is made."""
SIZES = 8
"""Memory is kept for so many sizes of the arguments; that of the oldest is dropped."""
COUNTS = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether the number of references of an object says if somebody has it."""

Shapes = tuple[tuple[int, ...], ...]
Call = Callable[..., list[Any]]
Go = Callable[[Any, Any], object]
"""Runs a model with what is bound, and with options of the run."""
Slot = tuple[Any, ...]
"""Memory of one call at a time: the results, what is bound, what stays bound as each of the large arguments, and where
each small argument is copied to."""


@dataclass(frozen=True)
class Read:
    """An input of a model."""

    name: str
    type: TensorType
    is_captured: bool


class Memory:
    """What is bound, by the sizes of the arguments.

    Parameters
    ----------
    session : Session
    inputs : sequence of Read
    outputs : mapping of str to dtype
        What is asked for, and the element types that NumPy has for it: onnxruntime's int64 is another one of 64 bits.
    error_index : int or None
        Which output says that the others mean nothing.
    go : callable
        Runs the session.

    Attributes
    ----------
    call : callable
        Takes the inputs in order, gives the outputs.
    """

    def __init__(
        self,
        session: Session,
        inputs: Sequence[Read],
        outputs: Mapping[str, np.dtype[Any]],
        error_index: int | None,
        go: Go,
    ):
        self._session, self._inputs, self._outputs, self._go = session, inputs, outputs, go
        self._error_index = error_index
        self._rooms: dict[Shapes, Call] = {}
        self._once: deque[Shapes] = deque(maxlen=SIZES)
        """Sizes that have been there once."""
        self._lock = threading.Lock()
        self.call = self._generate()

    def _generate(self) -> Call:
        scope = Scope()
        given = [scope.fresh("input") for _ in self._inputs]
        everything = "".join(f"{name}, " for name in given)
        sized = [i for i, value in enumerate(self._inputs) if any(d.constant is None for d in value.type.shape)]
        lines = [
            f"_shapes = ({''.join(f'{given[i]}.shape, ' for i in sized)})",
            f"_room = {scope.constant(self._rooms.get, 'get')}(_shapes)",
            f"if _room is None: return {scope.constant(self._other, 'other')}(_shapes, ({everything}))",
            f"return _room({', '.join(given)})",
        ]
        return build(", ".join(given), lines, scope, ("call", "call"), "<graph_program: bound sizes>")

    def _other(self, shapes: Shapes, given: Sequence[Any]) -> list[Any]:
        """A call with sizes for which there is no memory yet; with the second one there will be."""
        outputs = self._plain(*given)
        if self._error_index is not None and outputs[self._error_index]:  # results have any shapes
            return outputs
        with self._lock:
            if shapes not in self._once:
                self._once.append(shapes)
            elif shapes not in self._rooms:
                while len(self._rooms) >= SIZES:
                    del self._rooms[next(iter(self._rooms))]
                read = [(np.shape(value), i) for i, value in zip(self._inputs, given, strict=True)]
                written = [Written(n, a.shape, a.dtype) for n, a in zip(self._outputs, outputs, strict=True)]
                self._rooms[shapes] = Room(self._session, read, written, self._go, self._plain).call
        return outputs

    def _plain(self, *given: Any) -> list[Any]:
        """A call whose results onnxruntime makes."""
        feed = {i.name: np.asarray(value, i.type.dtype) for i, value in zip(self._inputs, given, strict=True)}
        found = self._session.run(list(self._outputs), feed, None)
        return [array.view(dtype) for array, dtype in zip(found, self._outputs.values(), strict=True)]


@dataclass(frozen=True)
class Written:
    """An output of a model, of some sizes."""

    name: str
    shape: tuple[int, ...]
    dtype: Any


class Room:
    """The memory for arguments of some sizes: a slot for each call that runs or whose results somebody has.

    Attributes
    ----------
    call : callable
        Takes the inputs in order, gives the outputs; no later call writes to those that somebody has.
    """

    def __init__(
        self,
        session: Session,
        inputs: Sequence[tuple[tuple[int, ...], Read]],
        outputs: Sequence[Written],
        go: Go,
        plain: Call,
    ):
        self._session, self._outputs, self._go, self._plain = session.bare, outputs, go, plain
        self._inputs = [value for _, value in inputs]
        self._shapes = [shape for shape, _ in inputs]
        sizes = [prod(shape) * value.type.dtype.itemsize for shape, value in inputs]
        self._is_small = [size <= SMALL and not i.is_captured for size, i in zip(sizes, self._inputs, strict=True)]
        self._own: dict[int, Any] = {}
        """onnxruntime's values of the results, by the numbers of the arrays; they keep no array."""
        self._nothing = [np.empty((0,) * value.type.rank, value.type.dtype) for value in self._inputs]
        self._slots: deque[Slot] = deque()
        self.call = self._generate()

    def _generate(self) -> Call:
        scope = Scope()
        given = [scope.fresh("input") for _ in self._inputs]
        small = [(i, name) for i, name in enumerate(given) if self._is_small[i]]
        large = [(i, name) for i, name in enumerate(given) if not self._is_small[i]]
        unpack = f"_outputs, _binding, _last, {''.join(f'_place_{i}, ' for i, _ in small)} = _slot"
        held = " or ".join(f"_count(_outputs[{i}]) > _alone" for i in range(len(self._outputs)))
        scope.constants |= {"_count": sys.getrefcount, "_alone": ALONE if COUNTS else -1}
        scope.constants |= {"_take": self._slots.popleft, "_back": self._slots.append, "_none": IndexError}
        scope.constants |= {"_new": self._new, "_next": self._next, "_go": self._go, "_bind": self._bind}
        scope.constants |= {"_options": onnxruntime.RunOptions(), "_errors": RUN_ERRORS, "_plain": self._plain}
        bound = [f"    _lent_{i} = _bind(_slot, {i}, {name})" for i, name in large]
        unbound = []
        for i, _ in large:  # the caller's arrays are the caller's alone between calls
            name, value = self._inputs[i].name, scope.constant(_value(self._nothing[i]), "nothing")
            unbound.append(f"    if _lent_{i} is not None: _binding.bind_ortvalue_input({name!r}, {value})")
        lines = [
            "try: _slot = _take()",
            "except _none: _slot = _new()",
            unpack,
            f"if {held}:",
            "    _slot = _next(_slot)",
            f"    {unpack}",
            *(f"_lent_{i} = None" for i, _ in large),
            "try:",
            *(f"    _place_{i}[...] = {name}" for i, name in small),
            *bound,
            "    _go(_binding, _options)",
            "    return _outputs[:]",
            f"except _errors: return _plain({', '.join(given)})",  # a result of another shape, which nobody reads
            "finally:",
            *unbound,
            "    _back(_slot)",
        ]
        return build(", ".join(given), lines, scope, ("call", "call"), "<graph_program: bound memory>")

    def _next(self, slot: Slot) -> Slot:
        """Another slot than one of which somebody has results: one that is free, a new one, or the same with others."""
        slots = self._slots
        slots.append(slot)
        for _ in range(len(slots)):
            try:
                slot = slots.popleft()
            except IndexError:
                return self._new()
            if COUNTS and not any(_is_held(slot[0], i) for i in range(len(slot[0]))):
                return slot
            slots.append(slot)
        try:
            slot = slots.popleft() if len(slots) >= PLACES else self._new()
        except IndexError:
            return self._new()
        for i in range(len(slot[0])):
            if not COUNTS or _is_held(slot[0], i):
                self._place(slot, i)
        return slot

    def _new(self) -> Slot:
        binding = self._session.io_binding()._iobinding
        places = []
        for value, shape, is_small in zip(self._inputs, self._shapes, self._is_small, strict=True):
            if is_small:
                places.append(np.empty(shape, value.type.dtype))
                binding.bind_ortvalue_input(value.name, _value(places[-1]))
        slot = ([None] * len(self._outputs), binding, [None] * len(self._inputs), *places)
        for i in range(len(self._outputs)):
            self._place(slot, i)
        return slot

    def _place(self, slot: Slot, i: int) -> None:
        """A new array for a result."""
        outputs, binding = slot[:2]
        self._own.pop(id(outputs[i]), None)
        outputs[i] = array = np.empty(self._outputs[i].shape, self._outputs[i].dtype)
        self._own[id(array)] = value = _value(array)
        binding.bind_ortvalue_output(self._outputs[i].name, value)

    def _bind(self, slot: Slot, i: int, array: Any) -> Any:
        """Have an argument read where it lies; if that is for one call only, what is read, which is to be kept."""
        _, binding, last = slot[:3]
        stays = self._own.get(id(array)) or (array if self._inputs[i].is_captured else None)
        if stays is not None and last[i] is stays:
            return None
        read = _readable(array, self._inputs[i].type.dtype)
        binding.bind_ortvalue_input(self._inputs[i].name, _value(read))
        last[i] = stays if read is array else None
        return None if last[i] is not None else read


def _readable(array: Any, dtype: Any) -> Any:
    """An array as onnxruntime reads it where it lies, or else a copy."""
    return array if array.flags.c_contiguous and array.flags.aligned else np.array(array, dtype, order="C")


def _value(array: Any) -> Any:
    """onnxruntime's value over the memory of an array, which has to live as long as this is used."""
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)._ortvalue


def _references() -> int:
    """How many references the array in a slot has where nobody else has it."""
    arrays = [np.empty(1)]
    return sys.getrefcount(arrays[0])


ALONE = _references()


def _is_held(arrays: list[Any], i: int) -> bool:
    return sys.getrefcount(arrays[i]) > ALONE


__all__ = ["Memory", "Read"]
