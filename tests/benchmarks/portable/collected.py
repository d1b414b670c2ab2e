"""The models of a sample of the programs of the tests, with inputs for them, in a folder; a plugin of pytest."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from graph_program import GraphProgramError, load
from graph_program.backends.host.rows import Misfit
from graph_program.backends.models.loaded import OnnxModel
from graph_program.backends.onnx.host import DOMAIN as HOST
from graph_program.backends.onnxruntime.versions import newest_opset
from graph_program.exports.feeds import Feed, feed_of
from graph_program.exports.for_model import extraction_for_model
from graph_program.extract.types.notation.declared_dims import NO_DIMS
from graph_program.program import GraphProgramFunction
from graph_program.targets.support import targets
from tests.benchmarks.graphs.corpus import REPORT, pytest_collection_modifyitems
from tests.benchmarks.portable.runtimes import RUNTIMES
from tests.exported.harness import NOT_TAKEN
from tests.programs import plain

OPSETS = (17, 18, 21, newest_opset())
"""Versions of the operators that files are asked for in, beside the one that is written by default."""
FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "portable": {"portable": True},
    **{f"opset {opset}": {"opset": opset} for opset in OPSETS},
    **{f"portable, opset {opset}": {"portable": True, "opset": opset} for opset in OPSETS},
}
"""Options of `model` by the name of the form."""
FEW_FORMS = "GRAPH_PROGRAM_FEW_FORMS"
"""The variable that says that a program is kept plain, and as it is made for each runtime, only."""
FIRST_CALLS = "GRAPH_PROGRAM_FIRST_CALLS"
"""The variable that says that programs of samples are kept as they are called; tests that look at callers see that."""
FEW = 3
"""Calls of a test that are tried."""
CALLS = ".calls"
"""How the name of a file ends that has the calls of a program."""
SAMPLES = "graph_program.samples."
BFLOAT16 = 16
Outputs = dict[str, np.ndarray]
Call = tuple[Feed, Outputs | None]
"""Inputs of a model, and what onnxruntime gives for them in the plain form; None where it fails."""
numbers = itertools.count()
"""Of the programs that are kept."""

__all__ = ["FORMS", "Call", "Outputs", "pytest_collection_modifyitems", "session_of"]


def pytest_configure() -> None:
    """Keep the models of each program that `check` has compared, and of those of samples, as they are first called."""
    Path(os.environ[REPORT]).mkdir(parents=True, exist_ok=True)
    plain.OBSERVERS.append(_keep)
    if not os.environ.get(FIRST_CALLS):
        return
    slow = GraphProgramFunction._slow

    def observed(program: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        own = program._object is not None
        given = _copied(args[own:]) if _is_new_sample(program, kwargs) else None
        result = slow(program, args, kwargs)
        if given is not None:
            with suppress(GraphProgramError):  # a network whose file is gone
                _keep(program.python, program, [given])
        return result

    GraphProgramFunction._slow = observed  # type: ignore[method-assign]


def _copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """A deep copy, but for networks: these never change, and would be read again."""
    return copy.deepcopy(args, {id(arg): arg for arg in args if isinstance(arg, OnnxModel)})


def _is_new_sample(program: Any, kwargs: Mapping[str, Any]) -> bool:
    """Whether a program of a sample is called for the first time, with arguments by position."""
    function = program.python
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    known = any(file.stem.partition("-")[2] == name for file in Path(os.environ[REPORT]).glob(f"*{CALLS}"))
    return function.__module__.startswith(SAMPLES) and not kwargs and not known


def _keep(function: Callable[..., Any], program: Any, inputs: Sequence[tuple[Any, ...]]) -> None:
    if not inputs:
        return
    models: dict[str, onnx.ModelProto | str] = {}
    for form in (
        *(["plain"] if os.environ.get(FEW_FORMS) else FORMS),
        *(target for target in targets() if target in RUNTIMES),
    ):
        try:
            with warnings.catch_warnings(action="ignore"):
                models[form] = _made(program, _copied(inputs[0]), form)
        except GraphProgramError as refusal:
            models[form] = f"{refusal.code} {refusal.diagnostic.message}"
    model = models["plain"]
    if isinstance(model, str) or not _is_exchanged(model):
        return
    folder = Path(os.environ[REPORT])
    stem = f"{next(numbers):04}-{function.__module__.rpartition('.')[2]}.{function.__name__}"
    for form, made in models.items():
        content = made.encode() if isinstance(made, str) else made.SerializeToString()
        (folder / f"{stem}.{form}").write_bytes(content)
    (folder / f"{stem}{CALLS}").write_bytes(pickle.dumps(_calls(program, model, inputs[:FEW])))


def _calls(program: Any, model: onnx.ModelProto, inputs: Sequence[tuple[Any, ...]]) -> list[Call]:
    try:
        session = session_of(model.SerializeToString())
    except Exception:  # whatever onnxruntime raises: that it does not load is told of the plain form
        session = None
    calls: list[Call] = []
    for args in inputs:
        feed = _feed(program, inputs[0], args, model)
        if feed is None:
            continue
        outputs = _run(session, feed) if session is not None else None
        if outputs is not None or _is_taken(model, args):
            calls.append((feed, outputs))
    return calls


def _is_taken(model: onnx.ModelProto, args: tuple[Any, ...]) -> bool:
    """Whether the description of a model says that it is for some arguments, as to sizes, too."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(model, path)
        try:
            load(path)(*_copied(args))
        except Exception as error:
            return type(error).__name__ not in NOT_TAKEN
    return True


