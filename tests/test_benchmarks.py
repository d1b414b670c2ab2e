"""The benchmarks' own parts: the table, interleaving, the generated programs; and that they run at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.checker
import onnx.parser
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from graph_program import Float64, Tensor, graph_program  # noqa: E402
from tests.benchmarks import extraction, measure, npbench  # noqa: E402
from tests.benchmarks.graphs import compared  # noqa: E402
from tests.benchmarks.graphs.cases import BY_HAND, CASES, ENDING, Case  # noqa: E402
from tests.benchmarks.graphs.counts import Counts, counted  # noqa: E402
from tests.benchmarks.portable import collected, judged, kept  # noqa: E402
from tests.benchmarks.portable import compared as portable  # noqa: E402


def test_interleaved_takes_turns() -> None:
    calls: list[str] = []
    work = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    seconds = measure.interleaved(work, rounds=2, repeat=2)
    assert "".join(calls) == "aabbaabb"
    assert set(seconds) == {"a", "b"}


def test_missing_peer_is_said_to_be_missing() -> None:
    rows = measure.compared("t", ["ours", "theirs", "absent"], {"ours": 0.5, "theirs": 1.0}, "ms")
    assert [row.median for row in rows] == ["500 ms", "1000 ms", measure.MISSING]
    assert rows[1].ratio == "2"
    assert len({len(line) for line in measure.render(rows).splitlines()[:2]}) == 1


def test_generated_program_has_the_lines_it_says(tmp_path: Path) -> None:
    inlined = extraction.HEAD.split("def block")[1].split("@graph_program")[0].strip().splitlines()[1:]
    assert len(inlined) == extraction.LINES_OF_BLOCK
    assert callable(extraction.generated(tmp_path, 100))


@pytest.mark.parametrize("topic", ["overhead", "extraction", "solver"])
def test_benchmark_runs(topic: str) -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", topic]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "median" in done.stdout


def test_dims_known_by_each() -> None:
    from tests.benchmarks import models, shape_inference

    subject = shape_inference.subject("operations", models.operations)
    ours, total = shape_inference.counted(subject.known, subject.known)
    theirs = shape_inference._known(shape_inference.with_onnx(subject.model), subject.given)
    assert total > 50
    assert ours == total
    assert 0 < shape_inference.counted(theirs, subject.known)[0] < total


KERNEL = """import numpy as np


def row(x, k):
    return x[k] * 2.0


def kernel(n, x):
    for k in range(n):
        x[k] = row(x, k) + 1
    return x.sum()


def refused(n, x):
    return np.roots(x[0]) * x
"""
DATA = """import numpy as np


def initialize(n):
    return np.arange(3.0 * n).reshape(n, 3)
