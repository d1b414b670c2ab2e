"""Models, files, texts, options; what importing costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import graph_program as package
from graph_program import ExportError, Float32, GraphProgramError, Tensor, graph_program, load
from graph_program.backends.onnxruntime.apart import ModelApart
from graph_program.backends.onnxruntime.session import Session
from graph_program.onnx_program.told import LoadError


@graph_program
def newton(a: Float32[Tensor, "n"]) -> Float32[Tensor, "n"]:
    x = a
    for _ in range(5):
        x = 0.5 * (x + a / x)
    return x


def make_open() -> Any:
    @graph_program
    def scale(x, k):
        return x * k

    return scale


def test_export(tmp_path: Path) -> None:
    path = tmp_path / "newton.onnx"
    path.write_text("old")
    newton.export(path)
    assert [p.name for p in tmp_path.iterdir()] == ["newton.onnx"]
    onnx.checker.check_model(str(path), full_check=True)
    a = np.array([1, 4, 9], np.float32)
    (result,) = onnxruntime.InferenceSession(path).run(None, {"a": a})
    assert np.allclose(result, newton(a))


def test_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ExportError) as error:
        newton.export(tmp_path / "missing" / "m.onnx")
    assert error.value.code == "GP501"
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        newton.export(tmp_path / "folder")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_types_of_a_model() -> None:
    scale = make_open()
    with pytest.raises(GraphProgramError) as error:
        scale.model()
    assert error.value.code == "GP502"
    assert scale.signature == "scale: (t [*s], t [*s]) -> t [*s]"
    for args in ((np.ones(3), 2.0), {"x": np.ones(3), "k": 2.0}):
        assert [i.name for i in scale.model(args).graph.input] == ["x", "k"]
    scale(np.ones(3, np.float32), 2.0)
    assert scale.model().graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT


def test_explain() -> None:
    text = newton.explain()
    for stage in ("source", "stage", "cfg", "ssa", "regions", "graph"):
        assert f"# {stage}\n" in text
    assert "loop(" in newton.explain("graph")
    with pytest.raises(ValueError, match="there is no stage 'nope'; the stages are source, "):
        newton.explain("nope")


def test_explain_says_what_was_decided() -> None:
    class Counter:
        count = 0

        @graph_program
        def step(self, x: np.ndarray) -> np.ndarray:
            self.count += 1
            return x * self.count

    counter = Counter()
    assert "# decisions" not in newton.explain()
    said = counter.step.explain(args=(np.ones(2),)).partition("# decisions\n\n")[2].splitlines()[0]
    assert said.startswith("self.count: an attribute that is state (otherwise GP335: ")
    assert f"{Path(__file__).name}:" in said


def test_signature_after_a_call() -> None:
    @graph_program
    def sorted_and_found(x: Any) -> Any:
        return np.sort(x), np.where(x > 0)[0]

    @graph_program
    def halves(x: Any, n: Any) -> Any:
        return x[:n], np.concatenate([x, x])

    assert sorted_and_found.signature == "sorted_and_found: t [*s] -> (t [*s], u [*r])"
    said = halves.signature
    sorted_and_found(np.ones(3, np.float32))
    halves(np.ones(3, np.float32), 2)
    assert sorted_and_found.signature == "sorted_and_found: float32 [x_0] -> (float32 [x_0], int64 [d1])"
    assert halves.signature == said == "halves: (t [a, *s], int) -> (t [b, *s], t [2*a, *s])"


def test_signature() -> None:
    assert newton.signature == "newton: float32 [n] -> float32 [n]"


def test_looks_like_the_function() -> None:
    assert newton.__name__ == "newton"
    assert str(inspect.signature(newton)) == str(inspect.signature(newton.python))
    assert newton.copies == []
    assert newton.host_source == ""


@pytest.mark.parametrize(
    "options, error",
    [
        ({"copies": "never"}, ValueError),
        ({"inline": "package"}, TypeError),
        ({"freeze": 1}, TypeError),
        ({"providers": "CPUExecutionProvider"}, TypeError),
        ({"threads": 0}, ValueError),
        ({"threads": 1.5}, TypeError),
    ],
)
def test_options_are_checked_at_decoration(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        graph_program(**options)


@pytest.mark.parametrize("target", [3, int, len, None.__class__])
def test_only_python_functions(target: Any) -> None:
    with pytest.raises(TypeError):
        graph_program(target)


def test_unknown_provider_is_refused() -> None:
    program = graph_program(lambda x: x + 1, providers=["NoSuchProvider"])
    with pytest.raises(GraphProgramError) as error:
        program(1.0)
    assert error.value.code == "GP602"


def test_providers_that_do_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """onnxruntime goes on without one: the CPU would do all of it, and nobody would know."""
    known = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this onnxruntime may start it")
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: known)
    plain = graph_program(lambda x: x + 1)
    plain.export(tmp_path / "m.onnx", (1.0,))
    with warnings.catch_warnings(action="ignore"):  # onnxruntime names those that it has
        with pytest.raises(GraphProgramError, match="does not start its execution provider 'CUDAExecutionProvider'"):
            graph_program(lambda x: x + 1, providers=known)(1.0)
        with pytest.raises(LoadError, match="does not start its execution provider 'CUDAExecutionProvider'"):
            load(tmp_path / "m.onnx", providers=known)


def test_products_on_cuda_are_of_float32(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a call, in a process beside it, and in a file, where nobody gives options of the provider."""
    given: list[Any] = []

    def session(*args: Any, providers: Any, **kwargs: Any) -> Any:
        given.append(providers)
        raise RuntimeError("there is no GPU")

    chosen = ["CUDAExecutionProvider", ("CUDAExecutionProvider", {"device_id": 1}), "CPUExecutionProvider"]
    path = tmp_path / "m.onnx"
    newton.export(path)
    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: chosen[::2])
    for made in (
        lambda: Session(path.read_bytes(), chosen),
        lambda: ModelApart(path.read_bytes(), (), tuple(chosen), 1).ready(),
        lambda: load(path, providers=chosen),
        lambda: load(path, providers=chosen, options=onnxruntime.SessionOptions()),
    ):
        with pytest.raises((GraphProgramError, RuntimeError, LoadError), match="there is no GPU"):
            made()
    assert len(given) == 7  # a session that is refused is tried once more, with less
    assert all(one == [("CUDAExecutionProvider", {"use_tf32": "0"}), *chosen[1:]] for one in given)


