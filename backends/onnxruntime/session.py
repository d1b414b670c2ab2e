"""onnxruntime sessions: made quietly, run with as little between the caller and the runtime as there can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

from graph_program.backends.onnxruntime.interruption import interruptible
from graph_program.extract.diagnostics import UNKNOWN, Diagnostic, GraphProgramError, Loc

FATAL = 4
"""Log severity: what onnxruntime would print, we raise."""
CPU, CUDA = ("CPUExecutionProvider",), "CUDAExecutionProvider"

# Base classes of what a run or the creation of a session raises; bad feeds give a plain RuntimeError.
RUN_ERRORS: tuple[type[Exception], ...] = (
    RuntimeError,
    *(e for e in vars(state).values() if isinstance(e, type) and issubclass(e, Exception)),
)
CREATION_ERRORS: tuple[type[Exception], ...] = (*RUN_ERRORS, ValueError)


class Session:
    """A model that is ready to run.

    Parameters
    ----------
    model : bytes or str
        The serialized model, or the path of a model file.
    providers : sequence, optional
        Execution providers in order of preference, as onnxruntime takes them; the CPU by default.
    threads : int, optional
        Threads inside one operation; onnxruntime's choice by default.
    library : str, optional
        Path of a library with operators that the model has besides the standard ones.
    in_order : bool
        Run what does not depend on each other in the order of the model.
    long : bool
        Whether a run may take long, so that Ctrl-C has to end it.
    adjust : callable, optional
        Changes onnxruntime's options before the session is made.

    Attributes
    ----------
    run : callable
        `run(output_names, feed, None) -> list of ndarray`.
    inputs, outputs : tuple of str
        Names in the model's order.

    Raises
    ------
    GraphProgramError
        GP602 where onnxruntime does not take the model.
    """

    def __init__(
        self,
        model: bytes | str,
        providers: Sequence[Any] | None = None,
        threads: int | None = None,
        loc: Loc = UNKNOWN,
        library: str | None = None,
        in_order: bool = False,
        long: bool = False,
        adjust: Callable[[onnxruntime.SessionOptions], None] | None = None,
    ):

        def adjusted(options: onnxruntime.SessionOptions) -> None:
            if threads is not None:
                options.intra_op_num_threads = threads
            if library is not None:
                options.register_custom_ops_library(library)
            if in_order:
                options.execution_order = onnxruntime.ExecutionOrder.PRIORITY_BASED
            if adjust is not None:
                adjust(options)

        chosen = without_tf32(CPU if providers is None else providers)
        _check_providers(chosen, loc)
        # Without the fallback a provider that fails is told, not silently replaced by the CPU.
        try:
            self._session = inference_session(model, adjusted, chosen, enable_fallback=0)
        except CREATION_ERRORS as error:
            raise _refused(error, loc) from None
        _check_started(chosen, self._session, loc)
        self.inputs = tuple(i.name for i in self._session.get_inputs())
        self.outputs = tuple(o.name for o in self._session.get_outputs())
        self.run = _bare_run(self._session)
        if long:
            self.run = interruptible(self.run, RUN_ERRORS)

    @property
    def bare(self) -> onnxruntime.InferenceSession:
        """onnxruntime's own object."""
        return self._session

    @property
    def metadata(self) -> dict[str, str]:
        """What the model says about itself."""
        return dict(self._session.get_modelmeta().custom_metadata_map)

    @property
    def element_types(self) -> frozenset[str]:
        """Element types of inputs and outputs: `tensor(float)`."""
        return frozenset(value.type for value in (*self._session.get_inputs(), *self._session.get_outputs()))

    @property
    def input_types(self) -> dict[str, tuple[str, list[Any]]]:
        """Element type (`tensor(float)`) and shape of each input."""
        return {i.name: (i.type, i.shape) for i in self._session.get_inputs()}


def inference_session(
    model: bytes | str, adjust: Callable[[onnxruntime.SessionOptions], None], providers: Sequence[Any], **more: Any
) -> onnxruntime.InferenceSession:
    """onnxruntime's session of a model, which logs nothing, and computes with few bits as the operators say.

    Products of bytes with signed ones do not saturate on x86 without VNNI, and those with numbers of 4 bits are
    computed in float32, not with 8 bits on the other side.  There are models in which signed bytes are shared that
    onnxruntime then fails to load: these may saturate.  Exported programs with host code have this in a file of theirs.
    """
    import onnxruntime

    def session(exact: str) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry("session.x64quantprecision", exact)
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
        adjust(options)
        return onnxruntime.InferenceSession(model, options, providers=list(providers), **more)

    try:
        return session("1")
    except Exception:  # onnxruntime's classes of exceptions have no common base
        return session("0")


def _bare_run(session: onnxruntime.InferenceSession) -> Callable[..., list[Any]]:
    """The run method under `InferenceSession.run`, which only checks names: a quarter of a small call."""
    bare: Callable[..., list[Any]] | None = getattr(getattr(session, "_sess", None), "run", None)
    return bare if bare is not None else session.run


def without_tf32(providers: Sequence[Any]) -> list[Any]:
    """Providers that compute float32 in float32: CUDA's rounds what it multiplies to 11 bits where nobody objects."""
    return [(name, {"use_tf32": "0"}) if name == CUDA else name for name in providers]


def _named(providers: Sequence[Any]) -> list[str]:
    return [provider[0] if isinstance(provider, tuple) else provider for provider in providers]


def _check_providers(providers: Sequence[Any], loc: Loc) -> None:
    available = onnxruntime.get_available_providers()
    for name in _named(providers):
        if name not in available:
            text = f"this onnxruntime has no execution provider {name!r}"
            hint = f"use one of {', '.join(available)}"
            raise GraphProgramError(Diagnostic("GP602", text, loc, hint=hint))


def _check_started(providers: Sequence[Any], session: onnxruntime.InferenceSession, loc: Loc) -> None:
    """Refuse a session without a provider that was asked for: onnxruntime goes on without one that does not start."""
    started = session.get_providers()
    for name in _named(providers):
        if name not in started:
            text = f"onnxruntime does not start its execution provider {name!r} here"
            hint = "its device, or a library that it needs, is missing; onnxruntime has printed which"
            raise GraphProgramError(Diagnostic("GP602", text, loc, hint=hint))


def reason(error: Exception) -> str:
    """What onnxruntime complains about, without the chain of nodes and codes through which it came."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    for mark in ("Status Message: ", "[ONNXRuntimeError] : "):
        _, found, tail = text.rpartition(mark)
        if found:
            return tail if mark.startswith("Status") else tail.split(" : ", 2)[-1]
    return text


def _refused(error: Exception, loc: Loc) -> GraphProgramError:
    message = reason(error)
    return GraphProgramError(
        Diagnostic(
            "GP602",
            f"onnxruntime {onnxruntime.__version__} does not run the model: {message}",
            loc,
            hint="this is a fault of graph-program or of the execution provider; please report it",
        )
    )
