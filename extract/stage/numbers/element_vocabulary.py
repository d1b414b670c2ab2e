"""Which of NumPy's functions are known to be right for complex numbers and for bfloat16; others are refused.

What a function is made of is right for complex numbers or refused, but a function may treat NaN, an order or the
conjugate in a way of its own.  NumPy does not count bfloat16 among the floats, and its functions make of that what they
happen to: some compute in float64, some raise, a few go wrong.  So each is tried against NumPy before it is named here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.numbers.bfloat16_operations import refused
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import contents_in
from graph_program.extract.stage.values.layouts import leaves
from graph_program.extract.stage.values.questions import are_known, is_known_as
from graph_program.extract.stage.values.values import Ref, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.bfloat16 import is_bfloat16, is_bfloat16_class
from graph_program.extract.types.tensors.tensor_type import COMPLEX128

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


BOTH = _names(
    """
    ml_dtypes.bfloat16 np.intc np.long np.uintc np.ulong
    T __array_namespace__ all allclose amax amin angle any append apply_along_axis arange argmax argmin
    argpartition argsort argwhere array array_equal array_equiv array_split asarray ascontiguousarray
    asfortranarray astype atleast_1d atleast_2d atleast_3d average base block broadcast_arrays broadcast_shapes
    broadcast_to cholesky choose clip column_stack compress concatenate cond conj conjugate convolve copy
    correlate count_nonzero cov cross cumprod cumsum delete det diag diagflat diagonal diff dot dsplit dstack
    dtype ediff1d eig eigh eigvals eigvalsh empty empty_like expand_dims extract eye fix flatnonzero flatten
    flip fliplr flipud fromfunction full full_like hsplit hstack identity imag indices inner insert intersect1d
    inv is_small isclose iscomplex iscomplexobj isin isneginf isposinf isreal isrealobj item itemsize ix_ kron
    linspace lstsq mT matmul matrix_rank matrix_transpose max mean meshgrid min moveaxis nan_to_num nbytes
    ndarray ndim nonzero norm np.absolute np.add np.arccos np.arccosh np.arcsin np.arcsinh np.arctan np.arctan2
    np.arctanh np.bitwise_and np.bitwise_count np.bitwise_or np.bitwise_xor np.bool np.cbrt np.ceil
    np.complex128 np.complex64 np.conjugate np.copysign np.copyto np.cos np.cosh np.deg2rad np.degrees np.divide
    np.divmod np.dtype np.equal np.exp np.exp2 np.expm1 np.fabs np.float16 np.float32 np.float64 np.float_power
    np.floor np.floor_divide np.fmax np.fmin np.fmod np.gcd np.greater np.greater_equal np.heaviside np.hypot
    np.int16 np.int32 np.int64 np.int8 np.invert np.isfinite np.isinf np.isnan np.lcm np.ldexp np.left_shift
    np.less np.less_equal np.log np.log10 np.log1p np.log2 np.logaddexp np.logaddexp2 np.logical_and
    np.logical_not np.logical_or np.logical_xor np.longlong np.maximum np.minimum np.modf np.multiply
    np.negative np.not_equal np.place np.positive np.power np.put np.put_along_axis np.putmask np.rad2deg
    np.radians np.reciprocal np.remainder np.right_shift np.rint np.sign np.signbit np.sin np.sinh np.sqrt
    np.square np.subtract np.tan np.tanh np.trunc np.uint16 np.uint32 np.uint64 np.uint8 np.ulonglong ones
    ones_like or_pivots or_solution or_triangle outer pad partition piecewise pinv prod ptp put qr ravel real
    repeat reshape resize result_type
    roll rollaxis rot90 round rows_at select setdiff1d setxor1d shape size slogdet solve sort split squeeze
    stack std sum svd svdvals swapaxes take take_along_axis tensordot tensorinv tensorsolve tile tolist trace
    transpose trapezoid tri tril trim_zeros triu union1d unique unstack vander var vdot view vsplit vstack where
    zeros zeros_like
    """
)
"""Right for complex numbers and for bfloat16."""
COMPLEX_NUMBERS = BOTH | _names(
    """
    apply_over_axes asarray_chkfinite cumulative_prod cumulative_sum einsum fft fft2 fftfreq fftn fftshift flat
    gradient hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn isscalar logspace matrix_norm
    matrix_power multi_dot np.frexp np.matvec np.ndenumerate np.ndindex np.nditer np.nextafter np.spacing
    np.vecmat polyadd polymul polysub polyval real_if_close rfft rfft2 rfftfreq rfftn sinc
    sort_complex unique_all unique_counts unique_inverse unique_values vecdot vector_norm
    """
)
BFLOAT16 = BOTH | _names(
    """
    corrcoef digitize fill_diagonal interp median nancumsum nanmean nanprod nanstd nansum nanvar
    np.lib.stride_tricks.sliding_window_view searchsorted
    """
)
INSTEAD = {
    "median": "the order of complex numbers has no meaning for it",
    "interp": "interpolate z.real and z.imag",
    "nansum": "use np.sum(z, where=~np.isnan(z))",
    "nanmean": "use np.mean(z, where=~np.isnan(z))",
}
"""What to write for complex numbers."""


@registry.require_right.given
def require(m: Machine, name: str, args: Iterable[Value]) -> None:
    """Refuse a function of NumPy for the element types that it is not known to be right for."""
    if name in BOTH:
        return
    given = list(args)
    if are_known(given):
        return
    if name not in COMPLEX_NUMBERS and any(dtype.kind == "c" for v in given for dtype in dtypes_in(m, v)):
        raise m.error(
            "GP565",
            f"{name}() of complex numbers has no graph form",
            cls=diagnostics.DTypeError,
            hint=INSTEAD.get(name, "write it with z.real, z.imag and abs(z)"),
        )
    if name not in BFLOAT16 and any(_is_bfloat16(m, v) for v in given):
        raise refused(m, f"{name}()")


def _is_bfloat16(m: Machine, value: Value) -> bool:
    """Whether an argument has bfloat16 elements, or names the type."""
    if is_known_as(value, type):
        return is_bfloat16_class(value.value)
    if is_known_as(value, np.dtype):
        return is_bfloat16(value.value)
    return any(is_bfloat16(dtype) for dtype in dtypes_in(m, value))


@generic
def dtypes_in(m: Machine, value: Value) -> Iterable[np.dtype[Any]]:
    """The element types of an argument: its own, or those of what a list or tuple holds."""
    return ()


dtypes_in.register(Tensor, lambda m, value: (value.type.dtype,))
dtypes_in.register(Static, lambda *_: (COMPLEX128,), holding=complex)


@dtypes_in.of(Static, holding=(np.ndarray, np.generic))
def _of_known(m: Machine, value: Static) -> Iterable[np.dtype[Any]]:
    return (value.value.dtype,)


@dtypes_in.of(Tuple, Ref)
def _of_sequence(m: Machine, value: Tuple | Ref) -> Iterable[np.dtype[Any]]:
    contents = contents_in({} if m.state is None else m.live.heap, value)
    if isinstance(contents, Growing):
        return [leaf.type.dtype for leaf in leaves(contents.layout)]
    return [dtype for v in contents or () for dtype in dtypes_in(m, v)]
