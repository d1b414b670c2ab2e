"""The rows: one function or method each, as expressions over the names of `inputs`.

`ANY` rows are tried with every element type, `REAL` rows with floats and one integer type, `PLAIN`
rows with float64 only.  `REFUSED` rows have no graph form, or are wrong whatever the values: each
names the code of its diagnostic.
"""

from __future__ import annotations

import re


def rows(text: str) -> dict[str, list[str]]:
    """Expressions by the function they are about, from one expression per line."""
    table: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, expression = re.split(r"\s*\|\s*", line, maxsplit=1)
        table.setdefault(name, []).append(expression)
    return table


ANY = rows("""
sum | np.sum(x), np.sum(x, 0), np.sum(x, axis=-1), np.sum(c, axis=(0, 2)), np.sum(x, axis=()), x.sum()
sum | np.sum(x, keepdims=True), x.sum(1, keepdims=True), np.sum(x, dtype=np.float64), np.sum(a), np.sum([1, 2])
sum | np.sum(x, initial=3), np.max(x, initial=2.5), np.sum(x, where=b), np.sum(x, 0, where=b, initial=2)
prod | np.prod(y), np.prod(x, 0), x.prod(axis=1, keepdims=True), np.prod(y, dtype=np.float64)
mean | np.mean(x), np.mean(x, 0), x.mean(axis=1, keepdims=True), np.mean(c, (0, 1)), x.mean(dtype=np.float64)
mean | np.mean(x, where=b)
var | np.var(x), np.var(x, 0), x.var(axis=1, ddof=1), np.var(x, keepdims=True), np.var(c, axis=(0, 2))
std | np.std(x), np.std(x, 0), x.std(axis=1, ddof=1), np.std(x, correction=1)
max | np.max(x), np.max(x, 0), x.max(axis=1, keepdims=True), np.amax(c, axis=(0, 2)), np.max(x, initial=2)
min | np.min(x), np.min(x, 0), x.min(axis=1, keepdims=True), np.amin(c, axis=(0, 2)), np.min(x, 0, initial=2)
any | np.any(x), np.any(x, 0), x.any(axis=1, keepdims=True), np.any(x, where=b)
all | np.all(x), np.all(x, 0), x.all(axis=1, keepdims=True), np.all(x, axis=(0, 1))
argmax | np.argmax(x), np.argmax(x, 0), x.argmax(axis=1), np.argmax(x, axis=1, keepdims=True), x.argmax()
argmin | np.argmin(x), np.argmin(x, 0), x.argmin(axis=-1), np.argmin(x, keepdims=True)
cumsum | np.cumsum(x), np.cumsum(x, 0), x.cumsum(axis=1), np.cumsum(y, dtype=np.float64)
cumprod | np.cumprod(y), np.cumprod(x, 0), x.cumprod(axis=1)
count_nonzero | np.count_nonzero(x), np.count_nonzero(x, axis=0), np.count_nonzero(x, axis=1, keepdims=True)
sort | np.sort(x), np.sort(x, axis=0), np.sort(x, axis=None), np.sort(y)
argsort | np.argsort(y, kind="stable"), np.argsort(x, axis=0, stable=True), x.argsort(axis=None, kind="stable")
partition | np.partition(y, 1)[1], np.partition(x, 0, axis=0)[0], np.partition(x, (0, -1), axis=None)[-1]
partition | y[np.argpartition(y, -1)[-1]], np.take_along_axis(x, x.argpartition(0, axis=0), 0)[0]
where | np.where(b, x, z), np.where(x > 1, x, 1), np.where(b, x, 0), np.where(b, 1, x), np.where(x, y, z)
maximum | np.maximum(x, z), np.maximum(x, 2), np.maximum(y, x)
minimum | np.minimum(x, z), np.minimum(x, 2), np.fmin(x, z), np.fmax(x, z)
compare | np.equal(x, z), np.not_equal(x, 1), np.less(x, z), np.less_equal(x, y), np.greater(x, 1)
logical | np.logical_and(x, b), np.logical_or(x, z), np.logical_xor(x, b), np.logical_not(x)
add | np.add(x, z), np.add(x, 1), np.add(x, y, dtype=np.float64), x + i, x + s, x * b
multiply | np.multiply(x, z), np.multiply(x, 2), np.multiply.outer(y, t)
divide | np.divide(x, 2), np.true_divide(x, s), x / z.sum()
square | np.square(x), x * x
reduce | np.add.reduce(x), np.multiply.reduce(y), np.maximum.reduce(x, axis=1), np.logical_or.reduce(x, 0)
reduce | np.add.reduce(x, axis=None), np.minimum.reduce(x, 1, keepdims=True), np.add.accumulate(y)
reshape | np.reshape(x, -1), x.reshape(-1, 2), x.reshape((2, -1)), np.reshape(c, (2, -1)), y.reshape(1, -1, 1)
ravel | np.ravel(x), x.ravel(), x.flatten(), c.T.ravel(), x.ravel("F"), np.reshape(c, (-1, 2), order="F")
ravel | np.ravel([[1, 2], [3, 4]])
transpose | x.T, np.transpose(c), c.transpose(1, 0, 2), c.transpose((2, 0, 1)), np.transpose(c, (0, 2, 1)), c.mT
axes | np.swapaxes(c, 0, 2), c.swapaxes(-1, 1), np.moveaxis(c, 0, -1), np.moveaxis(c, (0, 1), (1, 2))
axes | np.rollaxis(c, 2), np.matrix_transpose(c), np.permute_dims(x, (1, 0))
expand_dims | np.expand_dims(x, 0), np.expand_dims(x, (0, -1)), x[None], x[:, None]
squeeze | np.squeeze(x[None], 0), x[:, None].squeeze(axis=1), x[None, :, None].squeeze((0, 2))
atleast | np.atleast_1d(x), np.atleast_1d(a), np.atleast_2d(y), np.atleast_3d(y), np.atleast_3d(x)
atleast | np.atleast_2d(a)
broadcast | np.broadcast_to(y, x.shape), np.broadcast_to(y, (2, 3, y.size)), np.broadcast_arrays(x, y)
concatenate | np.concatenate([x, z]), np.concatenate((x, z), axis=1), np.concatenate([x, z], axis=None)
concatenate | np.concatenate([x, i]), np.concatenate([x, b], axis=-1), np.concatenate([x, z], dtype=np.float64)
stack | np.stack([x, z]), np.stack([x, z], axis=-1), np.stack((y, y), 1), np.vstack([x, y]), np.hstack([x, z])
stack | np.hstack([y, y]), np.dstack([x, z]), np.column_stack([y, y]), np.column_stack([x, z])
stack | np.append(x, z, 0)
stack | np.append(x, y), np.block([[x, z], [z, x]]), np.block([y, y])
tile | np.tile(y, 3), np.tile(x, (2, 1)), np.tile(x, 2), np.tile(y, (2, 2)), np.tile(x, (2, 1, 2))
tile | np.tile(x, r)
repeat | np.repeat(x, 2), np.repeat(x, 2, axis=0), y.repeat(3), x.repeat(2, axis=-1), np.repeat(y, r)
repeat | np.repeat(t, [1, 0, 2]), np.repeat(x, 0, axis=1)
roll | np.roll(x, 1), np.roll(x, 1, axis=0), np.roll(x, -2, axis=1), np.roll(y, r), np.roll(x, (1, 2), (0, 1))
roll | np.roll(y, 9)
flip | np.flip(x), np.flip(x, 0), np.fliplr(x), np.flipud(x), np.flip(c, (0, 2)), np.rot90(x), np.rot90(x, 2)
flip | np.rot90(x, -1)
pad | np.pad(x, 1), np.pad(x, (1, 2)), np.pad(x, ((1, 0), (0, 2))), np.pad(y, 2, constant_values=1)
pad | np.pad(y, (0, 2)), np.pad(x, 1, "maximum"), np.pad(x, ((0, 2), (1, 0)), "minimum", stat_length=2)
pad | np.pad(x, ((0, 1), (2, 0)), "edge"), np.pad(x, 1, mode="reflect"), np.pad(x, 2, mode="symmetric")
pad | np.pad(x, 3, mode="wrap"), np.pad(x, 3, mode="reflect"), np.pad(x, 1, constant_values=(0, 1))
take | np.take(x, j, axis=0), np.take(x, 1), x.take([0, 1], axis=1), np.take(x, [[0, 1], [1, 0]], axis=0)
take | np.take(y, [7, -9], mode="wrap"), np.take(y, [7, -9], mode="clip")
take | np.take_along_axis(x, np.argsort(x, 1), 1)
diag | np.diag(y), np.diag(y, 1), np.diag(y, -2), np.diag(q), np.diag(x, 1), np.diagonal(x), x.diagonal(-1)
diag | np.diagflat(y)
diag | np.diagonal(c, axis1=1, axis2=2), np.diagonal(c, 1, 0, 2)
trace | np.trace(q), np.trace(x, 1), q.trace(), np.trace(c, axis1=1, axis2=2), np.linalg.trace(q)
triangle | np.tril(x), np.triu(x), np.tril(x, 1), np.triu(c, -1), np.tril(q, -1), np.triu(y)
like | np.zeros_like(x), np.ones_like(x), np.full_like(x, 1), np.zeros_like(x, dtype=np.float32)
like | np.ones_like(x, shape=(2,))
like | np.empty_like(x, shape=(0, 3)), np.full_like(x, x.max())
astype | x.astype(np.float64), x.astype(bool), x.astype("f4"), x.astype(float, copy=False)
astype | x.sum().astype(np.float32)
copy | x.copy(), np.copy(x), np.array(x), np.asarray(x), np.array(x, dtype=np.float64), np.ascontiguousarray(x)
copy | np.array(x, ndmin=4)
array | np.array([x, z]), np.array([y[0], y[1]]), np.array([[y[0], y[1]], [y[1], y[0]]]), np.array([x[0, 0], 1])
array | np.asarray([y, y])
attributes | x.shape, x.ndim, x.size, x.itemsize, x.nbytes, len(x), x.real, x.imag, x.dtype.itemsize
attributes | np.shape(x), np.ndim(x), np.size(x), np.size(x, 0), np.real(x), np.imag(x), x.conj(), x.view()
item | x.item(0), x.item(1, 1), x[0, 0].item(), y.sum().item(), t.tolist()
ptp | np.ptp(x), np.ptp(x, 0), np.ptp(x, axis=1, keepdims=True)
array_equal | np.array_equal(x, z), np.array_equal(x, x), np.array_equal(x, y), np.array_equal(x, x[:1])
isclose | np.isclose(x, z), np.allclose(x, x), np.allclose(x, z), np.isclose(x, 1), np.isclose(a, x, rtol=0.1)
tests | np.isfinite(x), np.isnan(x), np.isinf(x), np.isreal(x), np.iscomplexobj(x), np.isrealobj(x)
tests | np.isscalar(x), np.isscalar(x.sum())
split | np.split(x, [1, 2]), np.array_split(y, 2), np.array_split(x, 3), np.split(c, 2), np.vsplit(x, [1])
split | np.hsplit(x, 2)
split | np.unstack(c), np.array_split(x, 2, axis=1), np.dsplit(c, [1])
select | np.select([x > 2, x > 0], [x, z], 0), np.select([b], [x])
clip | np.clip(x, 1, 2), x.clip(1, 2), np.clip(x, None, 2), np.clip(x, 1, None), np.clip(x, min=1, max=2)
clip | x.clip(max=1), np.clip(x, z, 2)
searchsorted | np.searchsorted(np.sort(y), x), np.searchsorted(np.sort(y), x, "right")
searchsorted | np.sort(y).searchsorted(y[0])
resize | np.resize(y, (2, 3)), np.resize(x, 7)
copies | np.hstack([x[:, :1], x]), np.vstack((y, y)), np.concatenate(c), np.stack(c, axis=1)
diff | np.diff(x), np.diff(x, axis=0), np.diff(y, 2), np.diff(x, n=0), np.diff(y, prepend=y[:1], append=y[:1])
diff | np.ediff1d(x)
outer | np.outer(y, t), np.outer(x, y)
kron | np.kron(y, t), np.kron(x, q), np.kron(y, x)
""")

