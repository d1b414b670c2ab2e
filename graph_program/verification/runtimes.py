"""The runtimes that files are verified in: how each loads a model, and in how many bits it computes.

This is imported by the process that runs the models (`worker`), which imports nothing else of the package.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, Any]
Run = Callable[[Mapping[str, Any]], Arrays]
"""The outputs of a model by name, for inputs by name."""
SINGLE = float(np.finfo(np.float32).eps)
WEB, WEBGPU, CUDA = "onnxruntime-web", "webgpu", "cuda"
FATAL = 4
CPU_PROVIDER, CUDA_PROVIDER = "CPUExecutionProvider", "CUDAExecutionProvider"
ON_CUDA = (CUDA_PROVIDER, CPU_PROVIDER)
SMALL = '<ir_version: 10, opset_import: ["": 20]> small (float x) => (float y) { y = Neg(x) }'
STARTS = """
import sys, onnxruntime
session = onnxruntime.InferenceSession(sys.stdin.buffer.read(), providers=sys.argv[1:])
sys.exit(session.get_providers()[0] != sys.argv[1])
"""
Answers = Callable[[Sequence[tuple[Path, Sequence[Mapping[str, Any]]]]], list[dict[str, Any]]]
"""What comes of models and the inputs of their calls, as `web.answers_of` says it."""


class NotTaken(Exception):
    """A runtime does not take a file, which it says only when it knows the sizes of a run."""


def _onnxruntime(path: Path) -> Run:
    return _in_onnxruntime(path, optimized=True)


def plain(path: Path) -> Run:
    """onnxruntime as others are compared with it: operator by operator, as the file has them."""
    return _in_onnxruntime(path, optimized=False)


def _cuda(path: Path) -> Run:
    return _in_onnxruntime(path, optimized=True, providers=ON_CUDA)


def _cuda_alone(path: Path) -> Run:
    return _in_onnxruntime(path, optimized=True, providers=ON_CUDA, alone=True)


def _in_onnxruntime(
    path: Path, optimized: bool, providers: Sequence[str] = (CPU_PROVIDER,), alone: bool = False
) -> Run:
    """A session of onnxruntime; `alone`: which leaves nothing to the CPU."""
    import onnxruntime

    from graph_program.onnx_program.program import without_tf32

    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if alone:
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    session = onnxruntime.InferenceSession(path, options, providers=without_tf32(providers))
    if len(session.get_providers()) < len(providers):  # onnxruntime goes on without one that does not start
        raise RuntimeError(f"onnxruntime starts none but {', '.join(session.get_providers())}")
    taken = {value.name for value in session.get_inputs()}
    names = [value.name for value in session.get_outputs()]

    def run(feed: Mapping[str, Any]) -> Arrays:
        found = session.run(names, {name: array for name, array in feed.items() if name in taken})
        return dict(zip(names, found, strict=True))

    return run


def _reference(path: Path) -> Run:
    import onnx
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(path)
    evaluator = ReferenceEvaluator(model)
    names = [value.name for value in model.graph.output]
    return lambda feed: dict(zip(names, map(np.asarray, evaluator.run(None, dict(feed))), strict=True))


def _openvino(path: Path) -> Run:
    import openvino

    core = openvino.Core()
    core.set_property("CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    model = core.read_model(path)
    names = _output_names(path)
    compiled = core.compile_model(model, "CPU")
    taken = {name for value in compiled.inputs for name in value.names}  # what nothing reads is not among them

    def run(feed: Mapping[str, Any]) -> Arrays:
        found = compiled({name: array for name, array in feed.items() if name in taken})
        return dict(zip(names, (np.array(found[value]) for value in compiled.outputs), strict=True))

    return run


def _tract(path: Path) -> Run:
    import tract

    tract.onnx().load(str(path))  # what it does not read is refused before a run
    names = _output_names(path)

    def run(feed: Mapping[str, Any]) -> Arrays:
        model = tract.onnx().load(str(path))
        given = [np.asarray(feed[model.input_name(i)], order="C") for i in range(model.input_count())]
        for i, array in enumerate(given):  # it wants to know the sizes
            model.set_input_fact(i, ",".join([*map(str, array.shape), _tract_type(array.dtype)]))
        try:
            runnable = model.into_model().into_runnable()
        except tract.TractError as error:
            raise NotTaken(str(error)) from None
        found = runnable.run(given)
        return dict(zip(names, map(as_array, found), strict=True))

    def as_array(value: Any) -> Any:
        try:
            return value.to_numpy()
        except tract.TractError:  # a size has a type of tract's own
            return value.convert_to(tract.DatumType.I64).to_numpy()

    return run


def _tract_type(dtype: np.dtype[Any]) -> str:
    """An element type in tract's words."""
    return dtype.name if dtype.kind == "b" else f"{dtype.name[0]}{8 * dtype.itemsize}"


def _output_names(path: Path) -> Sequence[str]:
    import onnx

    return [value.name for value in onnx.load(path, load_external_data=False).graph.output]


def _web(path: Path) -> Run:
    from graph_program.verification.web import run_in_node

    return lambda feed: run_in_node(path, feed)


def _webgpu(path: Path) -> Run:
    from graph_program.verification.webgpu import run_in_browser

    return lambda feed: run_in_browser(path, feed)


