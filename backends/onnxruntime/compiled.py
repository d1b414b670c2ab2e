"""One extraction made runnable in onnxruntime: its model and session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import onnxruntime

from graph_program.backends.host import operators
from graph_program.backends.host.runnable import Runnable, RunOptions
from graph_program.backends.onnxruntime import segments
from graph_program.backends.onnxruntime.apart import ModelApart
from graph_program.backends.onnxruntime.bfloat16 import converting
from graph_program.backends.onnxruntime.bound import BoundCalls, bound_calls
from graph_program.backends.onnxruntime.co_execution import CoExecution
from graph_program.backends.onnxruntime.session import CPU, RUN_ERRORS, Session
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.residual import Program
from graph_program.extract.slice.overlap import overlaps


class Compiled(Runnable):
    """A signature of a program, ready to be called."""

    errors = RUN_ERRORS
    _session: Session | None = None

    def bound(self) -> BoundCalls | None:
        if self._session is None or self.program.host or self.is_watched:
            return None
        return bound_calls(self, self._session, self.options.providers, has_loops(self.program))

    def apart(self, threads: int) -> ModelApart | None:
        values = (*self.program.graph.inputs, *self.program.graph.outputs)
        if self._session is None or self.program.host or any(value.type.is_bfloat16 for value in values):
            return None
        threads, providers = self.options.threads or threads, self.options.providers or CPU
        return ModelApart(self.model(), tuple(self.names), tuple(providers), threads)

    def _in_segments(self) -> bool:
        return segments.chosen()

    def _start(self, results: int, options: RunOptions) -> None:
        session = self.session(self.model(), options)
        self._all_names = list(session.outputs)
        # The arguments of error messages are asked for only when there is an error to report.
        self.names = self._all_names[: results + (self.error_index is not None)]
        if self.interface.keeps_writes:  # the arguments are no more what they were
            self.names = self._all_names
        if self.program.host:  # a run cannot be repeated
            self.names = self._all_names[:-1] or self._all_names  # with no result it has its effects all the same
        self.inputs = frozenset(session.inputs)
        self.run = session.run
        self._session = session
        if not has_loops(self.program):  # else signals end a run by its own options
            self.settings = onnxruntime.RunOptions()  # to make these is a sixth of a small run
        if self.program.host:
            self.settings = None
            self.run = self._keeping(CoExecution(session, self.program, self.interface.guards, self.tally).run)
            self.errors = ()

    def model(self, call_sites: bool = False) -> bytes:
        """The model that is run; its nodes may say through which calls they were inlined."""
        return serialized(self.program, self.frozen, wide=True, call_sites=call_sites)

    def session(
        self, model: bytes, options: RunOptions, adjust: Callable[[onnxruntime.SessionOptions], None] | None = None
    ) -> Session:
        """A session of the model; `adjust` changes onnxruntime's options of it."""
        from graph_program.backends.onnx.models import require_models_that_run

        library = operators.library() if self.program.host else None
        beside, long = overlaps(self.program), has_loops(self.program)
        try:
            session = Session(model, options.providers, options.threads, self.loc, library, beside, long, adjust)
        except GraphProgramError:
            require_models_that_run(self.program)
            raise
        session.run = converting(session.run, session, self.program)
        return session

    def _start_segments(self, residual: Program, options: RunOptions) -> None:
        """Without operators of ours."""
        start = partial(self._piece, options)
        execution = segments.SegmentExecution(residual, self.frozen, start, self.interface.guards, self.tally)
        self.names = [*self.program.output_names, "error"]
        self.inputs = frozenset(i.name for i in self.interface.inputs if i.name not in self.frozen)
        self.run, self.errors = self._keeping(execution.run), ()

    def _piece(self, options: RunOptions, program: GraphProgram) -> segments.Run:
        """What runs a piece."""
        taken = {value.name for value in program.graph.inputs}
        constants = {name: array for name, array in self.frozen.items() if name in taken}
        model, long = serialized(program, constants, wide=True), has_loops(program)
        session = Session(model, options.providers, options.threads, self.loc, long=long)
        outputs, inputs, run = list(session.outputs), session.inputs, converting(session.run, session, program)
        return lambda feed: run(outputs, {name: feed[name] for name in inputs}, None)


def _require_room(program: GraphProgram) -> None:
    """Refuse models whose weights are more than a session takes from memory (GP614)."""
    from graph_program.backends.models.files import LARGEST
    from graph_program.backends.models.refusals import RUNTIME, refused
    from graph_program.backends.onnx.models import called_models

    for model, loc in called_models(program).items():
        if sum(array.nbytes for array in model.weights.values()) >= LARGEST:
            text = "its weights have 2 GiB or more, and onnxruntime takes so many from files only"
            hint = "export the program with `external_data=True` and call the file with `load`"
            raise refused(RUNTIME, model.path, text, hint, loc)


def has_loops(program: GraphProgram) -> bool:
    """Whether a run may take any time."""
    return any(node.op == "loop" for node in program.graph.walk())


def serialized(
    program: GraphProgram,
    initializers: Mapping[str, np.ndarray[Any, Any]],
    *,
    wide: bool = False,
    call_sites: bool = False,
) -> bytes:
    """The ONNX model of a program, as bytes; with `wide`, its bfloat16 outputs are float32."""
    from graph_program.backends.onnx.emit import emit, to_proto
    from graph_program.backends.onnx.models import opset_of

    _require_room(program)
    version = onnxruntime.__version__
    model = emit(
        program,
        initializers=initializers,
        opset=opset_of(program),
        onnxruntime=version,
        value_info=False,
        wide=wide,
        call_sites=call_sites,
    )
    data: bytes = to_proto(model).SerializeToString()
    return data


__all__ = ["Compiled", "RunOptions", "serialized"]