REAL = rows("""
rounding | np.floor(x), np.ceil(x), np.trunc(x), np.rint(x), np.fix(x)
round | np.round(x), np.round(x, 1), np.around(x, 2), x.round(1), x.sum().round(), np.round(x, -1), np.round(s)
round | np.round(s, 1)
absolute | np.abs(x), np.absolute(x), np.fabs(x), abs(x), np.sign(x), np.negative(x), np.positive(x)
roots | np.sqrt(np.abs(x)), np.cbrt(x), np.reciprocal(x + 9), np.hypot(x, z)
exponentials | np.exp(x), np.exp2(x), np.expm1(x), np.log(np.abs(x) + 1), np.log2(np.abs(x) + 1)
exponentials | np.log1p(np.abs(x))
exponentials | np.log10(np.abs(x) + 1), np.logaddexp(x, z), np.logaddexp2(x, z)
trigonometry | np.sin(x), np.cos(x), np.tan(x / 9), np.arcsin(x / 90), np.arccos(x / 90), np.arctan(x)
trigonometry | np.arctan2(x, z)
hyperbolic | np.sinh(x / 4), np.cosh(x / 4), np.tanh(x), np.arcsinh(x), np.arccosh(np.abs(x) + 1)
hyperbolic | np.arctanh(x / 90)
degrees | np.deg2rad(x), np.radians(x), np.rad2deg(x), np.degrees(x)
heaviside | np.heaviside(x, 0.5), np.heaviside(x, z)
modulo | np.floor_divide(x, 2), np.remainder(x, 3), np.mod(x, -3), np.fmod(x, 3), np.divmod(x, 3), x // 3, x % 3
modulo | divmod(x, 2)
power | np.power(x, 2), np.float_power(np.abs(x), 1.5), x ** 2, np.power(np.abs(x) + 1, 0.5)
modf | np.modf(x), np.copysign(x, z), np.signbit(x * 1.0), np.ldexp(x * 1.0, i)
sinc | np.sinc(x)
nan_to_num | np.nan_to_num(x), np.nan_to_num(w), np.nan_to_num(w, nan=1.0)
nan_to_num | np.nan_to_num(w / 0, posinf=5, neginf=-5)
infinities | np.isposinf(x / 0), np.isneginf(x / 0)
matmul | q @ q, np.matmul(x, y), y @ y, np.matmul(c, x.T), x.T @ c.sum(0), np.matmul(t, p)
dot | np.dot(q, q), q.dot(q), np.dot(x, y), y.dot(y), np.dot(c, x.T), np.dot(x, 2)
dot | np.dot(c, c.transpose(0, 2, 1)), np.dot(3, y)
inner | np.inner(x, z), np.inner(y, y), np.inner(x, y), np.vdot(x, z), np.inner(c, x), np.vecdot(x, z)
inner | np.linalg.vecdot(x, z, axis=0)
tensordot | np.tensordot(x, z, axes=([0], [0])), np.tensordot(c, x, axes=([1, 2], [0, 1]))
tensordot | np.tensordot(x, z, 2), np.tensordot(y, t, 0), np.tensordot(c, y, 1)
einsum | np.einsum("ij,kj->ik", x, z), np.einsum("ij->ji", x), np.einsum("ij->", x), np.einsum("ii", q)
einsum | np.einsum("ii->i", q)
einsum | np.einsum("ij,j", x, y), np.einsum("...j,j->...", c, y), np.einsum("bij,ij->b", c, x)
einsum | np.einsum("i,j->ij", y, t), np.einsum("...ij->...ji", c)
cross | np.cross(t, p), np.cross(np.stack([t, p]), t), np.cross(np.stack([t, p], 1), p, axisa=0)
products | np.linalg.matrix_power(q, 3), np.linalg.matrix_power(q, 0), np.linalg.multi_dot([q, q, x])
products | np.linalg.outer(y, t)
norm | np.linalg.norm(x), np.linalg.norm(y), np.linalg.norm(x, axis=1), np.linalg.norm(x, axis=0, keepdims=True)
norm | np.linalg.norm(y, 1)
norm | np.linalg.norm(y, np.inf), np.linalg.norm(x, "fro"), np.linalg.norm(x, 1), np.linalg.norm(x, np.inf)
norm | np.linalg.norm(x, -1), np.linalg.norm(y, 3)
norm | np.linalg.norm(y, 0), np.linalg.norm(x, ord=2, axis=1), np.linalg.norm(c, axis=(0, 1))
norm | np.linalg.norm(x, keepdims=True), np.linalg.vector_norm(x), np.linalg.matrix_norm(c)
median | np.median(x), np.median(x, axis=0), np.median(x, axis=1, keepdims=True), np.median(y)
median | np.median(c, axis=(0, 1)), np.median(w), np.median(w, 0)
quantile | np.quantile(x, 0.3), np.quantile(x, [0.25, 0.5], axis=0), np.percentile(x, 75)
quantile | np.percentile(y, [10, 90]), np.quantile(x, 0.4, method="nearest"), np.percentile(y, 40, method="hazen")
average | np.average(x), np.average(x, axis=0), np.average(x, weights=np.abs(z) + 1)
average | np.average(x, axis=1, weights=np.abs(y) + 1), np.average(y, returned=True)
nan | np.nansum(w), np.nansum(w, 0), np.nanmean(w), np.nanmean(w, 0), np.nanmax(w), np.nanmin(w, 1)
nan | np.nancumsum(w), np.nancumsum(w, 0), np.nancumprod(w, axis=1), np.nancumsum(x, dtype=np.float64)
nan | np.nanmedian(w), np.nanmedian(w, 1), np.nanmedian(w, (0, 1), keepdims=True), np.nanmedian(x)
nan | np.nanquantile(w, 0.3), np.nanquantile(w, 0.6, axis=1), np.nanpercentile(w, 75, 0), np.nanquantile(x, 0.25)
nan | np.nanargmax(w), np.nanargmin(w), np.nanargmax(x, 0), np.nanargmin(x, axis=1, keepdims=True)
nan | np.nanprod(w), np.nanvar(w), np.nanstd(w, 0), np.nanmean(x), np.nanmax(x), np.nansum(x)
gradient | np.gradient(x), np.gradient(y, 2.0), np.gradient(x, axis=0)
trapezoid | np.trapezoid(y), np.trapezoid(x, axis=0), np.trapezoid(y, dx=0.5), np.trapezoid(v, v * 2)
interp | np.interp(x, v, v * 2), np.interp(0.3, v, v), np.interp(x, v, v, left=-1, right=1)
interp | np.interp(v, [0.0, 1.0], [5, 6])
convolve | np.convolve(x[0], z[1]), np.convolve(v, y, "same"), np.convolve(y, v, "valid"), np.convolve(y, v, "same")
convolve | np.convolve(y, t), np.convolve(t, p, "same"), np.convolve(t, p, "valid")
convolve | np.convolve(t, [1.0, 2.0], "same")
polyval | np.polyval([1, 2, 3], x), np.polyval(t, y), np.polyval([1.5], y)
cov | np.cov(x), np.cov(x, rowvar=False), np.cov(x, bias=True)
vander | np.vander(t), np.vander(t, 2), np.vander(y, 3, increasing=True)
digitize | np.digitize(x, [-1.0, 0.0, 2.0]), np.digitize(x, [2, 0], right=True)
""")

