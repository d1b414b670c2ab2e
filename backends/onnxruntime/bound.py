"""Calls of one signature whose arguments and results have places in memory that onnxruntime knows from call to call.

    plain      every call makes onnxruntime's values of the arguments, has results allocated, and makes arrays of them
    bound      small arguments are copied to where they were before; results stand where others stood that nobody has
               any more: Python counts who has an array

A result that somebody still has is never written to: the next call takes another place, and where all are taken makes
a new array.  So `h = step(x, h)` goes to and fro between two places, and copies nothing.

Where memory is bound: on the CPU, for sizes that come again, if the sizes of the arguments say those of all results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from graph_program.backends.host.direct_calls import Direct
from graph_program.backends.host.dtypes import shared_dtype
from graph_program.backends.host.runner import OnlyRun
from graph_program.backends.host.shim import Shim
from graph_program.backends.onnxruntime.interruption import interruptible
from graph_program.backends.onnxruntime.places import Memory, Read
from graph_program.backends.onnxruntime.session import CPU, RUN_ERRORS, Session
from graph_program.extract.ir.interface import CapturedInput
from graph_program.extract.types.dims import Symbol

if TYPE_CHECKING:
    from graph_program.backends.onnxruntime.compiled import Compiled


class BoundCalls(OnlyRun):
    """The calls of a compiled signature, with memory of their own.

    Attributes
    ----------
    dispatch, call : callable
        See `Shim`.
    """

    def __init__(self, compiled: Compiled, session: Session, long: bool):
        self.names, self.errors, self.inputs = compiled.names, compiled.errors, compiled.inputs
        self.error_index, self.run = compiled.error_index, compiled.run
        self.replay, self.judge, self.fail = compiled.replay, compiled.judge, compiled.fail
        leaves = [leaf for leaf in compiled.interface.inputs if leaf.name in compiled.inputs]
        inputs = [Read(leaf.name, leaf.type, isinstance(leaf, CapturedInput)) for leaf in leaves]
        dtypes = [shared_dtype(value.type.dtype) for value in compiled.program.graph.outputs[: len(self.names)]]
        outputs = dict(zip(self.names, dtypes, strict=True))
        memory = Memory(session, inputs, outputs, self.error_index, _going(session, long))
        order = tuple(leaf.name for leaf in leaves)
        self.direct = Direct(memory.call, order, {}, {}, dict(enumerate(dtypes)))
        shim = Shim(compiled.callee, compiled.interface, self)
        self.dispatch, self.call = shim.dispatch, shim.call


def bound_calls(compiled: Compiled, session: Session, providers: Sequence[Any] | None, long: bool) -> BoundCalls | None:
    """The calls with memory of their own; None where the sizes of results are known behind the run only."""
    is_cpu = providers is None or tuple(providers) == CPU
    if not is_cpu or not compiled.names or not hasattr(session.bare, "_sess"):
        return None
    known: set[str] = set()
    for leaf in compiled.interface.inputs:
        known |= {size.atom.name for size in leaf.type.shape if isinstance(size.atom, Symbol)}
    outputs = compiled.program.graph.outputs[: len(compiled.names)]
    values = [*outputs, *(leaf for leaf in compiled.interface.inputs if leaf.name in compiled.inputs)]
    if any(value.type.is_bfloat16 for value in values):
        return None
    if not all(size.symbols <= known for value in outputs for size in value.type.shape):
        return None
    return BoundCalls(compiled, session, long)


def _going(session: Session, long: bool) -> Callable[[Any, Any], object]:
    """What runs the session with what is bound; where that may take long, signals end it."""
    bare: Callable[[Any, Any], object] = session.bare._sess.run_with_iobinding
    if not long:
        return bare

    def run(names: Sequence[str], binding: Any, options: Any) -> list[Any]:
        bare(binding, options)
        return []

    ended = interruptible(run, RUN_ERRORS)
    return lambda binding, options: ended((), binding, None)


__all__ = ["BoundCalls", "bound_calls"]
