"""Machine code that an earlier process has kept: used where nothing has changed that the program may read, else not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.backends.c.compiler import compiler
from graph_program.calls.kept_programs import keeping

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")

HELPERS = """
import numpy as np
from graph_program import graph_program

RATE = 3
def scaled(x):
    return x * RATE

@graph_program
def halved(x):
    return x * 0.5
"""
PROGRAMS = """
from __future__ import annotations
from dataclasses import dataclass
import numpy as np
import helpers
from helpers import halved, scaled
from graph_program import Float64, Tensor, graph_program

WEIGHTS = np.array([1.0, 2.0, 3.0])
FIXED = np.array([1.0, 2.0, 3.0])
FIXED.flags.writeable = False
LIMIT = 2.5
Row = Float64[Tensor, "n"]
TABLE = [1.0, 2.0]

class Settings:
    gain = 2.0

@dataclass
class Point:
    x: float
    y: float = 1.0
    def total(self):
        return self.x + self.y

def alone(x):
    total = 0.0
    for v in x:
        total += v if v > 1 else 0.5
    return total

def calling(x):
    return scaled(x) + 1

def of_module(x):
    return helpers.scaled(x) + helpers.RATE

def through_a_program(x):
    return halved(x)

def limited(x):
    return x[x < LIMIT]

def weighted(x):
    return (x * WEIGHTS).sum()

def weighted_by_constants(x):
    return (x * FIXED).sum()

def of_a_class(x):
    return x * Settings.gain

def with_a_point(x):
    return Point(x[0]).total()

def with_default(x, k=2.0):
    return x * k

def of_sizes(x, y: Float64[Tensor, "n"] = np.array([1.0, 2.0, 3.0])):
    return x + y

def made(k):
    def closed(x):
        return x + k
    return closed

closed = made(4.0)

def with_an_annotation(x):
    y: Row = x * 2
    return y

def failing(x):
    if x[0] > 100:
        raise ValueError(f"{x[0]} is too large")
    return x[0]

def in_place(x):
    x[0] += 1.0

def of_a_list(x):
    return x * TABLE[0]

def by_name(x):
    return x * getattr(Settings, "gain")

def importing(x):
    import helpers as other
    return other.scaled(x)

NAMES = ["alone", "calling", "of_module", "through_a_program", "limited", "weighted", "weighted_by_constants"]
NAMES += ["of_a_class", "with_a_point", "with_default", "of_sizes", "closed", "failing", "in_place"]
NAMES += ["with_an_annotation", "of_a_list", "by_name", "importing"]
"""
RUN = """
import json, sys
import numpy as np
import programs
from graph_program import graph_program

def outcome(call, name):
    x = np.array([1.0, 2.0, 3.0])
    result = call(x)
    return repr((result, x))

found = {}
for name in programs.NAMES:
    program = graph_program(getattr(programs, name), backend="native")
    own, python = outcome(program, name), outcome(program.python, name)
    found[name] = own, python, program._calls is not None
print(json.dumps(found))
"""
NEVER = {"of_a_list", "by_name", "importing"}
"""Of these is not known what they read."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the programs, and one for what is kept."""
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "programs.py").write_text(PROGRAMS)
    return tmp_path


def run(folder: Path, code: str) -> Any:
    """What a process of its own prints."""
    environment = os.environ | {"GRAPH_PROGRAM_CACHE": str(folder / "cache"), "PYTHONPATH": str(folder)}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "GRAPH_PROGRAM_BACKEND": "auto"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=folder)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)


def extracted(folder: Path) -> set[str]:
    """The programs that were extracted by a process; all give what Python gives."""
    found = run(folder, RUN)
    assert {name: own for name, (own, _, _) in found.items()} == {
        name: python for name, (_, python, _) in found.items()
    }
    return {name for name, (_, _, is_extracted) in found.items() if is_extracted}


def test_what_was_kept_is_used_while_nothing_that_is_read_has_changed(folder: Path) -> None:
    everything = extracted(folder)
    assert "alone" in everything and "failing" in everything
    assert extracted(folder) == NEVER

    edit(folder / "helpers.py", ("x * RATE", "x * RATE + 0"))
    assert extracted(folder) == NEVER | {"calling", "of_module"}
    edit(folder / "helpers.py", ("RATE = 3", "RATE = 4"))
    assert extracted(folder) == NEVER | {"calling", "of_module"}
    edit(folder / "helpers.py", ("x * 0.5", "x * 0.25"))
    edit(folder / "programs.py", ("LIMIT = 2.5", "LIMIT = 1.5"), ("gain = 2.0", "gain = 5.0"))
    assert extracted(folder) == NEVER | {"through_a_program", "limited", "of_a_class"}
    edit(folder / "programs.py", ("WEIGHTS = np.array([1.0", "WEIGHTS = np.array([7.0"), ("k=2.0", "k=3.0"))
    edit(folder / "programs.py", ("FIXED = np.array([1.0", "FIXED = np.array([7.0"), ("made(4.0)", "made(5.0)"))
    edit(folder / "programs.py", ("self.x + self.y", "self.x - self.y"), ('Row = Float64[Tensor, "n"]', "Row = None"))
    changed = {"with_an_annotation", "weighted", "weighted_by_constants", "with_default", "closed", "with_a_point"}
    assert extracted(folder) == NEVER | changed


