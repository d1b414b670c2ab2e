"""Exported C does on other processors what Python does, and on a Cortex-M4 without a heap, in a known stack."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graph_program.backends.c.compiler import STANDARD
from graph_program.samples.devices import Absent, tool
from tests.devices import build
from tests.devices.programs import PROGRAMS
from tests.devices.stack import bound, sizes
from tests.devices.targets import CORTEX_M4, SMALL, TARGETS, Target

BOARD = next(target for target in TARGETS if not target.has_heap)
STATUS = {"refused": 1}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return build.exported(tmp_path_factory.mktemp("devices"))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_same_results_as_python(target: Target, sources: list[Path], tmp_path: Path) -> None:
    if absent := target.absent():
        pytest.skip(f"{target.name}: {absent}")
    printed = build.on(target, sources, tmp_path)
    assert printed.keys() == PROGRAMS.keys()
    for name, program in PROGRAMS.items():
        assert bool(printed[name].error) == bool(STATUS.get(name, 0)), name
        if not printed[name].error:
            apart = build.difference(build.in_python(program), printed[name].lines)
            assert apart <= program.rounding, (name, apart)


def test_the_stack_is_bounded(sources: list[Path], tmp_path: Path) -> None:
    """What is computed from the compiler's numbers is kept to by the calls."""
    if absent := BOARD.absent():
        pytest.skip(f"{BOARD.name}: {absent}")
    printed = build.on(BOARD, sources, tmp_path)
    command = [tool("gcc-arm-none-eabi", "arm-none-eabi-gcc"), *CORTEX_M4, *SMALL, *STANDARD]
    for name in PROGRAMS:
        source = next(path for path in sources if path.stem == name)
        _, _, graph = sizes(command, source, tmp_path)
        function = build.function_of(source)
        assert 0 < printed[name].stack <= bound([graph], function), name


def test_nothing_takes_memory(sources: list[Path], tmp_path: Path) -> None:
    if absent := BOARD.absent():
        pytest.skip(f"{BOARD.name}: {absent}")
    build.on(BOARD, sources, tmp_path)
    command = [tool("binutils-arm-none-eabi", "arm-none-eabi-nm"), str(tmp_path / f"all-{BOARD.name}")]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "board_paint" in names and not any("alloc" in name or "sbrk" in name for name in names)


def test_what_is_absent_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "gcc-arm-none-eabi" in BOARD.absent()
    with pytest.raises(Absent, match="qemu-system-arm"):
        BOARD.run(None)
