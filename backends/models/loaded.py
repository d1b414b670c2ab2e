"""A loaded model: called in plain Python it runs in a session of its own; programs make it part of their graphs."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.models.checks import random_operator, require_known_operators, require_well_formed
from graph_program.backends.models.faults import without_faults
from graph_program.backends.models.files import content, parsed
from graph_program.backends.models.implemented import without, without_kernel
from graph_program.backends.models.inlining import without_functions
from graph_program.backends.models.opsets import at_version, drop_unused_domains, versions_of
from graph_program.backends.models.ports import ports
from graph_program.backends.models.refusals import BROKEN, RUNTIME, refused
from graph_program.backends.models.signs import without_signs
from graph_program.backends.models.walks import nodes_of
from graph_program.backends.models.weights import data_files, has_small_files, outside, taken_apart
from graph_program.backends.onnx.versions import OLDEST_OPSET
from graph_program.extract.diagnostics import GraphProgramError, ModelError
from graph_program.extract.ir.models import Known, Model, Port

if TYPE_CHECKING:
    import onnx
    import onnxruntime

    from graph_program.backends.onnxruntime.session import Session

    Array = np.ndarray[Any, Any]


class OnnxModel(Model):
    """A model that `load_onnx` has read.

    Called with arrays, by position or by the names of its inputs, it gives an array, or a tuple of arrays where it has
    several outputs. Python numbers are taken for inputs of rank 0. Two models are equal if their files hold the same;
    pickled, one is read again from its path.

    Attributes
    ----------
    path : str
        The file, from the root.
    name : str
        The name of the file as an identifier, by which messages call it.
    inputs, outputs : tuple
        Each with its `name`, `dtype`, and `dims`: sizes, names of sizes, and None for unknown ones.

    Raises
    ------
    TypeError, ValueError
        By a call, for arguments that the model does not take; in a program the same at the call's line.
    RuntimeError
        By a call, where onnxruntime fails on them.
    """

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        stem = re.sub(r"\W", "_", PurePath(path).stem)
        self.name = stem if stem.isidentifier() else f"model_{stem}"
        data = content(path)
        model = parsed(data, path)
        files, is_apart = data_files(model, path), has_small_files(model)
        self.weights = taken_apart(model, path)
        """Its large arrays, by name; in `message` they are inputs."""
        require_well_formed(model, path)
        require_known_operators(model, path)
        self.random = random_operator(model)
        self.is_long = any(node.op_type in ("Loop", "Scan") for node in nodes_of(model))
        self.message = without_functions(model, path)
        """What is left of the model without its weights and functions."""
        drop_unused_domains(self.message)
        unsigned = without_signs(self.message, self.weights)
        if unsigned is not None:
            self.message, self.weights = unsigned
        self.inputs, self.outputs = ports(self.message, self.weights, path)
        self._is_changed = unsigned is not None or is_apart  # sessions infer no shapes from numbers in other files
        self._data = None if files or self._is_changed else data
        self.digest = _digest(data, files)
        self.__name__ = self.name
        self.__qualname__ = f"{self.name}.{self.digest}"  # by which files know what they were exported for
        self._session: Session | None = None
        self._newer: onnx.ModelProto | None = None
        """The model in a newer opset, where onnxruntime has no kernels for its own."""
        self._lock = threading.Lock()
        self._require_kernels(path)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        given = self.bound(args, keywords)
        arrays = [self._array(port, value) for port, value in zip(self.inputs, given, strict=True)]
        shapes: list[Sequence[Any]] = [array.shape for array in arrays]
        _require(self.demands(shapes, int))
        results = self.run(arrays)
        named: Mapping[str, Any] = self.named_sizes(shapes)
        for port, array in zip(self.outputs, results, strict=True):
            _require(self.promises(port, array.shape, named, int))
        return results[0] if len(results) == 1 else tuple(results)

    def outputs_of(self, known: tuple[Known, ...]) -> tuple[Port, ...]:
        from graph_program.backends.models.known import outputs_of

        return outputs_of(self, known)

    def _array(self, port: Port, value: Any) -> Array:
        """An argument as an array; a Python number takes the element type of the input, as beside an array."""
        if isinstance(value, int | float | complex) and not isinstance(value, np.generic):
            value = self._number(port, value)
        if not isinstance(value, np.ndarray | np.generic):
            raise TypeError(self.wrong_class(port, type(value).__name__))
        array = np.asarray(value)
        if array.dtype != port.dtype:
            raise TypeError(self.wrong_dtype(port, _told(array.dtype, port.dtype)))
        if array.ndim != len(port.dims):
            raise ValueError(self.wrong_rank(port, array.ndim))
        return array

    def _number(self, port: Port, value: int | float | complex) -> Array:
        cls = next(cls for cls in (bool, int, float, complex) if isinstance(value, cls))
        if not self.takes_number(port, cls):
            raise TypeError(self.wrong_dtype(port, cls.__name__))
        limits = np.iinfo(port.dtype) if port.dtype.kind in "iu" else None
        if limits is not None and not limits.min <= int(value) <= limits.max:  # type: ignore[arg-type]
            raise OverflowError(f"Python integer {value:d} out of bounds for {port.dtype.name}")
        with np.errstate(over="ignore"):
            return np.array(value, port.dtype)

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """All outputs for arrays that fit the inputs, by a session that is made at the first call."""
        from graph_program.backends.onnxruntime.session import RUN_ERRORS, reason

        session = self.session()
        feed = {port.name: array for port, array in zip(self.inputs, arrays, strict=True)}
        try:
            found = session.run([port.name for port in self.outputs], feed, None)
        except RUN_ERRORS as error:
            raise RuntimeError(f"{self.name}(): {reason(error)}") from None
        # Its integers of 64 bits are `long long`, which NumPy tells from its own.
        arrays = [np.asarray(array).view(port.dtype) for port, array in zip(self.outputs, found, strict=True)]
        for port, array in zip(self.outputs, arrays, strict=True):
            if array.ndim != len(port.dims):
                raise ValueError(self.wrong_rank(port, array.ndim, "output"))
        return arrays

    def _require_kernels(self, path: str) -> None:
        """Convert operators of an old version that onnxruntime only reads; refuse those of a new one (GP614).

        One that it leaves out needs no kernel: a session is asked where one is missing.
        """
        versions = versions_of(self.message)
        missing = next(without_kernel(nodes_of(self.message), versions), None)
        if missing is None:
            return
        try:
            self.session()
        except ModelError:
            if self._runs_when_newer(versions.get("", OLDEST_OPSET)):
                return
            raise refused(RUNTIME, path, *without(*missing, versions.get(missing[0], 1))) from None

    def _runs_when_newer(self, own: int) -> bool:
        """Whether a session takes the model in the oldest opset that programs have, which it then is run in."""
        if own >= OLDEST_OPSET:
            return False
        try:
            self._newer = at_version(self, OLDEST_OPSET)
            self.session()
        except ModelError:
            self._newer = None
        return self._newer is not None

    def session(self) -> Session:
        """The model's own session.

        Raises
        ------
        ModelError
            GP614 where onnxruntime does not take the model.
        """
        with self._lock:
            if self._session is None:
                try:
                    self._session = self._made_session()
                except GraphProgramError as error:
                    hint = "it may have kernels for other element types, or in another opset"
                    raise refused(RUNTIME, self.path, str(error.diagnostic.message), hint) from None
                self._data = None  # the session has it
            return self._session

    def _made_session(self) -> Session:
        """A session of the model's file, or of what has become of the model; that has small arrays of other files."""
        from onnxruntime import OrtValue

        from graph_program.backends.onnxruntime.session import Session

        message = self._newer or self.message
        other = without_faults(message)
        if other is None and message is self.message and not self._is_changed:
            return Session(self._data or self.path, long=self.is_long)

        def give_weights(options: onnxruntime.SessionOptions) -> None:
            arrays = [OrtValue.ortvalue_from_numpy(array) for array in self.weights.values()]
            options.add_external_initializers([*self.weights], arrays)

        return Session(outside(other or message, self.weights), long=self.is_long, adjust=give_weights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OnnxModel) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<OnnxModel {self.name} {self.digest[:16]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_again, (self.path, self.digest)


def _require(demands: Any) -> None:
    for demand in demands:
        if demand.found != demand.wanted:
            raise ValueError("".join(map(str, demand.message)))


def _digest(data: bytes, files: Sequence[str]) -> str:
    """What is equal for models that hold the same; of data files that is their size and time."""
    found = hashlib.sha256(data)
    for file in files:
        state = os.stat(file)
        found.update(f"{file} {state.st_size} {state.st_mtime_ns}".encode())
    return found.hexdigest()


def _read_again(path: str, digest: str) -> OnnxModel:
    """A pickled model; one whose file has changed since is refused."""
    model = OnnxModel(path)
    if model.digest != digest:
        raise refused(BROKEN, path, "its file is another one than when it was pickled")
    return model


def _told(dtype: np.dtype[Any], wanted: np.dtype[Any]) -> str:
    """An element type for messages, where another one is wanted."""
    if dtype.isnative:
        return dtype.name
    advice = f": convert it with astype({wanted.name!r})" if dtype.newbyteorder("=") == wanted else ""
    return f"{dtype.name} in {'little' if sys.byteorder == 'big' else 'big'}-endian byte order{advice}"


__all__ = ["OnnxModel"]
