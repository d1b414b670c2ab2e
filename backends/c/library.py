"""A compiled program, called from Python as onnxruntime's sessions are: a feed by name, outputs by name."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.backends.c.cache import library, opening
from graph_program.backends.c.compiler import FAST
from graph_program.backends.c.emit import NO_MEMORY, CSource, Parameter
from graph_program.extract.ir.graph import GraphProgram, Value

NUMBERS = {
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    **{f"{s}int{b}_t": getattr(ctypes, f"c_{s}int{b}") for s in ("", "u") for b in (8, 16, 32, 64)},
}


class NativeSession:
    """A program as machine code.

    Parameters
    ----------
    program : GraphProgram
    source : CSource
        The program in C.
    flags : iterable of str
        For the compiler.

    Attributes
    ----------
    inputs, outputs : tuple of str

    Raises
    ------
    CompilerError
    """

    def __init__(self, program: GraphProgram, source: CSource, flags: Iterable[str] = FAST):
        self.program, self.source = program, source
        path = library(source, flags)
        with opening(path):
            self._library = ctypes.CDLL(str(path))
        self._function = getattr(self._library, source.name)
        self._free = ctypes.CDLL(None).free
        self._free.argtypes = [ctypes.c_void_p]
        taken = {p.value for p in source.parameters if p.value is not None and not p.is_result}
        self.inputs = tuple(value.name for value in program.graph.inputs if value in taken)
        self.outputs = tuple(value.name for value in program.graph.outputs)
        self._sizes = {
            value: compile(f"({''.join(f'{size.text}, ' for size in shape)})", "<sizes>", "eval")
            for value, shape in source.sizes.items()
        }
        self._weights = np.frombuffer(source.weights, np.uint8).copy()
        results = len(program.output_names)
        self._error = program.graph.outputs[results] if program.errors else None

    def run(self, names: Sequence[str] | None, feed: Mapping[str, Any], options: None = None) -> list[Any]:
        """The outputs asked for, or all.

        Raises
        ------
        MemoryError
        """
        arguments, kept = self._arguments(feed)
        status = self._function(*arguments)
        if status == NO_MEMORY:
            raise MemoryError(f"there is no memory for a call of {self.program.name}")
        found = self._results(kept, status)
        values = {value.name: found.get(value) for value in self.program.graph.outputs}
        return [values[name] for name in (self.outputs if names is None else names)]

    def _arguments(self, feed: Mapping[str, Any]) -> tuple[list[Any], dict[Parameter, Any]]:
        """What the function is called with, and what it writes to."""
        arguments: list[Any] = []
        kept: dict[Parameter, Any] = {}
        sizes: dict[str, int] = {}
        for parameter in self.source.parameters:
            value = parameter.value
            if parameter.is_result:
                made, argument = self._result(parameter, sizes)
                kept[parameter] = made
            else:
                if value is None:  # the workspace, or weights
                    is_weights = parameter.role == "weights"
                    kept[parameter] = self._weights if is_weights else np.empty(self.source.workspace, np.uint8)
                    arguments.append(ctypes.c_void_p(kept[parameter].ctypes.data))
                    continue
                given = feed[value.name]
                if parameter.role == "size":
                    sizes[parameter.name] = given.shape[parameter.axis]
                    argument = ctypes.c_int64(given.shape[parameter.axis])
                elif parameter.role == "number":
                    number = np.asarray(given, value.type.dtype).item()
                    argument = NUMBERS[parameter.c_type](number if value.type.dtype.kind in "biuf" else float(number))
                else:
                    array = np.ascontiguousarray(given, value.type.dtype)
                    kept[parameter] = array
                    argument = ctypes.c_void_p(array.ctypes.data)
            arguments.append(argument)
        return arguments, kept

    def _result(self, parameter: Parameter, sizes: Mapping[str, int]) -> tuple[Any, Any]:
        """Where a result is written to."""
        value = parameter.value
        if parameter.role == "array":
            assert value is not None
            made = np.empty(eval(self._sizes[value], {"__builtins__": {}}, dict(sizes)), value.type.dtype)
            return made, ctypes.c_void_p(made.ctypes.data)
        if parameter.role == "error":
            fields = [("number", ctypes.c_int)]
            fields += [(name, NUMBERS[c_type]) for name, c_type, _ in self.source.error_fields]
            told = type("Error", (ctypes.Structure,), {"_fields_": fields})()
            return told, ctypes.byref(told)
        found = ctypes.c_void_p() if parameter.role == "made" else NUMBERS[parameter.c_type.removesuffix(" *")]()
        return found, ctypes.byref(found)

    def _results(self, kept: Mapping[Parameter, Any], status: int) -> dict[Value, Any]:
        found: dict[Value, Any] = {}
        if self._error is not None:
            found[self._error] = np.int64(status)
        for parameter, made in kept.items():
            if parameter.role == "error" and status:
                found |= {
                    value: np.asarray(getattr(made, n), value.type.dtype) for n, _, value in self.source.error_fields
                }
            if not parameter.is_result or (status and not self.program.keeps_writes) or parameter.value is None:
                continue
            if parameter.role == "number":
                found[parameter.value] = np.asarray(made.value, parameter.value.type.dtype)
            elif parameter.role == "array":
                found[parameter.value] = made
            elif parameter.role == "made":
                found[parameter.value] = self._copied(parameter, made, kept)
        return found

    def _copied(self, parameter: Parameter, made: Any, kept: Mapping[Parameter, Any]) -> Any:
        """An array that the function has made."""
        value = parameter.value
        assert value is not None
        sizes = {p.axis: own.value for p, own in kept.items() if p.role == "size" and p.is_result and p.value is value}
        shape = [sizes.get(axis, size.constant or 0) for axis, size in enumerate(value.type.shape)]
        array = np.empty(shape, value.type.dtype)
        ctypes.memmove(array.ctypes.data, made.value, array.nbytes)
        self._free(made)
        return array


__all__ = ["NativeSession"]