"""


def a_checkout(folder: Path, function: str) -> Path:
    """A folder that looks like a checkout of NPBench, with one kernel of ours."""
    (folder / "bench_info").mkdir(exist_ok=True)
    place = folder / "npbench" / "benchmarks" / "own"
    place.mkdir(parents=True, exist_ok=True)
    (place / "own_numpy.py").write_text(KERNEL, encoding="utf-8")
    (place / "own.py").write_text(DATA, encoding="utf-8")
    info = {
        "relative_path": "own",
        "module_name": "own",
        "func_name": function,
        "parameters": {"S": {"n": 4}},
        "init": {"func_name": "initialize", "input_args": ["n"], "output_args": ["x"]},
        "input_args": ["n", "x"],
    }
    text = json.dumps({"benchmark": info})
    (folder / "bench_info" / f"{function}.json").write_text(text, encoding="utf-8")
    return folder


def test_kernels_of_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    a_checkout(tmp_path, "kernel")
    assert npbench.kernels(a_checkout(tmp_path, "refused")) == ["kernel", "refused"]
    equal, refused = (npbench.measured(tmp_path, name, "onnxruntime", True) for name in ("kernel", "refused"))
    assert equal.verdict == "equal", equal
    assert equal.nodes > 0 and equal.ours > 0 and equal.numpy > 0
    assert refused.verdict == "refused" and refused.detail.startswith("GP"), refused
    assert npbench.measured(tmp_path, "kernel", "native", True, limit=0.01).verdict == "timeout"
    assert npbench.measured(tmp_path, "none", "onnxruntime", True).verdict == "failed"


def test_no_checkout_is_said(tmp_path: Path) -> None:
    assert "--path" in npbench.rows(True)[0].median
    with pytest.raises(FileNotFoundError, match="git clone"):
        npbench.kernels(tmp_path)


def test_kernels_are_compared_in_all_that_a_caller_sees() -> None:
    from tests.benchmarks.npbench_kernel import difference

    x = np.arange(3.0)
    assert not difference((x, 1, np.float32(2)), (x + 1e-12, 1, np.float32(2)))
    assert "float32" in difference(x, x.astype(np.float32))
    assert "instead of" in difference((x,), (x[:2],))
    assert "other values" in difference([x], [x + 1e-3])
    assert difference(np.float64(1), 1.0) and difference(1, 2) and difference((x,), (x, x))
    assert difference(np.arange(3), np.arange(3) + 1)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_models_by_hand_do_what_the_programs_do(case: Case) -> None:
    model = case.by_hand()
    onnx.checker.check_model(model, full_check=True)
    running = compared.session(model)
    assert len(set(case.sizes)) > 1
    for size in case.sizes:
        compared.check(case.name, running, case.program.python, case.arguments(size))
    found = counted(model)
    assert (found.branches, found.identities) == (0, 0) and found.depth <= 1


def test_every_model_by_hand_is_measured() -> None:
    assert {path.name.removesuffix(ENDING) for path in BY_HAND.iterdir()} == {case.name for case in CASES}


def test_other_results_are_found() -> None:
    case = next(case for case in CASES if case.name == "pid")
    arguments = case.arguments(4)
    running = compared.session(case.by_hand())
    with pytest.raises(AssertionError, match="pid"):
        compared.check("pid", running, lambda **given: case.program.python(**given) + 1e-3, arguments)
    with pytest.raises(AssertionError, match="pid"):
        compared.check("pid", running, lambda **given: case.program.python(**given).astype(np.float32), arguments)


COUNTED = """
<ir_version: 10, opset_import: ["": 20, "own": 1]>
counted (bool c, float x) => (float y, int64 error) <int64 none = {0}, int64 first = {1}, float zero = {0}>
{
  y, error = If (c) <
    then_branch = failed () => (float y1, int64 e1) { y1 = Identity (zero)  e1 = Identity (first) },
    else_branch = fine () => (float y2, int64 e2)
    {
      e2 = Identity (none)
      y2 = If (c) <
        then_branch = kept () => (float y3) { y3 = Identity (x) },
        else_branch = called () => (float y4) { y4 = own.deep (c, x) }
      >
    }
  >
}
<domain: "own", opset_import: ["": 20]>
deep (c, x) => (error)
{
  error = If (c) <
    then_branch = a () => (float e1) { e1 = Neg (x) },
    else_branch = b () => (float e2) { one = Constant <value_float = 1.0> ()  e2 = Add (x, one) }
  >
}
"""


def test_what_a_model_consists_of() -> None:
    model = onnx.parser.parse_model(COUNTED)
    assert counted(model) == Counts(10, depth=3, branches=3, identities=4, demanded=4, one_sided=2, errors=1)
    copied = COUNTED.replace("e2 = Add (x, one)", "sum = Add (x, one)  e2 = Identity (sum)")
    assert (counted(onnx.parser.parse_model(copied)).identities, counted(onnx.parser.parse_model(copied)).demanded) == (
        5,
        4,
    )
    failing = COUNTED.replace("e1 = Identity (first)", "e1 = Identity (none)")
    assert counted(onnx.parser.parse_model(failing)).errors == 0


def test_exported_errors_are_counted() -> None:
    @graph_program
    def checked(x: Float64[Tensor, "n"]) -> Any:
        return np.max(x)

    assert counted(checked.model()).errors == 1
    assert counted(checked.model(include_errors=False)).errors == 0


def test_graphs_benchmark_prints_both_tables() -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", "graphs", "--corpus"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ctc = next(line.split() for line in done.stdout.splitlines() if line.startswith("ctc"))
    assert ctc[-1] == "equal" and int(ctc[1]) >= int(ctc[3]) == 8
    assert "exported programs of the tests" in done.stdout and "If, in all" in done.stdout


def test_outputs_of_other_runtimes_are_compared_in_fewer_bits() -> None:
    wanted = {"result": np.array([1.0, np.nan]), "count": np.array(3), "error": np.array(0)}

    def told(changes: dict[str, Any], but: Any = ()) -> str:
        return judged.difference(wanted, wanted | changes, but)

    assert not told({"result": np.array([1.0001, np.nan]), "error": np.array([0])})
    assert not judged.difference(wanted, dict(reversed(wanted.items())))
    assert told({"result": np.array([1.0, 2.0])}).startswith("result: ")
    assert told({"count": np.array(4)}).startswith("count: ")
    assert not told({"count": np.array(4)}, {"count"})
    assert told({"error": np.array(1)}) == "error 0, not 1"
    assert not told({"error": np.array(1)}, {"error"})
    assert told({"other": np.array(1)}).startswith("outputs ")
    failed = {**wanted, "error": np.array(2)}
    assert not judged.difference(failed, {"result": np.zeros(0), "count": np.array(9), "error": np.array(2)})


def test_models_are_collected_and_judged(tmp_path: Path) -> None:
    folder = kept.collected_in(tmp_path, kept.FEW)
    found = portable.judged("onnxruntime", folder)
    assert {one.form for one in found} == {*collected.FORMS, "onnxruntime"}
    assert {one.verdict for one in found} == {"right"}
    told = next(folder.glob("*.verdicts")).read_text(encoding="utf-8").splitlines()
    assert len(told) == len(found)
    for file in folder.glob("*.plain"):
        file.unlink()
    assert portable.judged("onnxruntime", folder) == found  # what is written there is not tried again
    assert kept.all_in(tmp_path) == [folder]


def test_parts_of_the_tests_are_kept_apart(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the parts of --every 12 are 0 to 11"):
        kept.part_of_tests(12, 12)
    with pytest.raises(ValueError, match="there is nothing"):
        kept.all_in(tmp_path)
    for name in ("samples", "12-3", "12-4", "12-5.unfinished"):
        (tmp_path / name).mkdir()
    assert [folder.name for folder in kept.all_in(tmp_path)] == ["12-3", "12-4", "samples"]
    (tmp_path / "40-0").mkdir()
    with pytest.raises(ValueError, match="divided in several ways"):
        kept.all_in(tmp_path)


def test_models_that_end_or_stop_a_runtime_are_only_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "runtime.py"
    script.write_text(STOPPED, encoding="utf-8")
    monkeypatch.setattr(portable, "COMMAND", [sys.executable, str(script)])
    for name in ("a", "b", "c", "d"):
        for end in ("calls", "portable", "tract"):
            (tmp_path / f"{name}.{end}").touch()
    found = portable.judged("tract", tmp_path)
    assert [one.verdict for one in found if one.form == "tract"] == [
        "right",
        "ends the process",
        "takes too long",
        "right",
    ]


STOPPED = """
import json, sys
for line in sys.stdin:
    name, form = json.loads(line)
    verdict = "ends the process" if name in "bc" and form == "tract" else "right"
    print(json.dumps({"name": name, "form": form, "verdict": verdict, "why": ""}), flush=True)
    if verdict != "right":
        sys.exit("Timeout (0:01:00)!" if name == "c" else "aborted")
"""


def test_reasons_are_told_without_what_is_of_one_model() -> None:
    reason = "While validating node 'opset1::Add Add_12[0]:f64[?]': node.cpp:108: rank 3 of t.12_1"
    assert portable._words(reason) == portable._words(reason.replace("12", "345").replace("3 of", "4 of"))
