"""What is on the disk after an export, and after one that fails."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest

from graph_program import ExportError, Float32, Tensor, graph_program, to_host
from graph_program.exports import files
from graph_program.extract.diagnostics import UNKNOWN


@graph_program
def doubled(x: Float32[Tensor, "n"]) -> Any:
    return x * 2


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(path: Any) -> str:
    with pytest.raises(ExportError) as error:
        doubled.export(path)
    assert error.value.code == "GP501"
    return error.value.diagnostic.message


posix = pytest.mark.skipif(os.name != "posix", reason="no FIFOs, links or limits as these here")


@pytest.mark.parametrize("name", ["p.h", "p.tflite", "p.onnx.gz"])
def test_a_file_of_another_format(name: str, tmp_path: Path) -> None:
    assert "there is no export to" in refused(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_of_segments_may_have_any_name(tmp_path: Path) -> None:
    @graph_program(copies="ignore")
    def shown(x: Float32[Tensor, "n"]) -> Any:
        print(to_host(x).sum())
        return x * 2

    shown.export(tmp_path / "shown.v2", host="segments")
    assert (tmp_path / "shown.v2").is_dir()


@posix
def test_only_files_are_replaced(tmp_path: Path) -> None:
    places = {"FIFO": tmp_path / "fifo", "socket": tmp_path / "socket", "directory": tmp_path / "folder"}
    os.mkfifo(places["FIFO"])
    places["directory"].mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)  # the names of sockets must be short
        server.bind("socket")
        os.chdir(here)
        kinds = {path.name: stat.S_IFMT(path.stat().st_mode) for path in tmp_path.iterdir()}
        for kind, path in places.items():
            assert kind in refused(path)
            link = tmp_path / "link"
            link.symlink_to(path)
            assert kind in refused(link)
            link.unlink()
        assert "device" in refused("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert {path.name: stat.S_IFMT(path.stat().st_mode) for path in tmp_path.iterdir()} == kinds


@posix
@pytest.mark.parametrize("path", ["", "folder/", "a\0b", "missing/m.onnx", "loop"])
def test_paths_that_are_none(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    refused(path)
    assert [p.name for p in tmp_path.iterdir()] == ["loop"]


@posix
def test_what_is_replaced_keeps_its_permissions_and_links(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    target, link = tmp_path / "sub" / "target.onnx", tmp_path / "link.onnx"
    link.symlink_to(target)
    doubled.export(link)
    fresh = tmp_path / "fresh"
    fresh.touch()
    assert link.is_symlink() and target.stat().st_mode == fresh.stat().st_mode
    target.chmod(0o640)
    doubled.export(link)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [p.name for p in (tmp_path / "sub").iterdir()] == ["target.onnx"]
    onnx.checker.check_model(str(target))


WITHOUT_ROOM = """
import os, resource, sys
import numpy as np
from graph_program import ExportError
from tests.runtime.test_exported_files import doubled
doubled.export(sys.argv[3], (np.ones(2, np.float32),))  # all modules are read
if hasattr(os, "setuid") and os.getuid() == 0 and sys.argv[2] == "permission":
    os.setuid(65534)
if sys.argv[2] == "room":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    doubled.export(sys.argv[1])
except ExportError as error:
    print(error.code, error.diagnostic.message)
"""


@posix
@pytest.mark.parametrize("lack, text", [("room", "File too large"), ("permission", "Permission denied")])
def test_without_room_or_permission(lack: str, text: str, tmp_path: Path, tmp_path_factory: Any) -> None:
    first = str(tmp_path_factory.mktemp("other") / "m.onnx")
    (tmp_path / "m.onnx").write_text("old")
    if lack == "permission":
        tmp_path.chmod(0o555)
    command = [sys.executable, "-c", WITHOUT_ROOM, str(tmp_path / "m.onnx"), lack, first]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    finally:
        tmp_path.chmod(0o755)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("GP501 ") and text in done.stdout
    assert contents(tmp_path) == {"m.onnx": b"old"}


def test_several_files_are_replaced_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(tmp_path / name) for name in ("new", "data", "model")]
    for path in paths[1:]:
        Path(path).write_text("old")
    before, replace = contents(tmp_path), os.replace

    def failing(source: Any, target: Any) -> None:
        if Path(target).name == "model":
            raise OSError(28, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", failing)
        with pytest.raises(ExportError, match=r"cannot write .*model': No space left"):
            files.write_files(dict.fromkeys(paths, b"abc"), UNKNOWN)
    assert contents(tmp_path) == before
    files.write_files(dict.fromkeys(paths, b"abc"), UNKNOWN)
    assert contents(tmp_path) == dict.fromkeys(("new", "data", "model"), b"abc")


def test_a_folder_is_made_for_files_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "some" / "parts"
    with pytest.raises(ExportError):
        files.write_files({str(folder / "a\0b"): b""}, UNKNOWN, str(folder))
    assert not contents(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match="cannot write"):
        files.write_files({}, UNKNOWN, str(tmp_path / "file"))
    files.write_files({str(folder / "a"): b"1"}, UNKNOWN, str(folder))
    assert contents(folder) == {"a": b"1"}
