"""The operators with which a model reaches the host: Python, through onnxruntime-extensions.

GraphProgramSend_<type>      host, value -> host                    attributes step, slot
GraphProgramStep             host, objects -> host                  attribute step
GraphProgramReceive_<type>   host -> value                          attributes step, slot
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from graph_program.backends.host import exchange
from graph_program.backends.onnx.emit import host_operator
from graph_program.extract.ir.host import RECEIVE, SEND, STEP

TYPES = {
    "bool": "dt_bool",
    "int8": "dt_int8",
    "int16": "dt_int16",
    "int32": "dt_int32",
    "int64": "dt_int64",
    "uint8": "dt_uint8",
    "uint16": "dt_uint16",
    "uint32": "dt_uint32",
    "uint64": "dt_uint64",
    "float16": "dt_float16",
    "float32": "dt_float",
    "float64": "dt_double",
}
"""Element types by their names in NumPy and in onnxruntime-extensions."""


@cache
def library() -> str:
    """The path of the library that sessions load, with our operators registered.

    Raises
    ------
    ImportError
        Where onnxruntime-extensions is not there.
    """
    import onnxruntime_extensions
    from onnxruntime_extensions import PyCustomOpDef, get_library_path, onnx_op

    number = PyCustomOpDef.dt_int64
    path: str = get_library_path()
    # Exported programs register the same operators; whoever comes first does it for all.
    if exchange.share(vars(onnxruntime_extensions)):
        return path

    def register(name: str, inputs: list[Any], output: Any, attributes: tuple[str, ...], compute: Any) -> None:
        attrs = dict.fromkeys(attributes, number)
        onnx_op(op_type=name, inputs=inputs, outputs=[output], attrs=attrs)(compute)

    register(host_operator(STEP, np.dtype(np.int64)), [number, number], number, ("step",), _safely(_step))
    for name, kind in TYPES.items():
        dtype, type_ = np.dtype(name), getattr(PyCustomOpDef, kind)
        register(host_operator(SEND, dtype), [number, type_], number, ("step", "slot"), _safely(exchange.send))
        register(host_operator(RECEIVE, dtype), [number], type_, ("step", "slot"), _safely(exchange.receive))
    return path


def _safely(compute: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that nothing leaves but its result: an exception in the runtime would end the process.

    What a signal handler raises here (Ctrl-C) ends the call, as if a step had raised it.
    """

    def safe(host: Any, *values: Any, **attributes: Any) -> Any:
        try:
            return compute(host, *values, **attributes)
        except BaseException as error:
            exchange.of_call(host).fail(error)
        return compute(host, *values, **attributes)

    return safe


def _step(host: Any, objects: Any, step: int) -> Any:
    return exchange.step(host, *objects, step=step)