def _many_in_node(questions: Sequence[tuple[Path, Sequence[Mapping[str, Any]]]]) -> list[dict[str, Any]]:
    from graph_program.verification.web import answers_of

    return answers_of(questions)


def _many_in_browser(questions: Sequence[tuple[Path, Sequence[Mapping[str, Any]]]]) -> list[dict[str, Any]]:
    from graph_program.verification.webgpu import answers_of

    return answers_of(questions)


def _package(name: str) -> Callable[[], str]:
    """What is missing of a Python package, if anything."""
    return lambda: "" if importlib.util.find_spec(name) is not None else f"it is not installed: pip install {name}"


def _node() -> str:
    """What is missing of onnxruntime-web under Node, if anything."""
    node = shutil.which("node")
    if node is None:
        return "there is no node"
    command = [node, "-e", f"require.resolve('{WEB}')"]
    found = subprocess.run(command, capture_output=True, check=False, env=os.environ).returncode == 0
    return "" if found else f"node does not find it: npm install {WEB}, and NODE_PATH names its folder"


def _browser() -> str:
    """What is missing of onnxruntime-web in a browser, if anything."""
    from graph_program.verification.webgpu import BROWSERS, browser

    return _node() or ("" if browser() else f"there is none of {', '.join(BROWSERS)}")


def _device() -> str:
    """What is missing of onnxruntime on a GPU, if anything."""
    missing = _package("onnxruntime")()
    if missing:
        return missing
    import onnxruntime

    if CUDA_PROVIDER not in onnxruntime.get_available_providers():
        return f"onnxruntime has no {CUDA_PROVIDER}: pip install onnxruntime-gpu, where there is a GPU"
    import onnx

    model = onnx.parser.parse_model(SMALL).SerializeToString()
    command = [sys.executable, "-c", STARTS, CUDA_PROVIDER]
    starts = subprocess.run(command, input=model, capture_output=True, check=False).returncode == 0
    return "" if starts else f"onnxruntime does not start its {CUDA_PROVIDER}: a GPU, or a library of CUDA, is missing"


def _web_version() -> str:
    from graph_program.verification.web import package

    return package()[1]


@dataclass(frozen=True)
class Runtime:
    """Something that runs ONNX files.

    Attributes
    ----------
    name : str
    load : callable
        Loads a file, and gives what runs it.
    missing : callable
        What it needs that is not there; empty where nothing is missing.
    module : str
        The Python package whose version is told.
    portable : bool
        Whether programs are given to it in their portable form.
    closed : bool
        Whether it is not known to have the operators of onnxruntime that were not probed.
    by_default : bool
        Whether it is asked where nobody says which.
    precision : float
        The distance from 1 to the next number of what it computes floats in; 0 for those that the file says.
    floats : str
        The type of floats that it takes with all operators.
    many : callable, optional
        Runs many models at once, for what takes long to begin.
    told : callable, optional
        Tells the version, for what is no Python package.
    alone : callable, optional
        The same as `load` where nothing is left to another one, for a runtime in which the CPU does the rest.
    """

    name: str
    load: Callable[[Path], Run]
    missing: Callable[[], str]
    module: str = ""
    portable: bool = False
    closed: bool = False
    precision: float = 0.0
    by_default: bool = True
    floats: str = "float64"
    many: Answers | None = None
    told: Callable[[], str] | None = None
    alone: Callable[[Path], Run] | None = None

    @property
    def version(self) -> str:
        """That of the installed package; empty where it has none."""
        if self.told is not None:
            return self.told()
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version(self.module) if self.module else ""
        except PackageNotFoundError:
            return ""


RUNTIMES: Mapping[str, Runtime] = {
    runtime.name: runtime
    for runtime in (
        Runtime("onnxruntime", _onnxruntime, _package("onnxruntime"), "onnxruntime"),
        Runtime(WEB, _web, _node, many=_many_in_node, told=_web_version),
        Runtime("openvino", _openvino, _package("openvino"), "openvino", portable=True, closed=True, precision=SINGLE),
        Runtime("tract", _tract, _package("tract"), "tract", portable=True, closed=True),
        Runtime(
            WEBGPU,
            _webgpu,
            _browser,
            closed=True,
            by_default=False,
            floats="float32",
            many=_many_in_browser,
            told=_web_version,
        ),
        Runtime(CUDA, _cuda, _device, "onnxruntime-gpu", by_default=False, alone=_cuda_alone),
        Runtime("reference", _reference, _package("onnx"), "onnx", portable=True, by_default=False),
    )
}
"""By name; `reference` is the evaluator that comes with onnx, in which nobody ships."""


def named_runtimes(given: str | Iterable[str]) -> tuple[str, ...]:
    """The names that were given; a text is one name."""
    return (given,) if isinstance(given, str) else tuple(given)


def chosen(names: Sequence[str]) -> list[Runtime]:
    """The runtimes of some names, or those that are asked by default."""
    return [RUNTIMES[name] for name in names] or [runtime for runtime in RUNTIMES.values() if runtime.by_default]


PLAIN = "plain"
"""What others are compared with where there is no Python."""
LOADERS: Mapping[str, Callable[[Path], Run]] = {
    PLAIN: plain,
    **{name: runtime.load for name, runtime in RUNTIMES.items()},
}

__all__ = ["LOADERS", "PLAIN", "RUNTIMES", "NotTaken", "Run", "Runtime", "chosen", "named_runtimes"]
