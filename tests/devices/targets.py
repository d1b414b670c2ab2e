"""Processors that exported C is compiled for and run on here: the compiler, the emulator, and what is absent."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_program.backends.c.compiler import STANDARD, STRICT, compiler
from graph_program.samples.devices import Absent, tool

BOARD = Path(__file__).with_name("board")
CORTEX_M4 = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
SMALL = ("-Os", "-ffunction-sections", "-fdata-sections")
QUIET = ("-Wno-unused-command-line-argument",)
Command = tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """A processor.

    Attributes
    ----------
    name : str
    compiler : callable
        Gives its command, or raises `Absent`.
    run : callable
        Runs a file and gives what it prints, or raises `Absent` where the path is None and a tool is not there.
    has_heap : bool
    """

    name: str
    compiler: Callable[[], Command]
    run: Callable[[Path | None], str]
    has_heap: bool = True

    def absent(self) -> str:
        """What is not there to build and run programs; "" where all is."""
        try:
            self.compiler()
            self.run(None)
        except Absent as absent:
            return str(absent)
        return ""

    def built(self, sources: Sequence[Path], target: Path) -> Path:
        """The executable of some C files."""
        folders = [f"-I{folder}" for folder in sorted({str(source.parent) for source in sources})]
        command = [*self.compiler(), *STANDARD, *STRICT, *folders, *map(str, sources), "-o", str(target), "-lm"]
        _done(command)
        return target


def _done(command: Sequence[str], timeout: float = 300) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def here() -> Command:
    """The compiler for this machine."""
    found = compiler()
    if found is None:
        raise Absent("there is no C compiler")
    return (*found, "-O1")


def cross(triple: str, zig: str, *flags: str) -> Callable[[], Command]:
    """A compiler for another processor: the system's own, or Zig's, which first makes a C library (20 s)."""

    def found() -> Command:
        own = shutil.which(f"{triple}-gcc")
        if own is not None:
            return (own, "-static", "-O1", *flags)
        return (*_zig(f"{triple}-gcc"), "-target", zig, "-O1", *QUIET)

    return found


def _zig(other: str) -> Command:
    if importlib.util.find_spec("ziglang") is None:
        raise Absent(f"there is {f'no {other}, and ' if other else ''}no Zig (pip install ziglang)")
    return (sys.executable, "-m", "ziglang", "cc")


def wasm() -> Command:
    """Zig's compiler for wasm."""
    return (*_zig(""), "-target", "wasm32-wasi", "-O1", *QUIET)


def emulated(processor: str) -> Callable[[Path | None], str]:
    """Runs Linux programs of another processor."""

    def run(path: Path | None) -> str:
        command = tool("qemu-user-static", f"qemu-{processor}-static", f"qemu-{processor}")
        return _done([command, str(path)]) if path is not None else ""

    return run


def run_here(path: Path | None) -> str:
    """Runs a program on this machine."""
    return _done([str(path)]) if path is not None else ""


def run_wasm(path: Path | None) -> str:
    """Runs a program in wasmtime."""
    if importlib.util.find_spec("wasmtime") is None:
        raise Absent("there is no wasmtime (pip install wasmtime)")
    if path is None:
        return ""
    import wasmtime  # type: ignore[import-not-found,unused-ignore]

    engine = wasmtime.Engine()
    linker, store, out = wasmtime.Linker(engine), wasmtime.Store(engine), path.with_suffix(".out")
    linker.define_wasi()
    wasi = wasmtime.WasiConfig()
    wasi.stdout_file = str(out)
    store.set_wasi(wasi)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(path)))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as ended:
        if ended.code:
            raise AssertionError(f"{path} ends with {ended.code}") from None
    return out.read_text()


def board_compiler() -> Command:
    """The compiler for a Cortex-M4 without an operating system."""
    own = tool("gcc-arm-none-eabi and libnewlib-arm-none-eabi", "arm-none-eabi-gcc")
    flags = ("-nostartfiles", "-fno-builtin-printf", "-Wl,--gc-sections", "--specs=nosys.specs")
    linked = ("-T", str(BOARD / "board.ld"), "-include", str(BOARD / "board.h"), "-I", str(BOARD))
    return (own, *CORTEX_M4, *SMALL, *flags, *linked)


def run_board(path: Path | None) -> str:
    """Runs an image on an emulated board."""
    own = tool("qemu-system-arm", "qemu-system-arm")
    board = ["-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none"]
    hosted = ["-semihosting-config", "enable=on,target=native"]
    if path is None:
        return ""
    command = ["sh", "-c", 'exec "$@" 2>&1 </dev/null', "sh", own, *board, *hosted, "-kernel", str(path)]
    return _done(command, 60)


TARGETS = [
    Target("x86-64" if sys.maxsize > 2**32 else "here", here, run_here),
    Target("aarch64", cross("aarch64-linux-gnu", "aarch64-linux-musl"), emulated("aarch64")),
    Target("armv7", cross("arm-linux-gnueabihf", "arm-linux-musleabihf", "-march=armv7-a+fp"), emulated("arm")),
    Target("riscv64", cross("riscv64-linux-gnu", "riscv64-linux-musl"), emulated("riscv64")),
    Target("wasm32", wasm, run_wasm),
    Target("Cortex-M4", board_compiler, run_board, has_heap=False),
]
