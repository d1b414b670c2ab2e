"""`np.linalg` of matrices of known sizes in exported files, called with matrices that they were not exported with."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float32, Float64, Tensor, graph_program
from tests.loading.agreement import agree
from tests.loading.device import Device

RANDOM = np.random.default_rng(4)
TWO, THREE, FOUR = (RANDOM.normal(size=(n, n)) for n in (2, 3, 4))


@graph_program
def of_two(a: Float64[Tensor, "2 2"], b: Float64[Tensor, "2"]) -> Any:
    return np.linalg.inv(a), np.linalg.solve(a, b), np.linalg.det(a), np.linalg.slogdet(a)


@graph_program
def of_four(a: Float64[Tensor, "4 4"], b: Float64[Tensor, "4 2"]) -> Any:
    return np.linalg.solve(a, b), np.linalg.det(a)


@graph_program
def of_three(a: Float32[Tensor, "3 3"]) -> Any:
    return np.linalg.cholesky(a @ a.T), np.linalg.inv(a)


def test_two_by_two(device: Device) -> None:
    order = np.array([[0.0, 2.0], [3.0, 0.0]])
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    calls = [(a, np.array([1.0, -2.0])) for a in (TWO, TWO[::-1].copy(), order, singular, TWO * np.nan, TWO * 1e160)]
    outcomes = agree(device, of_two, calls)
    assert [outcome.error is not None for outcome in outcomes] == [False, False, False, True, False, False]


def test_four_by_four(device: Device) -> None:
    b = RANDOM.normal(size=(4, 2))
    orders = [np.eye(4)[RANDOM.permutation(4)] * 2.0 for _ in range(6)]
    agree(device, of_four, [(a, b) for a in (FOUR, *orders, *(order @ FOUR for order in orders), np.ones((4, 4)))])


def test_three_by_three_of_single_precision(device: Device) -> None:
    single = THREE.astype(np.float32)
    agree(device, of_three, [(single,), (single[::-1] * np.float32(3),), (np.zeros((3, 3), np.float32),)])