def session_of(content: bytes) -> onnxruntime.InferenceSession:
    """A session of onnxruntime that logs nothing and takes one thread."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _run(session: onnxruntime.InferenceSession, feed: Feed) -> Outputs | None:
    names = [output.name for output in session.get_outputs()]
    try:
        return dict(zip(names, session.run(names, dict(feed)), strict=True))
    except Exception:
        return None


def _made(program: Any, args: tuple[Any, ...], form: str) -> onnx.ModelProto:
    """A model in one of the forms, or as it is exported for a target."""
    if form in FORMS:
        model: onnx.ModelProto = program.model(args, **FORMS[form])
        return model
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        program.export(path, args, target=form, verify=False)
        return onnx.load(path)


def _is_exchanged(model: onnx.ModelProto) -> bool:
    """Whether the model stands alone, and NumPy has its types."""
    types = (value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output))
    return BFLOAT16 not in types and all(opset.domain != HOST for opset in model.opset_import)


def _feed(program: Any, first: tuple[Any, ...], args: tuple[Any, ...], model: onnx.ModelProto) -> Feed | None:
    """The inputs of a model for some arguments; None where it is not for their types."""
    calls = program._ready()
    try:
        with warnings.catch_warnings(action="ignore"):
            extraction = extraction_for_model(calls, _copied(first), NO_DIMS)
            values = calls.example(_copied(args), NO_DIMS)
            found = feed_of(calls.callee, extraction.interface, values, calls.instance)
    except (GraphProgramError, Misfit, ValueError, TypeError, AssertionError, LookupError, AttributeError):
        return None
    feed = {value.name: np.asarray(found[value.name]) for value in model.graph.input if value.name in found}
    fits = all(_fits(value, feed.get(value.name)) for value in model.graph.input)
    return feed if fits else None


def _fits(value: onnx.ValueInfoProto, array: np.ndarray | None) -> bool:
    tensor = value.type.tensor_type
    if array is None or onnx.helper.np_dtype_to_tensor_dtype(array.dtype) != tensor.elem_type:
        return False
    sizes = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
    return len(sizes) == array.ndim and all(s in (None, n) for s, n in zip(sizes, array.shape, strict=True))
