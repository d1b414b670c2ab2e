"""Promotion against NumPy's own results, joins, and the words of refusals."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.element_types import SUPPORTED
from graph_program.extract.types.tensors.promotion import (
    check_in_place,
    fits_in_place,
    join_types,
    mean_accumulator,
    mean_dtype,
    result_type,
    sum_dtype,
    ufunc_dtypes,
)
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_FLOAT, PY_INT, Kind, TensorType

DTYPES = sorted(SUPPORTED, key=str)
NUMBERS = {PY_BOOL: True, PY_INT: 1, PY_FLOAT: 1.0}
OPERANDS = [TensorType(d, (), Kind.NUMPY) for d in DTYPES] + list(NUMBERS)
F4, F8, I4 = np.dtype("f4"), np.dtype("f8"), np.dtype("i4")
N = symbol("n")


def example(t: TensorType) -> Any:
    return NUMBERS[t] if t.kind is Kind.PYTHON else t.dtype.type(1)


@pytest.mark.parametrize(
    "ufunc", [np.add, np.true_divide, np.power, np.bitwise_and, np.less, np.subtract, np.maximum, np.arctan2]
)
def test_ufuncs_promote_as_numpy_does(ufunc: np.ufunc) -> None:
    for a, b in itertools.product(OPERANDS, repeat=2):
        try:
            expected = ufunc(example(a), example(b)).dtype
        except TypeError as error:
            with pytest.raises(TypeRuleError) as caught:
                ufunc_dtypes(ufunc, [a, b])
            assert caught.value.kind == "dtype"
            assert str(error) == caught.value.message
        else:
            inputs, output = ufunc_dtypes(ufunc, [a, b])
            assert output == expected, (ufunc, a, b)
            assert len(inputs) == 2


def test_where_promotes_as_numpy_does() -> None:
    for a, b in itertools.product(OPERANDS, repeat=2):
        assert result_type([a, b]) == np.where(True, example(a), example(b)).dtype, (a, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reductions_accumulate_as_numpy_does(dtype: np.dtype[Any]) -> None:
    x = np.ones(3, dtype)
    assert sum_dtype(dtype) == np.sum(x).dtype == np.cumprod(x).dtype
    assert mean_dtype(dtype) == np.mean(x).dtype
    assert mean_dtype(dtype) == np.std(x).dtype or dtype.kind == "c"


def test_half_precision_means_add_in_single_precision() -> None:
    assert mean_accumulator(np.dtype("f2")) == F4
    assert mean_accumulator(F4) == F4


@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_in_place_stores_what_numpy_stores(target: np.dtype[Any]) -> None:
    for other in DTYPES:
        _, result = ufunc_dtypes(np.multiply, [TensorType(target), TensorType(other)])
        x = np.ones(2, target)
        try:
            x *= np.ones(2, other)
        except TypeError as error:
            assert not fits_in_place(result, target)
            with pytest.raises(TypeRuleError) as caught:
                check_in_place(np.multiply, result, target)
            assert caught.value.message == str(error)
        else:
            assert fits_in_place(result, target)


def scalar(dtype: np.dtype[Any]) -> TensorType:
    return TensorType(dtype, (), Kind.NUMPY)


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        (PY_INT, PY_INT, PY_INT),
        (PY_INT, PY_FLOAT, None),
        (PY_BOOL, PY_INT, None),
        (PY_INT, scalar(F4), scalar(F4)),
        (PY_FLOAT, scalar(F4), scalar(F4)),
        (PY_FLOAT, scalar(I4), None),
        (PY_BOOL, scalar(I4), None),
        (PY_BOOL, scalar(np.dtype(bool)), scalar(np.dtype(bool))),
        (PY_INT, scalar(np.dtype(bool)), None),
        (scalar(F4), scalar(F8), None),
        (scalar(F4), TensorType(F4), None),
        (PY_INT, TensorType(F4), None),
        (PY_INT, TensorType(F4, (N,)), None),
        (TensorType(F4, (N, dim(3))), TensorType(F4, (N, dim(4))), TensorType(F4, (N, symbol("?")))),
        (TensorType(F4, (N,)), TensorType(F8, (N,)), None),
        (TensorType(F4, (N,)), TensorType(F4, (N, N)), None),
    ],
)
def test_joins(a: TensorType, b: TensorType, joined: TensorType | None) -> None:
    assert join_types(a, b, lambda: symbol("?")) == joined
    assert join_types(b, a, lambda: symbol("?")) == joined
