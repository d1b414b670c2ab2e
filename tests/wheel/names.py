"""One expression for each name of NumPy that docs/operations.md lists, from the tables of `tests.numpy` or from here.

The expressions use the names of `tests.numpy.inputs`; results are compared to rounding, complex ones by their size.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from tests.numpy import program_tables, tables

MODULES: dict[str, Any] = {"np": np, "math": __import__("math")}
TABLES = (
    (tables.ANY, "f8"),
    (tables.REAL, "f8"),
    (tables.PLAIN, "f8"),
    (program_tables.ANY, "f8"),
    (program_tables.NUMBERS, "f8"),
    (program_tables.INTEGERS, "i8"),
    (program_tables.PLAIN, "f8"),
)
"""Where expressions stand, and the element type of their arguments."""
OWN = """
np.angle(y + 1j), np.asanyarray(x), np.asfortranarray(x), np.astype(x, np.float32)
np.bincount(np.abs(i[0]), minlength=9), np.bool(s), np.abs(np.complex128(s)), np.abs(np.complex64(s))
np.abs(np.conjugate(x * 1j)), np.copyto(x, y, where=b), np.empty((2, r)).shape, np.fill_diagonal(x, 2.0)
np.fromfunction(lambda k, l: k * s + l, (2, 3)), np.greater_equal(x, y), np.histogram(v, 3)
np.histogram_bin_edges(v, 4), np.int16(s), np.intersect1d(i, j), np.iscomplex(x * 1j), np.isin(i, j)
np.ix_(y > 0, [0, 1]), x.astype(np.longlong), np.abs(x).astype(np.ulonglong), np.may_share_memory(x, x)
np.shares_memory(y, y), np.ndarray((2, 3)).shape, [k for k in np.ndindex(2, 3)]
[float(e) * k[0] for k, e in np.ndenumerate(x)], [float(e) for e in np.nditer(y)], np.nextafter(x, s)
np.place(x, b, t), np.put(x, [0, 2], t), np.put_along_axis(x, i[:1] % 2, 0.0, 0), np.putmask(x, b, z)
np.real_if_close(x), np.row_stack((y, x)), np.setdiff1d(i, j), np.setxor1d(i, j), np.union1d(i, j), np.unique(i)
np.sort(np.unique_values(i)), np.spacing(x), np.subtract(x, y), np.tril_indices_from(x), np.triu_indices_from(x)
np.uint16(r), np.uint32(r), np.uint64(r), np.vectorize(lambda e: e * 2 if e > 0 else e)(x), np.triu_indices(r)
np.unpackbits(np.uint8([r, 7])), np.linalg.cholesky(q @ q.T + 99 * np.eye(len(q))), np.linalg.cond(q)
np.linalg.cross(t, p), np.linalg.det(q), np.linalg.diagonal(q), np.sort(np.abs(np.linalg.eig(q + 0j)[0]))
np.linalg.eigh(q + q.T)[0], np.linalg.eigvalsh(q + q.T), np.sort(np.abs(np.linalg.eigvals(q + 0j))), np.linalg.inv(q)
np.linalg.lstsq(x.T, y, rcond=None)[0], np.linalg.matmul(x, y), np.linalg.matrix_rank(x)
np.linalg.matrix_transpose(x), np.linalg.pinv(x), np.abs(np.linalg.qr(q)[1]), np.linalg.slogdet(q)
np.linalg.solve(q, q[0]), np.linalg.svd(c[:, 0, :2])[1], np.linalg.svdvals(x), np.linalg.tensordot(x, y, axes=1)
np.linalg.tensorinv(q, ind=1), np.linalg.tensorsolve(q, q[0]), np.abs(np.fft.fft(y)), np.abs(np.fft.fft2(c[:, 0, :2]))
np.abs(np.fft.fftn(c[:, 0, :2])), np.fft.fftfreq(r, s), np.fft.fftshift(x), np.fft.hfft(y), np.abs(np.fft.ifft(x))
np.abs(np.fft.ifft2(c[:, 0, :2])), np.abs(np.fft.ifftn(c[:, 0, :2])), np.fft.ifftshift(x), np.abs(np.fft.ihfft(y))
np.fft.irfft(y), np.fft.irfft2(c[:, 0, :2]), np.fft.irfftn(c[:, 0, :2]), np.abs(np.fft.rfft(x))
np.abs(np.fft.rfft2(c[:, 0, :2])), np.abs(np.fft.rfftn(c[:, 0, :2])), np.fft.rfftfreq(r, s), r.as_integer_ratio()
r.bit_count(), r.bit_length(), s.is_integer(), (i % 2).choose([x, z]), x.compress(b[:, 0], axis=0)
np.abs((x * 1j).conjugate()), x.put([0, 2], t), v.searchsorted(s), np.polyfit(t, p, 1), x.__array_namespace__().sum(x)
x.dtype, (x + 1).flags.c_contiguous, [float(e) for e in x.flat], (x + 2j).imag, x.itemsize, x.T, x.mT, x.nbytes
x.ndim, (x + 2j).real, x.shape, x.size, np.c_[x, z], x[np.index_exp[0, ::2]], np.mgrid[0:r, 0:2], np.ogrid[0:r, 0:2]
np.r_[y, 0, t], x[np.s_[1:, 0]], math.acos(s / 3), math.acosh(s), math.asin(s / 3), math.asinh(s), math.atan(s)
math.atan2(s, r), math.atanh(s / 3), math.cbrt(s), math.ceil(s), math.copysign(s, -1), math.cos(s), math.cosh(s)
math.degrees(s), math.dist(t, p), math.exp(s), math.exp2(s), math.expm1(s), math.fabs(-s), math.floor(s)
math.fmod(r, s), math.gcd(r, 6), math.hypot(s, r), math.isclose(s, r), math.isfinite(s), math.isinf(s), math.isnan(s)
math.isqrt(r), math.lcm(r, 4), math.log(s), math.log10(s), math.log1p(s), math.log2(s), math.modf(s), math.pow(s, r)
math.prod([s, r]), math.radians(s), math.remainder(r, s), math.sin(s), math.sinh(s), math.sqrt(s), math.tan(s)
math.tanh(s), math.trunc(s)
"""


def listed(page: Path) -> list[str]:
    """What the page lists of NumPy and `math`: functions, methods (`x.sum`), attributes, subscripted objects."""
    match = re.search(r"<!-- generated: numpy-names -->(.*?)<!-- end -->", page.read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None
    found = re.findall(r"`((?:np|math|x)\.[\w.]+)[`(\[]", match[1])
    return list(dict.fromkeys(found))


def is_known(name: str) -> bool:
    """Whether the NumPy and the Python that run this have it; some do not have what is newer."""
    return name.startswith("x.") or not isinstance(_meant(name), str)


def programs(names: list[str]) -> dict[str, tuple[str, str]]:
    """An expression and the element type of its arguments for each name that has one."""
    wanted = {_meant(name): name for name in names}
    found: dict[str, tuple[str, str]] = {}
    for expression, dtype in expressions():
        for used in _used(expression):
            name = wanted.get(_meant(used))
            if name is not None:
                found.setdefault(name, (expression, dtype))
    return found


def expressions() -> Iterator[tuple[str, str]]:
    """Every expression of the tables by itself: the shortest ones, made for one name each, first."""
    yield from ((part, "f8") for line in OWN.strip().splitlines() for part in _parts(line))
    for table, dtype in TABLES:
        yield from ((part, dtype) for rows in table.values() for row in rows for part in _parts(row))


def _parts(row: str) -> list[str]:
    body = ast.parse(row, mode="eval").body
    return [ast.unparse(e) for e in body.elts] if isinstance(body, ast.Tuple) else [row]


def _used(expression: str) -> Iterator[str]:
    """`np.linalg.inv`, `math.sin`, and `x.sum` for the attribute of any other value."""
    for node in ast.walk(ast.parse(expression, mode="eval")):
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            yield text if text.partition(".")[0] in MODULES else f"x.{node.attr}"


def _meant(name: str) -> Any:
    """The object of a name, as `np.abs` is `np.absolute`; methods are their names."""
    first, *rest = name.split(".")
    found = reduce(lambda owner, part: getattr(owner, part, None), rest, MODULES.get(first))
    return name if found is None or first == "x" else (id(found), "object")


__all__ = ["is_known", "listed", "programs"]
