"""What generated code is compiled with in process, besides options: BLAS and LAPACK, vectors, functions of vectors."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from functools import cache
from pathlib import Path

from graph_program.backends.c import lapack
from graph_program.backends.c.compiler import version
from graph_program.backends.c.folder import processor

PACKAGE = "scipy_openblas32"
"""The BLAS from PyPI, of which the functions have names of their own."""
RENAMED = tuple(f"-Dcblas_{kind}{name}=scipy_cblas_{kind}{name}" for kind in "sd" for name in ("gemm", "gemv", "syrk"))
RENAMED += tuple(f"-D{name}=scipy_{name}" for name in lapack.NAMES)
LINKED = ("-Wl,--no-as-needed",)
LARGE = 100_000
"""A file of more characters is optimized less: GCC 12 takes 14 s for 200,000 with -O3, 5 s with -O1."""
LESS = ("-O1",)
"""Loops that are marked become vectors with this, too."""


def flags(text: str) -> tuple[str, ...]:
    """Options for a file, by what it calls and how long it is."""
    found: tuple[str, ...] = LESS if len(text) > LARGE else ()
    found += ("-DGP_VECTORS", "-fopenmp-simd") if "GP_VECTORS" in text else ()
    found += _vector_functions() if "GP_VECTOR " in text else ()
    found += wide() if "GP_WIDE " in text else ()
    return found + (_blas() if "GP_USE_CBLAS" in text or any(name in text for name in lapack.NAMES) else ())


def has_vector_functions() -> bool:
    """Whether there are functions such as `exp` for vectors."""
    return bool(_vector_functions())


def has_lapack() -> bool:
    """Whether programs may leave linear algebra to a library."""
    return bool(_blas())


@cache
def _vector_functions() -> tuple[str, ...]:
    """Options for the functions of vectors of GNU's C library, of which GCC knows by an attribute."""
    name, number = platform.libc_ver()
    is_new = name == "glibc" and tuple(map(int, number.split(".")[:2])) >= (2, 35)
    if not is_new or platform.machine() != "x86_64" or "Free Software Foundation" not in version():
        return ()
    return ('-DGP_VECTOR=__attribute__((simd("notinbranch")))', *LINKED, "-lmvec")


@cache
def wide() -> tuple[str, ...]:
    """Options for functions of vectors of 512 bits, where the processor has these."""
    has_them = "avx512dq" in processor().split() and "avx512f" in processor().split()
    return ('-DGP_WIDE=__attribute__((target("avx512f,avx512dq")))',) if has_them and _vector_functions() else ()


@cache
def _blas() -> tuple[str, ...]:
    """Options for the BLAS, where there is one."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations or os.name == "nt" or sys.platform == "darwin":
        return ()
    folder = Path(next(iter(spec.submodule_search_locations)))
    library = folder / "lib" / "libscipy_openblas.so"
    if not library.exists() or not (folder / "include" / "cblas.h").exists():
        return ()
    return (
        "-DGP_USE_CBLAS",
        *RENAMED,
        f"-I{folder / 'include'}",
        *LINKED,
        str(library),
        f"-Wl,-rpath,{library.parent}",
    )


__all__ = ["flags", "has_lapack", "has_vector_functions", "wide"]