PLAIN = rows("""
zeros | np.zeros(3), np.zeros((2, 3)), np.zeros(x.shape), np.zeros((r, 2), dtype=np.int32), np.zeros(())
zeros | np.zeros([2, r], bool), np.zeros(x.shape[0])
ones | np.ones(3), np.ones((2, 3), np.float32), np.ones(x.shape[::-1]), np.ones(r)
full | np.full(3, 1.5), np.full((2, 3), 7), np.full(x.shape, s), np.full((2, 3), np.float32(1))
full | np.full(2, 3, dtype=np.int8), np.full((2, y.size), y)
arange | np.arange(5), np.arange(r), np.arange(1, r), np.arange(0, 10, r), np.arange(r, 0, -1)
arange | np.arange(x.shape[0]), np.arange(0, 1, 0.3), np.arange(s), np.arange(1, 9.5, s)
arange | np.arange(5, dtype=np.float32), np.arange(r, dtype=np.int32), np.arange(0.5, 4), np.arange(5, 0)
arange | np.arange(1, 9, 2, np.float32), np.arange(np.float32(3)), np.arange(np.int8(1), np.int8(r))
windows | np.lib.stride_tricks.sliding_window_view(x, (2, 2)), np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)
windows | np.lib.stride_tricks.sliding_window_view(c, (2, 1), axis=(2, 0))
arange | np.arange(stop=4), np.arange(0, s, 0.25, dtype=np.float32), np.arange(-r)
linspace | np.linspace(0, 1, 5), np.linspace(0, s, r), np.linspace(s, 2, x.shape[0])
linspace | np.linspace(0, 1, 5, endpoint=False), np.linspace(0, 10, 4, dtype=int), np.linspace(0, 1)
linspace | np.linspace(2, 3, 1)
linspace | np.linspace(y, 2, 3), np.linspace(y, y + 1, 3, axis=1), np.linspace(0, s, 4, retstep=True)
linspace | np.linspace(0, s, r - 2), np.linspace(np.float32(0), np.float32(1), 5), np.linspace(0, s, r - 3)
linspace | np.logspace(0, s, 4)
eye | np.eye(3), np.eye(x.shape[0]), np.eye(2, 4, 1), np.eye(r, k=-1, dtype=np.int32), np.identity(3)
eye | np.identity(r), np.tri(3), np.tri(2, 4, -1), np.tri(x.shape[0], dtype=bool)
meshgrid | np.meshgrid(y, t), np.meshgrid(y, t, indexing="ij"), np.meshgrid(y, t, sparse=True), np.meshgrid(y)
meshgrid | np.meshgrid(y, t, v, indexing="xy"), np.meshgrid(y, v)[0].sum()
indices | np.indices((2, 3)), np.indices(x.shape), np.indices((2, x.shape[1]), dtype=np.float32)
indices | np.indices((2, 3), sparse=True)
scalars | np.float32(s), np.int64(r), np.int32(s), np.float64(x[0, 0]), np.float32(x), np.bool_(r), np.uint8(r)
scalars | np.float16(s), np.int64(a), np.float32([1, 2]), np.int8(x[0, 0])
scalars | np.float32(s) * x, np.int64(r) + s, np.float32(r) / 3, np.float32(1) + s
scalars | np.abs(np.float32(s)).dtype == np.float32, np.float64(r).item(), np.bool_(s) & (r > 2)
scalar results | np.sin(s), np.sqrt(r), np.maximum(s, r), np.add(s, 1), np.floor(s), np.abs(r), np.power(r, 2)
scalar results | np.where(r > 2, s, 1), np.clip(s, 0, 1), np.exp(a), np.sum(s), np.mean(r), np.square(r)
scalar results | np.sign(s)
scalar results | np.minimum(r, 2), np.isnan(s), np.logical_not(r), np.ceil(a), a + 1, a.sum()
scalar results | np.reshape(a, (1,)), a.reshape(1, 1), np.ravel(s), np.stack([s, s]), np.array([s, r, 1])
scalar results | np.array([[s, 1], [2, r]]), np.array(s), np.asarray(r), np.prod([r, s])
scalar results | np.float32(s).sum(), np.float32(s).reshape(-1), np.float32(s).shape, np.float32(s).T
scalar results | np.float32(s).astype(int), np.max([s, r]), np.linalg.norm([s, r]), np.argmax([r, s])
scalar results | np.dot([s, 1], [1, r]), np.std([s, r, 1]), np.median([s, r]), np.round(np.float32(s), 1)
0-d | np.zeros(()) + a, a * 2, a[()], a[...], np.expand_dims(a, 0), np.squeeze(a), np.transpose(a), a.T
0-d | np.cumsum(a), np.argmax(a), np.sort(np.atleast_1d(a)), np.mean(a), a.item(), np.where(a > 1, a, 0)
0-d | np.concatenate([a[None], y]), np.copy(a), np.asarray(a)
0-d | np.repeat(a, 2, axis=0), a.repeat(3, -1), np.take(a, [0], axis=0), np.take(a, 0, -1), np.compress([True], a, 0)
broadcast_shapes | np.broadcast_shapes(x.shape, y.shape), np.broadcast_shapes((2, 1), (3,))
empty | np.sum(x[:0]), np.prod(x[:0]), np.sum(x[:0], 0), np.mean(x[:0], 0), np.any(x[:0]), np.all(x[:0])
empty | np.concatenate([x, x[:0]]), np.max(x[:0], axis=1), np.argsort(y[:0]), np.median(y[:0]), np.cumsum(y[:0])
empty | np.sort(y[:0]), np.dot(x[:, :0], x[:, :0].T), np.roll(y[:0], 1), np.std(y[:0])
dtypes | np.zeros(2, "float32"), np.zeros(2, x.dtype), np.zeros(2, np.dtype("i4")), x.astype("int8")
dtypes | x.astype(int), np.ones(2, "u1"), x.astype(x.dtype), np.asarray(x, np.float32)
dtypes | np.result_type(x, np.float32) == x.dtype, np.full(2, 1, "?")
nonzero | np.nonzero(x > 0), np.flatnonzero(b), np.argwhere(b), np.argwhere(s), np.where(b), b.nonzero()
nonzero | np.extract(b, x), np.compress(y > 0, x, axis=1), y[y > 0].sum()
bits | i & 3, i | 4, i ^ 1, ~i, i << 2, i >> 1, np.bitwise_and(i, 6), np.bitwise_or(i, 1), np.bitwise_xor(i, i)
bits | np.invert(b), np.left_shift(i, 1), np.right_shift(i, 1), np.bitwise_not(i)
methods of scalars | x.sum().item(), x.max().round(2), x.mean().clip(0, 1)
scalars as arrays | x.sum()[None], x.sum()[...], x.sum()[()], x.max()[None, None], x[0, 0][..., None]
scalars as arrays | x.mean()[None] + x
methods of scalars | x.sum().astype(np.float32).dtype == np.float32, x.argmax().item(), x.min().sum()
methods of scalars | x[0, 0].conj(), x[0].sum().ndim, x.sum().shape, x.sum().size
""")

REFUSED = {
    "np.sum(x, axis=2)": "GP303",
    "np.sum(x, axis=(0, 0))": "GP303",
    "np.sum(x, axis=i.sum())": "GP309",
    "np.concatenate([x, y])": "GP301",
    "np.stack([x, y])": "GP303",
    "np.transpose(x, (0, 0))": "GP303",
    "np.expand_dims(x, 5)": "GP303",
    "np.array([[1, 2], [3]])": "GP303",
    "np.zeros(3, dtype=np.clongdouble)": "GP322",
    "np.zeros(3, dtype=object)": "GP322",
    "x.astype(np.clongdouble)": "GP322",
    "x.astype(str)": "GP322",
    "x.astype(np.int64, casting='safe')": "GP302",
    "np.pad(x, 1, mode='mirror')": "GP303",
    "np.meshgrid(y, y, indexing='ab')": "GP303",
    "np.reshape(x, -1, order='K')": "GP303",
    "x.reshape(-1, -1)": "GP303",
    "np.swapaxes(x, 0, 2)": "GP303",
    "x.view(np.int64)": "GP321",
}
