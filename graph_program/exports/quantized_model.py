"""The model of a program in fewer bits: its calibration arguments as inputs, and the options that do not go with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from graph_program.backends.onnx.older import without_metadata_of_nodes
from graph_program.backends.onnx.versions import IR_VERSION
from graph_program.exports.description import METADATA
from graph_program.exports.feeds import Feed, feed_if_it_fits
from graph_program.exports.models import Made
from graph_program.extract.diagnostics import Diagnostic, ExportError, GraphProgramError, ProgramValueError
from graph_program.onnx_program.program import QUANTIZED
from graph_program.quantized.export import Quantized, Quantizing
from graph_program.quantized.options import Quantization
from graph_program.quantized.places import Places
from graph_program.quantized.report import QuantizationReport

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.exports.options import FileOptions, ModelOptions
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.types.notation.declared_dims import DeclaredDims


def require_quantizable(
    asked: Quantization, options: ModelOptions, files: FileOptions, is_onnx: bool, calls: Calls
) -> None:
    """Refuse options that quantized models do not go with (GP515)."""
    others = {
        "C files": not is_onnx,
        f"`host={files.host!r}`": files.host is not None,
        f"`target={files.target!r}`": files.target not in (None, "onnx", "page"),
        "`portable=True`": options.portable,
    }
    for text, given in others.items():
        if given:
            message = f"`quantize={asked.kind!r}` does not go with {text}"
            hint = (
                "a quantized model is an ONNX file for onnxruntime; `graph-program verify` tells what others make of it"
            )
            raise ProgramValueError(Diagnostic("GP515", message, calls.loc, hint=hint))


def readable(options: ModelOptions) -> ModelOptions:
    """The options with which a float model is written whose nodes say of each call where they come from."""
    _, ir_version = options.versions()
    newer = options if ir_version >= IR_VERSION else replace(options, ir_version=IR_VERSION)
    return replace(newer, local_functions=False)


@dataclass
class QuantizedModel:
    """A program's model on its way to fewer bits.

    Attributes
    ----------
    calls : Calls
    extraction : Extraction
    made : Made
        The float model, without local functions.
    asked : Quantization
    dims : DeclaredDims
    ir_version : int
        Of the file.
    """

    calls: Calls
    extraction: Extraction
    made: Made
    asked: Quantization
    dims: DeclaredDims
    ir_version: int
    first: Feed | None = None
    """The first example of the calibration set, once it is read."""

    def quantized(self) -> Made:
        """The model in fewer bits."""
        places = Places(node.loc for node in self.made.program.graph.walk())
        self.quantizing = Quantizing(self.made.model, self.asked, places, self.calls.loc)
        examples = self.asked.calibration
        self.found: Quantized = self.quantizing.quantized(None if examples is None else self._feeds(examples))
        self.found.model.metadata_props[QUANTIZED] = self.asked.text
        if not self.asked.keep_types:
            self.found.model.metadata_props.pop(METADATA, None)  # which has the types of Python
        if self.ir_version < IR_VERSION:
            without_metadata_of_nodes(self.found.model)
            self.found.model.ir_version = self.ir_version
        return replace(self.made, model=self.found.model)

    def report(self, values: Any, tried: bool) -> QuantizationReport:
        """What was made of it, for the example arguments, or else the first of the calibration set."""
        feed = self.first if values is None else self._feed(values)
        return self.quantizing.measured(self.found, feed if tried else None)

    def _feed(self, values: Any) -> Feed | None:
        return feed_if_it_fits(self.calls.callee, self.extraction.interface, values, self.calls.instance)

    def _feeds(self, examples: Iterable[Any]) -> Iterator[Feed]:
        for number, args in enumerate(examples, 1):
            feed = self._example(args, number)
            self.first = self.first or feed
            yield feed

    def _example(self, args: Any, number: int) -> Feed:
        """The inputs of the model for one example; GP549 where it is another program's."""
        if not isinstance(args, tuple | list | Mapping):
            raise self._refused(number, f"it is of {type(args).__name__}, not a tuple of arguments")
        try:
            values = self.calls.example(args, self.dims)
            feed = None if values is None else self._feed(values)
        except (GraphProgramError, TypeError, ValueError) as error:
            said = error.diagnostic.message if isinstance(error, GraphProgramError) else str(error)
            raise self._refused(number, said) from None
        if feed is None:
            raise self._refused(number, "it has other types or sizes than the arguments of the export")
        return feed

    def _refused(self, number: int, text: str) -> ExportError:
        hint = "each example is a tuple of arguments, as the `args` of `export`"
        message = f"example {number} of the calibration set does not fit: {text}"
        return ExportError(Diagnostic("GP549", message, self.calls.loc, hint=hint))


__all__ = ["QuantizedModel", "require_quantizable"]
