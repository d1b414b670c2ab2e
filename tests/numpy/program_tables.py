"""The rows of NumPy's functions that are programs over arrays, as expressions over the names of `inputs`.

`ANY` rows are tried with every element type, `NUMBERS` rows with floats and one integer type, `INTEGERS` rows with
integers, `PLAIN` rows with float64 only.
"""

from __future__ import annotations

from tests.numpy.tables import rows

ANY = rows("""
delete | np.delete(y, 1), np.delete(x, -1, 0), np.delete(x, 1, axis=1), np.delete(x, 2), np.delete(y, [0, 1])
delete | np.delete(x, [0, -1], 1), np.delete(y, slice(None, None, 2)), np.delete(y, y > 1), np.delete(x, b[0], 1)
delete | np.delete(y, []), np.delete(x, j[:1], 0), np.delete(y, 9), np.delete(c, r - 2, axis=0), np.delete(x, 1, -1)
insert | np.insert(y, 1, 1), np.insert(x, -1, 1, 0), np.insert(x, 1, z[0, 0], axis=1), np.insert(y, [0, 1], y[:2])
insert | np.insert(x, [0, 1], 1, axis=1), np.insert(y, 1, t), np.insert(x, 1, z[:, 0], axis=1), np.insert(y, 12, 1)
insert | np.insert(x, [1], z[:, :2], axis=1), np.insert(y, slice(0, 2), 1), np.insert(y, y > 1, 0), np.insert(x, 2, 1)
trim | np.trim_zeros(y), np.trim_zeros(np.where(b, x, 0)), np.trim_zeros(y * (y > 1), "f"), np.trim_zeros(y * 0)
trim | np.trim_zeros(np.where(b, x, 0), "b", axis=1)
lexsort | np.lexsort((y, y > 1)), np.lexsort((x[0], y, y)), np.lexsort(x), np.lexsort((x, z), axis=0)
choose | np.choose(b, [x, z]), np.choose(i, (x, z, 1), mode="wrap"), np.choose(i, c, mode="clip")
choose | np.choose(i % 2, [y, 1])
choose | (i % 2).choose([x, z]), np.choose(1, [x, z])
cumulative | np.cumulative_sum(y), np.cumulative_sum(x, axis=1, include_initial=True), np.cumulative_prod(t)
cumulative | np.cumulative_sum(x, axis=0, dtype=np.float64), np.cumulative_prod(t, include_initial=True)
sort_complex | np.sort_complex(y), np.sort_complex(x)
unique | np.unique_all(x), np.unique_counts(y), np.unique_inverse(x)
array_equiv | np.array_equiv(x, x), np.array_equiv(x, y), np.array_equiv(x, t), np.array_equiv(x, x[:1])
chkfinite | np.asarray_chkfinite(x), np.asarray_chkfinite(y, dtype=np.float64)
apply | np.apply_along_axis(np.sum, 0, x), np.apply_along_axis(lambda v: v[:2] * 2, 1, x)
apply | np.apply_along_axis(np.cumsum, -1, c), np.apply_along_axis(lambda v: v.max() - s, 0, x)
apply | np.apply_along_axis(np.diff, 1, x, n=1), np.apply_along_axis(lambda v: np.outer(v, v), 1, x)
apply | np.apply_over_axes(np.sum, c, (0, 2)), np.apply_over_axes(np.cumsum, x, 0), np.apply_over_axes(np.max, c, [-1])
piecewise | np.piecewise(x, [x > 1], [1, 0]), np.piecewise(y, [y > 1, y > 2], [lambda v: v * 2, 1])
piecewise | np.piecewise(x, x > 1, [lambda v: v + v, lambda v: v]), np.piecewise(x, [b, ~b], [0, lambda v, k: v * k], 2)
piecewise | np.piecewise(x, [b], [1, 2, 3])
corrcoef | np.corrcoef(x), np.corrcoef(x, rowvar=False), np.corrcoef(y, y * y), np.corrcoef(x, z), np.corrcoef(y)
cov | np.cov(y, y + y), np.cov(x, z, rowvar=False), np.cov(x, fweights=np.abs(i[0])), np.cov(x, aweights=v[0] ** 2 + y)
triangle | np.tril_indices_from(x), np.triu_indices_from(q, 1), np.diag_indices_from(q), x[np.triu_indices_from(x)]
""")