def test_threads_option() -> None:
    assert graph_program(lambda x: x + 1, threads=1)(1.0) == 2


def test_public_names() -> None:
    for name in package.__all__:
        value = getattr(package, name)
        if name in package._ERRORS.split() or name == "graph_program":
            assert value.__module__ == "graph_program", name
    assert package.to_host(3) == package.reveal(3) == package.to_device(3, float) == 3
    assert list(package.static_range(1, 4)) == [1, 2, 3]
    assert package.host_function(sync=True)(make_open).__graph_program_host__
    with pytest.raises(GraphProgramError) as error:
        package.load_onnx("m.onnx")
    assert error.value.code == "GP610"
    with pytest.raises(AttributeError):
        package.nothing  # noqa: B018


def test_decorating_imports_nothing_heavy() -> None:
    code = (
        "import sys; from graph_program import graph_program; graph_program(lambda x: x);"
        "print([m for m in ('numpy', 'libcst', 'onnx', 'onnxruntime', 'jaxtyping') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_sympy_is_there_for_who_uses_it() -> None:
    code = (
        "import sys; from tests.runtime.test_models import newton, np; newton(np.ones(2, np.float32)); newton.model();"
        "print('sympy.core' in sys.modules); import onnx_ir; print(onnx_ir.SymbolicDim('n') + 1);"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["False", "n + 1"]


# ---------------------------------------------------------------- what a file gives back


@dataclass
class Pair:
    x: Float32[Tensor, "m"]
    k: int = 2


WEIGHTS = np.arange(3.0)


@graph_program
def everything(x: Float32[Tensor, "n"], t: Float32[Tensor, "n"], pair: Pair) -> Any:
    x += 1
    pair.k = 5
    return t, pair, 3.5, "text", None, WEIGHTS, t * 2, x


@graph_program
def unchanged(x: Float32[Tensor, "n"]) -> Any:
    return x


@graph_program
def unnamed(t: Float32[Tensor, "n"]) -> Any:
    return t * 2


@graph_program
def checked(x: Float32[Tensor, "n"], i: int) -> Any:
    if i < 0:
        raise ValueError(f"{i} is negative, {x[0]}")
    return x, i


def run_file(model: onnx.ModelProto, **feed: Any) -> dict[str, Any]:
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feed), strict=True))


