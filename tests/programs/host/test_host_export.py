"""Exported programs with host code: what they do without graph-program is what the programs do."""

from __future__ import annotations

import datetime
import importlib.util
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
import pytest

from graph_program import Float64, graph_program, host_function
from graph_program.cli import main
from tests.programs.host import test_host_segments
from tests.programs.host.steps import test_host_code, test_host_exceptions

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
FORMS = ["operators", "segments"]


def export(program: Any, folder: Path, form: str, args: Any = None, **options: Any) -> Path:
    """Export a program; the module to import."""
    if form == "segments":
        program.export(folder / "parts", args, host="segments", **options)
        return folder / "parts" / "host.py"
    program.export(folder / "one.onnx", args, host="operators", **options)
    return folder / "one_host.py"


def module_at(path: Path) -> ModuleType:
    for name in ("graph_program_runtime", "segment_driver"):
        sys.modules.pop(name, None)
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location(f"exported_{path.stem}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


PROGRAMS = [
    *((f, a, test_host_code.run) for f, a in test_host_code.PROGRAMS),
    *((f, a, test_host_segments.run) for f, a in test_host_segments.PROGRAMS),
    *((f, (k, np.ones(6)), test_host_exceptions.run) for f in test_host_exceptions.PROGRAMS for k in (0, 2)),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "args", "run"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_as_python(function: Any, args: tuple[Any, ...], run: Any, form: str, tmp_path: Path) -> None:
    path = export(graph_program(function), tmp_path, form, args)
    exported = module_at(path).load()
    expected = run(function, args)
    assert run(exported, args) == expected
    assert run(exported, args) == expected, "the second call"


class Spot(NamedTuple):
    """What a list of computed length is made of."""

    frame: int
    value: float


@host_function
def camera(n: int) -> Iterator[Float64[np.ndarray, "2"]]:
    """Frames."""
    for k in range(n):
        yield np.array([k, 0.5])


def spots(n: int) -> Any:
    """What is bright in each frame."""
    found = []
    for k, frame in enumerate(camera(n)):
        if frame[0] > frame[1]:
            found.append(Spot(k, float(frame[0])))
    return found


@pytest.mark.parametrize("form", FORMS)
def test_list_of_the_users_class(form: str, tmp_path: Path) -> None:
    """The class is imported from where the program had it, or given: whatever is made of it is made behind that."""
    path = export(graph_program(spots), tmp_path, form, (3,))
    assert module_at(path).load()(4) == spots(4) == [Spot(1, 1.0), Spot(2, 2.0), Spot(3, 3.0)]
    (spot, *_) = module_at(path).load(Spot=NamedTuple("Spot", [("frame", int), ("value", float)]))(2)
    assert not isinstance(spot, Spot)


HOST = """
    import numpy as np

    class Simulator:
        def __init__(self):
            self.n = 0

        def step(self, action):
            self.n += 1
            print("step", action)
            return np.array([action, self.n * 0.5]), 1.0, self.n >= 5, {}

    def make() -> Simulator:
        return Simulator()

    make.__graph_program_host__ = True
"""
PROGRAM = """
    import numpy as np
    from simulators import make
    from graph_program import Float64, Tensor, graph_program, to_device

    @graph_program(copies="ignore")
    def episode(w: Float64[Tensor, "2"], rounds: int = 9):
        env = make()
        obs = np.zeros(2)
        total = 0.0
        for _ in range(rounds):
            raw, reward, done, _ = env.step(float(w @ obs + 1.0))
            obs = to_device(raw, Float64[np.ndarray, "2"])
            total += reward
            if done:
                break
            if obs[0] > 4:
                raise ValueError(f"too fast: {obs[0]:.2f}")
        return {"total": total, "obs": obs}
"""
ALONE = """
    import sys
    sys.modules["graph_program"] = None
    if {form!r} == "segments":
        sys.modules["onnxruntime_extensions"] = None
    sys.path[:0] = [{folder!r}, {user!r}]
    import numpy as np
    import {name}
    episode = {name}.load()
    print(episode(np.array([0.5, 0.25])))
    print(episode(np.array([0.5, 0.25]), 2))
    try:
        episode(np.array([5.0, 1.0]), rounds=7)
    except ValueError as error:
        print(error)
"""
SHOWN = [
    *(f"step {x}" for x in (1.0, 1.625, 2.0625, 2.40625, 2.703125)),
    "{'total': 5.0, 'obs': array([2.703125, 2.5     ])}",
    "step 1.0",
    "step 1.625",
    "{'total': 2.0, 'obs': array([1.625, 1.   ])}",
    "step 1.0",
    "step 6.5",
    "too fast: 6.50",
]


@pytest.mark.parametrize("form", FORMS)
def test_without_graph_program(form: str, tmp_path: Path) -> None:
    (tmp_path / "simulators.py").write_text(textwrap.dedent(HOST))
    (tmp_path / "play.py").write_text(textwrap.dedent(PROGRAM))
    output = tmp_path / "out"
    output.mkdir()
    target = output / "parts" if form == "segments" else output / "play.onnx"
    command = ["export", f"{tmp_path / 'play.py'}:episode", "-o", str(target), "--host", form]
    sys.modules.pop("simulators", None)
    assert main(command) == 0
    folder, name = (target, "host") if form == "segments" else (output, "play_host")
    text = textwrap.dedent(ALONE).format(form=form, folder=str(folder), user=str(tmp_path), name=name)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == SHOWN


def test_standard_operators_and_manifest(tmp_path: Path) -> None:
    export(graph_program(test_host_code.read_in_a_loop), tmp_path, "segments", (np.arange(4.0),))
    manifest = json.loads((tmp_path / "parts" / "manifest.json").read_text())
    (step,) = manifest["steps"]
    assert step["text"] == "reading(...)"
    assert step["source"].startswith("test_host_code.py:") or "test_host_code.py:" in step["source"]
    assert step["send_types"] == [["int64", []]]
    assert step["tell_types"] == [["float64", []]]
    for segment in manifest["segments"]:
        path = tmp_path / "parts" / segment["model"]
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        assert [i.name for i in session.get_inputs()] == [name for name, _ in segment["inputs"]]
        assert len(session.get_outputs()) == 1 + len(segment["outputs"])


def test_objects_without_a_name_are_arguments(tmp_path: Path) -> None:
    @host_function
    def local(k: float) -> np.float64:
        return np.float64(k * 2)

    def program(x):
        return x + local(x[0])

    path = export(graph_program(program, copies="ignore"), tmp_path, "operators", (np.ones(2),))
    module = module_at(path)
    with pytest.raises(TypeError, match="local"):
        module.load()
    assert module.load(local=local)(np.ones(2)).tolist() == [3, 3]
    assert module.load(local=lambda k: np.float64(0.5))(np.ones(2)).tolist() == [1.5, 1.5]


def test_arguments_of_other_types_are_refused(tmp_path: Path) -> None:
    path = export(graph_program(test_host_code.read_in_a_loop), tmp_path, "operators", (np.arange(4.0),))
    with pytest.raises(TypeError, match="was exported for float64"):
        module_at(path).load()(np.arange(4))


def test_a_program_of_the_graph_alone_in_segments(tmp_path: Path) -> None:
    def program(x, i):
        y = np.zeros(len(x))
        y[:] = x
        if i > 2:
            raise ValueError(f"no {i}")
        x[0] = i
        return y[i], y

    original = graph_program(program)
    exported = module_at(export(original, tmp_path, "segments", (np.arange(3.0), 1))).load()
    for i in (0, 2, 3, -4):
        expected = test_host_segments.run(original, (np.arange(3.0), i))
        assert test_host_segments.run(exported, (np.arange(3.0), i)) == expected


def test_only_two_forms(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="host must be"):
        graph_program(test_host_code.timed).export(tmp_path / "x.onnx", (np.ones(2),), host="threads")


def test_lists_of_host_objects_and_names_of_modules(tmp_path: Path) -> None:
    """`datetime` is a class and a module here, and the result has a list of strings that the host has made."""

    @graph_program
    def program(x, n):
        start = datetime.datetime(2020, 1, 1)
        found = []
        for k in range(n):
            found.append((start + datetime.timedelta(days=k)).isoformat())
            x = x + k
        return x, found

    args = (np.ones(2), 2)
    for form in FORMS:
        exported = module_at(export(program, tmp_path, form, args)).load()
        value, found = exported(*args)
        assert value.tolist() == [2.0, 2.0] and found == ["2020-01-01T00:00:00", "2020-01-02T00:00:00"]


TOLD: list[str] = []


def tell(name: str) -> None:
    TOLD.append(name)


@pytest.mark.parametrize("form", FORMS)
def test_parameters_that_are_dicts_and_functions(form: str, tmp_path: Path) -> None:
    def scaled(x, settings, report):
        report(settings["name"])
        return x * settings["gain"]

    path = export(graph_program(scaled), tmp_path, form, (np.ones(2), {"gain": 2.0, "name": "a"}, tell))
    assert "import graph_program." not in path.read_text(encoding="utf-8")
    TOLD.clear()
    assert module_at(path).load()(np.arange(2.0), {"gain": 3.0, "name": "a"}, tell).tolist() == [0.0, 3.0]
    assert TOLD == ["a"]
