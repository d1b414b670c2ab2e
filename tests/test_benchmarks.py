"""The benchmarks' own parts: the table, interleaving, the generated programs; and that they run at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.benchmarks import extraction, measure  # noqa: E402


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
