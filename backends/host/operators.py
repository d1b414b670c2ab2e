"""The operators with which a model reaches the host: Python, through onnxruntime-extensions.

GraphProgramExchange         host, ints, floats -> host, ints, floats      does a step, with all small values
GraphProgramStart            host, ints, floats -> host                    begins a step
GraphProgramWait             host, step, floats -> host, ints, floats      what a step tells that was begun
GraphProgramSend_<type>      host, value -> host                           hands over a large one before
GraphProgramReceive_<type>   host, [step, place] -> value                  reads a large one behind
GraphProgramFailed           host -> bool                                  whether the host has ended the run

See docs/host-export.md.  They have no attributes: those are strings to onnxruntime-extensions, and slow to read.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from graph_program.backends.host.exchange import Exchange, of_call, share
from graph_program.backends.host.handover import Handover


class Output:
    """What an operator gives, in one piece; of an array onnxruntime-extensions would make a list of Python numbers."""

    def __init__(self, array: Any):
        self.shape = array.shape
        self.array = array

    def flatten(self) -> Output:
        return self

    def tolist(self) -> Any:
        return self.array


def library() -> str:
    """The path of the library that sessions load, with the operators registered.

    Raises
    ------
    ImportError
        Where onnxruntime-extensions is not there.
    """
    import onnxruntime_extensions as extensions

    # Exported programs register the same operators; whoever comes first does it for all.
    if not share(vars(extensions)):
        register_operators(extensions)
    path: str = extensions.get_library_path()
    return path


def register_operators(extensions: Any) -> None:
    """Make the operators known to onnxruntime-extensions."""
    types = extensions.PyCustomOpDef
    int64, double = types.dt_int64, types.dt_double

    def operator(name: str, inputs: list[Any], outputs: list[Any], compute: Any) -> None:
        extensions.onnx_op(op_type=f"GraphProgram{name}", inputs=inputs, outputs=outputs)(safely(compute))

    operator("Exchange", [int64, int64, double], [int64, int64, double], operate)
    operator("Start", [int64, int64, double], [int64], begin)
    operator("Wait", [int64, int64, double], [int64, int64, double], wait)
    operator("Failed", [int64], [types.dt_bool], failed)
    names = {"float32": "float", "float64": "double"}
    for name in (*(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)), "bool", "float16", *names):
        kind = getattr(types, f"dt_{names.get(name, name)}")
        operator(f"Send_{name}", [int64, kind], [int64], send)
        operator(f"Receive_{name}", [int64, int64], [kind], receive)


def safely(compute: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that nothing leaves but its result: an exception in the runtime would end the process.

    What a signal handler raises here (Ctrl-C) ends the call, as if a step had raised it.
    """

    def safe(host: Any, *values: Any) -> Any:
        try:
            return compute(host, *values)
        except BaseException as error:
            of_call(host).fail(error)
        return compute(host, *values)

    return safe


def operate(host: Any, ints: Any, floats: Any) -> Any:
    """`GraphProgramExchange`."""
    last, told_ints, told_floats = of_call(host).operate(int(host), ints, floats)
    return Output(np.array(last, np.int64)), Output(told_ints), Output(told_floats)


def begin(host: Any, ints: Any, floats: Any) -> Any:
    """`GraphProgramStart`."""
    return Output(np.array(of_call(host).launch(int(host), ints, floats), np.int64))


def wait(host: Any, step: Any, behind: Any) -> Any:
    """`GraphProgramWait`; `behind` is only there to be computed before."""
    return Output(host), *map(Output, of_call(host).wait(int(step)))


def failed(host: Any) -> Any:
    """`GraphProgramFailed`."""
    return Output(np.array(of_call(host).failure is not None))


def send(host: Any, value: Any) -> Any:
    """`GraphProgramSend`; the array is a copy of the graph's, made for this."""
    of_call(host).sent.append(value)
    return Output(host)


def receive(host: Any, which: Any) -> Any:
    """`GraphProgramReceive`."""
    return Output(np.ascontiguousarray(of_call(host).receive(*which.tolist())))


def run_in_step(exchange: Exchange, graph: Callable[[], Any], beside: bool) -> Any:
    """Run a graph with its steps on this thread; `beside`: the graph on another, for both to work at once."""
    if beside:
        exchange.line = Handover(lambda: exchange.failure is not None, exchange.fail)
        return exchange.line.run(graph)
    with interruptible(exchange):
        return graph()


@contextmanager
def interruptible(exchange: Exchange) -> Iterator[None]:
    """Signals during a run: what a handler raises ends the call; in the runtime it would end the process."""
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        names = ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGBREAK")
        found = {name: signal.getsignal(getattr(signal, name)) for name in names if hasattr(signal, name)}
        handlers = {getattr(signal, name): handler for name, handler in found.items() if callable(handler)}

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            handlers[number](number, frame)
        except BaseException as error:
            if exchange.in_step:
                raise
            exchange.fail(error)

    for number in handlers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if signal.getsignal(number) is handle:  # host code may have set another
                signal.signal(number, handler)