def test_a_line_that_moves_is_a_change_as_errors_tell_it(folder: Path) -> None:
    extracted(folder)
    edit(folder / "programs.py", ("def failing", "\ndef failing"))
    found = extracted(folder)
    assert {"failing", "in_place"} < found and "alone" not in found


CALLS = """
import json
import numpy as np
import programs
from graph_program import GraphProgramError, graph_program

program = graph_program(getattr(programs, {name!r}), backend={backend!r})
x = np.array([1.0, 2.0, 3.0])
found = []
{code}
print(json.dumps(found))
"""


def told(folder: Path, name: str, code: str, backend: str = "native") -> Any:
    return run(folder, CALLS.format(name=name, backend=backend, code=code))


def test_errors_are_those_of_the_program(folder: Path) -> None:
    code = """
try: program(x), program(x * 200)
except ValueError as error:
    import traceback
    found = [str(error), traceback.extract_tb(error.__traceback__)[-1].line, program._calls is not None]
"""
    first = told(folder, "failing", code)
    assert first[0] == "200.0 is too large" and first[1].startswith("raise ValueError")
    assert told(folder, "failing", code) == first


def test_a_change_behind_the_first_call_is_seen(folder: Path) -> None:
    code = """
found.append(program(x).tolist())
programs.LIMIT = 1.5
found.append(program(x).tolist())
programs.LIMIT = 2.5
found.append(program(x).tolist())
"""
    for _ in range(2):
        assert told(folder, "limited", code) == [[1.0, 2.0], [1.0], [1.0, 2.0]]


def test_only_what_code_reads_is_looked_at_again(folder: Path) -> None:
    code = """
from graph_program.calls.kept_programs.reached import Reached
found = [Reached(f).unchanged() is None for f in (programs.with_an_annotation, programs.of_sizes, programs.limited)]
"""
    assert told(folder, "alone", code) == [True, True, False]


def test_other_arguments_are_another_signature_which_is_kept_too(folder: Path) -> None:
    code = "found = [program(x), program(x.astype(np.float32)).item(), program._calls is not None]"
    assert told(folder, "alone", "program(x)") == []
    assert told(folder, "alone", code)[-1] is True
    assert told(folder, "alone", code)[-1] is False


def test_a_builtin_with_another_meaning_is_a_change(folder: Path) -> None:
    edit(folder / "programs.py", ("total = 0.0", "total = abs(-1.0)"))
    replaced = "import builtins; builtins.abs = lambda x: x * 3"
    code = "found = [program(x), program._calls is not None]"
    assert told(folder, "alone", code)[0] == 6.5
    assert told(folder, "alone", code) == [6.5, False]
    assert told(folder, "alone", f"{replaced}; {code}") == [program_of_python(folder, replaced), True]


def program_of_python(folder: Path, before: str) -> Any:
    """What Python computes, behind something else."""
    return run(
        folder,
        f"import json, programs, numpy as np; {before}; print(json.dumps(programs.alone(np.array([1.0, 2.0, 3.0]))))",
    )


def test_sizes_that_do_not_fit_are_refused(folder: Path) -> None:
    code = """
program(x)
try: program(x[:2])
except GraphProgramError as error: found.append(error.code)
"""
    edit(folder / "programs.py", ("def of_sizes(x,", 'def of_sizes(x: Float64[Tensor, "n"],'))
    first = told(folder, "of_sizes", code)
    assert first == ["GP403"] and told(folder, "of_sizes", code) == first


def test_the_program_knows_of_calls_by_kept_code(folder: Path) -> None:
    code = """
program(x)
found = [str(program.extractions[0].reason), program.extractions[0].backend]
program.export("alone.onnx")
"""
    assert told(folder, "alone", code) == ["first call", "native"]
    assert told(folder, "alone", code) == ["extracted by an earlier process", "native"]


def test_what_auto_has_found_faster_is_kept(folder: Path) -> None:
    code = """
import time
big = np.arange(100_000.0)
for _ in range(1000):
    program(big)
    if program.extractions and program.extractions[-1].backend == "native": break
    time.sleep(0.02)
time.sleep(0.2)
"""
    assert told(folder, "alone", code, "auto") == []
    assert told(folder, "alone", "program(x); found.append(program._calls is None)", "auto") == [True]


@pytest.mark.parametrize("damaged", ["*.so", "*.json"])
def test_files_with_other_bytes_are_not_used(folder: Path, damaged: str) -> None:
    code = "found = [program(x), program._calls is not None]"
    first = told(folder, "alone", code)
    for path in (folder / "cache").glob(damaged):
        path.write_bytes(path.read_bytes()[:-1] + b" ")
    assert told(folder, "alone", code) == first
    assert told(folder, "alone", code) == [first[0], False]


def test_nothing_is_kept_in_a_folder_that_others_can_write_to(folder: Path) -> None:
    code = "found = [program._calls is not None, program(x), program._calls is not None]"
    told(folder, "alone", code)
    (folder / "cache").chmod(0o777)
    assert told(folder, "alone", code)[-1] is True


def test_a_blas_is_known_by_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the import system says of it has addresses, which are others in each process."""
    monkeypatch.setattr(keeping, "find_spec", lambda name: find_spec("numpy"))
    assert keeping._compiler()[-1] == np.__file__