NUMBERS = rows("""
polynomials | np.polyadd(y, t), np.polysub(t, y), np.polymul(y, t), np.polymul(t * 0, y), np.polyadd(1, t)
polynomials | np.polydiv(y, t), np.polydiv(t, y), np.polyder(y), np.polyder(t, 2), np.polyder(t, 5), np.polyder(t, 0)
polynomials | np.polyint(y), np.polyint(t, 2), np.polyint(t, 2, k=[1, 2]), np.polyint(t, k=3), np.polyder(t, -1)
polynomials | np.poly(t), np.poly([1, 2]), np.poly(y)
correlate | np.correlate(y, t), np.correlate(t, y, "same"), np.correlate(y, t, "full"), np.correlate(v, y, "same")
correlate | np.correlate(x[0], z[1], "same"), np.correlate(y[:0], t)
unwrap | np.unwrap(x), np.unwrap(y, period=4), np.unwrap(x, axis=0), np.unwrap(y, discont=4), np.unwrap(y, period=3)
i0 | np.i0(x), np.i0(s), np.i0(y * 4)
geomspace | np.geomspace(1, 1000, 4), np.geomspace(s, 9, num=5, endpoint=False), np.geomspace(t * t + 1, 7, 3)
geomspace | np.geomspace(s, 80), np.geomspace(1, 8, 4, dtype=int), np.geomspace(-s, -9, r), np.geomspace(0, 1)
linalg | np.linalg.cross(t, p), np.linalg.matmul(x, y), np.matvec(x, y), np.vecmat(x[:, 0], x), np.matvec(q, t)
histogram2d | np.histogram2d(v, v * v, 3), np.histogram2d(y, y * 2, (2, 3)), np.histogram2d(v, v, [-1, 0, 1, 2])
histogram2d | np.histogramdd((v, v * 2), bins=3, density=True), np.histogramdd(x[:, :2], 2, weights=np.abs(i[:, 0]))
histogram2d | np.histogram2d(v, v, bins=2, range=[[-1, 1], [0, 1]])
frexp | np.frexp(x), np.frexp(s), np.frexp(w / 0)
""")

INTEGERS = rows("""
gcd | np.gcd(x, z), np.gcd(y, 6), np.gcd(x, y), np.gcd(r, 6), np.lcm(x, z), np.lcm(y, 4), np.lcm(r, 4)
reduce | np.gcd.reduce(y), np.lcm.reduce(x % 5 + 1, axis=1), np.gcd.reduce(x, axis=None), np.subtract.reduce(x)
reduce | np.gcd.reduce(x, 2)
bits | np.bitwise_count(x), np.bitwise_count(r), np.packbits(x)
bits | np.packbits(x, axis=0), np.packbits(y, bitorder="little")
""")

PLAIN = rows("""
polyfit | np.polyfit(y, x.T, 1), np.polyfit(v, v ** 3, 1, w=v * v)
polyfit | np.polyfit(v, v ** 3, 2, full=True), np.polyfit(v, v ** 3, 1, cov=True)
polyfit | np.polyfit(y.astype(np.float32), t, 1), np.polyfit(x, y, 1)
windows | np.bartlett(5), np.hanning(r), np.hamming(r + 1), np.blackman(y.size), np.kaiser(r, 14), np.kaiser(7, s)
windows | np.bartlett(r), np.hanning(0), np.hamming(1), np.blackman(s * 4)
windows | np.kaiser(x.shape[0], 5.0), np.bartlett(r - 3)
indices | np.tril_indices(3), np.tril_indices(r, 1), np.triu_indices(r, -1, 5)
indices | np.diag_indices(r), np.diag_indices(3, 3)
indices | np.mask_indices(3, np.triu), np.mask_indices(r, np.tril, -1), np.mask_indices(r, lambda m, k: m * (m > k))
indices | np.ravel_multi_index((i[0] % 3, i[1] % 4), (3, 4)), np.ravel_multi_index((r, 2), (r + 1, 4))
indices | np.ravel_multi_index((i, 2), (3, 4), mode="wrap")
indices | np.ravel_multi_index((i, 2), (9, 4), mode="clip", order="F")
indices | np.ravel_multi_index((i, 2), (2, 4)), np.ravel_multi_index(i[:2] % 3, (3, 4))
unravel_index | np.unravel_index(i % 6, (2, 3)), np.unravel_index(j + 9, x.shape)
unravel_index | np.unravel_index(i[0] % 6, (2, 3), "F")
unravel_index | np.unravel_index([1, 2], 4), x[np.unravel_index(np.argsort(x, axis=None), x.shape)]
gradient | np.gradient(v, v ** 3 + v), np.gradient(x, np.arange(x.shape[0]), axis=0), np.gradient(y, s, edge_order=3)
gradient | np.gradient(v, 0.5, edge_order=2), np.gradient(v, np.arange(v.size), edge_order=2), np.gradient(y, v)
einsum | np.einsum(q, [0, 0])
einsum | np.einsum(x, [0, 1], y, [1]), np.einsum(x, [Ellipsis, 1], [Ellipsis]), np.einsum(x, [1, 0])
average | np.average(c, axis=(0, 1), weights=np.abs(c[:, :, 0])), np.average(c, (2, 0), np.abs(c[:, 0].T))
array_equal | np.array_equal(w, w, equal_nan=True), np.array_equal(w + 1j, w + 1j, equal_nan=True)
unpackbits | np.unpackbits(i.astype(np.uint8)), np.unpackbits(i.astype(np.uint8), axis=1, count=5)
unpackbits | np.unpackbits(i.astype(np.uint8), count=-3, bitorder="little")
unpackbits | np.unpackbits(i.astype(np.uint8), count=999)
""")