def test_results_that_need_no_graph_are_outputs_of_a_file() -> None:
    x = np.ones(2, np.float32)
    assert list(run_file(unchanged.model(), x=x)) == ["x_out"]
    assert list(run_file(unnamed.model(), t=x)) == ["result"]
    found = run_file(everything.model(), **{"x": x, "t": 3 * x, "pair.x": 4 * x, "pair.k": np.asarray(2)})
    expected = {"result.0": 3 * x, "result.1.k": 5, "result.1.x": 4 * x, "result.2": 3.5}
    expected |= {"result.5": WEIGHTS, "result.6": 6 * x, "x_out": 2 * x, "pair.k_out": 5}
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


def test_errors_of_a_file_have_their_arguments() -> None:
    found = run_file(checked.model(), x=np.ones(1, np.float32), i=np.asarray(-7))
    assert (found["error"], found["error_arg.0"], found["error_arg.2"]) == (2, -7, 1)
    found = run_file(checked.model(), x=np.ones(0, np.float32), i=np.asarray(-7))
    assert (found["error"], found["error_arg.0"], found["error_arg.1"]) == (1, 0, 0)


def test_a_file_does_not_print_and_that_is_said() -> None:
    @graph_program
    def tells(x: Float32[Tensor, "n"]) -> Any:
        print(x.shape[0])
        return x * 2

    with pytest.warns(UserWarning, match=r"print\(...\) runs on the host; the model does not have it"):
        model = tells.model()
    assert [o.name for o in model.graph.output] == ["result"]


def test_a_program_without_results_has_no_file() -> None:
    @graph_program
    def nothing(x: Float32[Tensor, "n"]) -> Any:
        return "text"

    with pytest.raises(GraphProgramError) as error:
        nothing.model()
    assert error.value.code == "GP503"


def test_export_through_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.onnx", tmp_path / "link.onnx"
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("no links here")
    newton.export(link)
    assert link.is_symlink()
    onnx.checker.check_model(str(target))


def test_options_that_are_no_sequences() -> None:
    with pytest.raises(TypeError, match="inline must be a sequence of package names"):
        graph_program(run_file, inline=3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="providers must be a sequence"):
        graph_program(run_file, providers=3)  # type: ignore[call-overload]


@graph_program
def returned_early(x: Float32[Tensor, "n"]):
    if x.shape[0] > 4:
        return x + 1
    return x * 2


def test_a_result_of_several_returns_has_a_name() -> None:
    assert returned_early.model().graph.output[0].name == "result"


def test_state_of_another_structure_is_told() -> None:
    class Recorder:
        def __init__(self) -> None:
            self.last: Any = None

        def record(self, value: float) -> None:
            self.last = value

    with pytest.warns(UserWarning, match=r"gives back the state 'self.last' but does not take it"):
        graph_program(Recorder().record).model((1.0,))


class Phases:
    def __init__(self) -> None:
        self.phase = "idle"

    @graph_program
    def step(self, x: float) -> Any:
        if self.phase == "idle" and x > 0.5:
            self.phase = "active"
        return self.phase


def test_state_that_is_a_text_is_told_with_what_to_keep_instead(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"'self\.phase\.case' but does not take it, .*keep a number in its place"):
        Phases().step.export(tmp_path / "m.onnx", (0.1,))
