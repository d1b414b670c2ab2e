"""A model file that a command is about: its session, what it says of itself, and the types of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.onnxruntime.session import Session
from graph_program.command_line.errors import REFUSED, CommandError
from graph_program.extract.diagnostics import GraphProgramError, ModelError
from graph_program.onnx_program.program import METADATA, Program, program_of
from graph_program.onnx_program.told import LoadError

if TYPE_CHECKING:
    import onnx

DTYPES = {"float": "float32", "double": "float64", "string": "str"}
BFLOAT16 = "tensor(bfloat16)"
Shape = Sequence[Any] | None


@dataclass(frozen=True)
class InputType:
    """What an input takes.

    Attributes
    ----------
    type : str
        As onnxruntime writes it: `tensor(float)`, `seq(tensor(float))`.
    shape : sequence, or None
        Sizes, names of sizes, and None for unknown ones; None where the rank is not known.
    """

    type: str
    shape: Shape

    @property
    def element(self) -> str:
        """As messages have it: `float32`; a type that is no array's as it is."""
        element = self.type.removeprefix("tensor(").removesuffix(")") if self.type.startswith("tensor(") else self.type
        return DTYPES.get(element, element)

    def __str__(self) -> str:
        if not self.type.startswith("tensor("):
            return self.type
        return f"{self.element} {shown_shape(self.shape)}"

    def dtype(self, place: str) -> np.dtype[Any]:
        """Of the arrays that the input takes; refused where NumPy has no such arrays."""
        try:
            return np.dtype(self.element)
        except TypeError:
            raise CommandError(f"{place}: arrays of NumPy cannot be {self.type}: run the model in Python") from None


def shown_shape(shape: Shape) -> str:
    """`[n, 3]`, with `_` for a size without a name."""
    if shape is None:
        return "of any shape"
    return f"[{', '.join('_' if size is None else str(size) for size in shape)}]"


@dataclass(frozen=True)
class Opened:
    """A model that can be run.

    Attributes
    ----------
    session : Session
    program : Program, or None
        What it is called like, if it says so.
    inputs : dict of str to InputType
    """

    session: Session
    program: Program | None
    inputs: dict[str, InputType]


def opened(file: str) -> Opened:
    """Open a model.

    Raises
    ------
    CommandError
        Where it is none, or onnxruntime does not take it.
    """
    if not Path(file).is_file():
        raise CommandError(f"there is no file {file}")
    try:
        any_rank = _read(file)
        session = Session(file)
    except ModelError as error:
        raise CommandError(error.diagnostic.message, REFUSED) from None
    except GraphProgramError as error:
        raise CommandError(f"{file} cannot be run: {error.diagnostic.message}", REFUSED) from None
    if BFLOAT16 in session.element_types:
        raise CommandError(f"{file} takes or gives bfloat16, which onnxruntime takes from Python as OrtValue only")
    inputs = {
        name: InputType(type_, None if name in any_rank else shape)
        for name, (type_, shape) in session.input_types.items()
    }
    try:
        return Opened(session, program_of(session.bare) if METADATA in session.metadata else None, inputs)
    except LoadError as error:
        raise CommandError(f"{file} cannot be run: {error}", REFUSED) from None


def _read(file: str) -> frozenset[str]:
    """The inputs of unknown rank, which onnxruntime tells like those of rank 0.

    Refuses files whose functions call each other so often that onnxruntime, which inlines them, would not end.
    """
    import onnx
    from google.protobuf.message import DecodeError

    from graph_program.backends.models.checks import require_finite

    try:
        model = onnx.load(file, load_external_data=False)
    except (DecodeError, ValueError):
        return frozenset()  # onnxruntime says what it is
    require_finite(model, file)
    return frozenset(value.name for value in model.graph.input if has_any_rank(value))


def has_any_rank(value: onnx.ValueInfoProto) -> bool:
    """Whether a port is an array of which nothing says how many axes it has."""
    return bool(value.type.WhichOneof("value") == "tensor_type" and not value.type.tensor_type.HasField("shape"))


__all__ = ["InputType", "Opened", "Shape", "opened", "shown_shape"]
