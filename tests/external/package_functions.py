"""Functions of installed packages of pure NumPy that one would want on a device, with arguments for them.

Each subject imports its package when it is made, so that a missing one is told apart from a failing one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A program, the arguments it is called with one after the other, and the objects whose fields it writes."""

    function: Callable[..., Any]
    calls: list[tuple[Any, ...]]
    state: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Subject:
    """A function of a package, the packages that are inlined for it, and how a fresh case of it is made."""

    name: str
    inline: tuple[str, ...]
    make: Callable[[], Case] = field(compare=False)


SUBJECTS: list[Subject] = []


def subject(name: str, *inline: str) -> Callable[[Callable[[], Case]], Callable[[], Case]]:
    """Enter a case in the list."""

    def register(make: Callable[[], Case]) -> Callable[[], Case]:
        SUBJECTS.append(Subject(name, inline or (name.split(".")[0],), make))
        return make

    return register


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Normally distributed numbers, the same at each call."""
    return np.random.default_rng(seed).normal(size=shape)


@subject("filterpy.kalman.KalmanFilter.predict, .update")
def kalman_filter() -> Case:
    from filterpy.kalman import KalmanFilter

    kf = KalmanFilter(dim_x=2, dim_z=1)
    kf.x, kf.F, kf.H = np.zeros((2, 1)), np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    kf.P, kf.R, kf.Q = np.eye(2) * 10.0, np.array([[0.5]]), np.eye(2) * 0.01

    def track(z: np.ndarray) -> np.ndarray:
        kf.predict()
        kf.update(z)
        return kf.x

    return Case(track, [(np.array([[z]]),) for z in (1.0, 1.2, 1.4)], (kf,))


@subject("filterpy.kalman.predict, update")
def kalman_functions() -> Case:
    from filterpy.kalman import predict, update

    def step(x: np.ndarray, P: np.ndarray, z: np.ndarray, F: np.ndarray, Q: np.ndarray, R: np.ndarray) -> Any:
        x, P = predict(x, P, F, Q)
        return update(x, P, z, R, np.array([[1.0, 0.0]]))

    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    x, z = numbers(2, 1), numbers(1, 1, seed=1)
    return Case(step, [(x, np.eye(2), z, F, np.eye(2) * 0.1, np.eye(1))])


@subject("filterpy.gh.GHFilter.update")
def gh_filter() -> Case:
    from filterpy.gh import GHFilter

    gh = GHFilter(x=0.0, dx=1.0, dt=0.5, g=0.6, h=0.2)

    def track(z: float) -> Any:
        return gh.update(z)

    return Case(track, [(1.0,), (1.9,), (3.2,)], (gh,))


@subject("filterpy.kalman.unscented_transform")
def unscented_transform() -> Case:
    from filterpy.kalman import unscented_transform as function

    weights = np.full(5, 0.2)
    return Case(function, [(numbers(5, 2), weights, weights), (numbers(5, 2, seed=1), weights, weights, np.eye(2))])


@subject("filterpy.stats.mahalanobis")
def mahalanobis() -> Case:
    from filterpy.stats import mahalanobis as function

    return Case(function, [(numbers(3), numbers(3, seed=1), np.diag([1.0, 2.0, 3.0])), (1.0, 2.5, 4.0)])


@subject("filterpy.common.Q_discrete_white_noise")
def discrete_white_noise() -> Case:
    from filterpy.common import Q_discrete_white_noise

    def noise(dt: float, var: float) -> np.ndarray:
        return Q_discrete_white_noise(dim=3, dt=dt, var=var)  # type: ignore[no-any-return]

    return Case(noise, [(0.1, 2.0), (1.0, 1.0)])


@subject("python_speech_features.sigproc.preemphasis")
def preemphasis() -> Case:
    from python_speech_features.sigproc import preemphasis as function

    return Case(function, [(numbers(400),), (numbers(32), 0.9)])


@subject("python_speech_features.delta")
def delta() -> Case:
    from python_speech_features import delta as function

    return Case(function, [(numbers(20, 13), 2), (numbers(7, 13), 2)])


@subject("python_speech_features.sigproc.framesig")
def framesig() -> Case:
    from python_speech_features.sigproc import framesig as function

    return Case(function, [(numbers(1000), 400, 160), (numbers(100), 400, 160)])


@subject("transforms3d.euler.euler2mat")
def euler2mat() -> Case:
    from transforms3d.euler import euler2mat as function

    return Case(function, [(0.1, -0.4, 1.2), (1.0, 0.0, 2.0, "rzyx")])


@subject("transforms3d.quaternions.rotate_vector")
def rotate_vector() -> Case:
    from transforms3d.quaternions import rotate_vector as function

    return Case(function, [(numbers(3), numbers(4, seed=1), False), (numbers(3), np.array([1.0, 0.0, 0.0, 0.0]))])


@subject("ahrs.filters.Madgwick.updateIMU")
def madgwick() -> Case:
    from ahrs.filters import Madgwick

    return Case(Madgwick().updateIMU, [imu_sample(seed) for seed in (0, 1)])


@subject("ahrs.filters.Mahony.updateIMU")
def mahony() -> Case:
    from ahrs.filters import Mahony

    orientation = Mahony()
    return Case(orientation.updateIMU, [imu_sample(seed) for seed in (0, 1)], (orientation,))


def imu_sample(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An orientation, and what a gyroscope and an accelerometer say."""
    q = numbers(4, seed=seed)
    return q / np.linalg.norm(q), numbers(3, seed=seed + 10), numbers(3, seed=seed + 20)


@subject("pymap3d.geodetic2ecef")
def geodetic2ecef() -> Case:
    from pymap3d import geodetic2ecef as function

    return Case(function, [(np.array([48.1, -33.9]), np.array([11.6, 18.4]), np.array([520.0, 10.0]))])


@subject("numpy_financial.pmt")
def pmt() -> Case:
    from numpy_financial import pmt as function

    return Case(function, [(0.075 / 12, 12 * 15, 200000.0), (np.array([0.0, 0.01]), 24, np.array([1e3, 2e3]))])


@subject("simple_pid.PID.__call__")
def pid() -> Case:
    from simple_pid import PID

    controller = PID(1.0, 0.1, 0.05, setpoint=1.0, sample_time=None, output_limits=(-2.0, 2.0))

    def control(measured: float) -> Any:
        return controller(measured, dt=0.1)

    return Case(control, [(0.0,), (0.4,), (0.9,)], ())


@subject("skimage.color.rgb2hsv")
def rgb2hsv() -> Case:
    from skimage.color import rgb2hsv as function

    image = np.random.default_rng(0).random((6, 5, 3))
    return Case(function, [(image,)])


@subject("scipy.signal.windows.general_hamming")
def general_hamming() -> Case:
    from scipy.signal.windows import general_hamming as function

    return Case(function, [(16, 0.54), (9, 0.6)])


# A second choice, made like the first: written down before any of them was tried.


@subject("filterpy.leastsq.LeastSquaresFilter.update")
def least_squares_filter() -> Case:
    from filterpy.leastsq import LeastSquaresFilter

    ls = LeastSquaresFilter(dt=0.5, order=1)

    def track(z: float) -> Any:
        ls.update(z)
        return ls.x

    return Case(track, [(1.0,), (1.9,), (3.2,)], (ls,))


@subject("filterpy.memory.FadingMemoryFilter.update")
def fading_memory_filter() -> Case:
    from filterpy.memory import FadingMemoryFilter

    fading = FadingMemoryFilter(x0=[0.0, 1.0], dt=0.5, order=1, beta=0.6)

    def track(z: float) -> Any:
        fading.update(z)
        return fading.x

    return Case(track, [(1.0,), (1.9,), (3.2,)], (fading,))


@subject("filterpy.gh.GHKFilter.update")
def ghk_filter() -> Case:
    from filterpy.gh import GHKFilter

    ghk = GHKFilter(x=0.0, dx=1.0, ddx=0.0, dt=0.5, g=0.6, h=0.2, k=0.1)

    def track(z: float) -> Any:
        return ghk.update(z)

    return Case(track, [(1.0,), (1.9,), (3.2,)], (ghk,))


@subject("filterpy.discrete_bayes.update")
def discrete_bayes() -> Case:
    from filterpy.discrete_bayes import update as function

    return Case(function, [(np.array([0.1, 0.4, 0.2]), np.array([0.5, 0.3, 0.2]))])


@subject("transforms3d.quaternions.qmult")
def quaternion_product() -> Case:
    from transforms3d.quaternions import qmult as function

    return Case(function, [(numbers(4), numbers(4, seed=1))])


@subject("transforms3d.quaternions.mat2quat")
def quaternion_of_matrix() -> Case:
    from transforms3d.quaternions import mat2quat as function

    return Case(function, [(np.eye(3),), (np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),)])


@subject("transforms3d.axangles.axangle2mat")
def matrix_of_angle() -> Case:
    from transforms3d.axangles import axangle2mat as function

    return Case(function, [(numbers(3), 0.7), (np.array([0.0, 0.0, 1.0]), 1.2, True)])


@subject("transforms3d.affines.compose")
def affine() -> Case:
    from transforms3d.affines import compose as function

    return Case(function, [(numbers(3), np.eye(3), np.array([1.0, 2.0, 0.5])), (numbers(3), np.eye(3), np.ones(3))])


@subject("pymap3d.geodetic2enu")
def geodetic2enu() -> Case:
    from pymap3d import geodetic2enu as function

    place = np.array([48.1, 48.3]), np.array([11.6, 11.4]), np.array([520.0, 10.0])
    return Case(function, [(*place, 48.2, 11.5, 500.0)])


@subject("pymap3d.ecef2geodetic")
def ecef2geodetic() -> Case:
    from pymap3d import ecef2geodetic as function

    return Case(function, [(np.array([4.18e6, 3.9e6]), np.array([8.6e5, 1.0e6]), np.array([4.72e6, -4.9e6]))])


@subject("numpy_financial.fv")
def future_value() -> Case:
    from numpy_financial import fv as function

    return Case(function, [(0.05 / 12, 120, -100.0, -100.0), (np.array([0.0, 0.01]), 24, -100.0, -100.0)])


@subject("numpy_financial.nper")
def number_of_periods() -> Case:
    from numpy_financial import nper as function

    return Case(function, [(0.07 / 12, -150.0, 8000.0), (np.array([0.0, 0.01]), -150.0, 8000.0)])


@subject("python_speech_features.lifter")
def lifter() -> Case:
    from python_speech_features import lifter as function

    return Case(function, [(numbers(20, 13),), (numbers(20, 13), 0)])


@subject("python_speech_features.get_filterbanks")
def filterbanks() -> Case:
    from python_speech_features import get_filterbanks

    def banks(rate: int) -> np.ndarray:
        return get_filterbanks(nfilt=8, nfft=64, samplerate=rate)  # type: ignore[no-any-return]

    return Case(banks, [(16000,), (8000,)])


@subject("skimage.color.rgb2gray")
def rgb2gray() -> Case:
    from skimage.color import rgb2gray as function

    return Case(function, [(np.random.default_rng(0).random((6, 5, 3)),)])


@subject("skimage.metrics.mean_squared_error")
def mean_squared_error() -> Case:
    from skimage.metrics import mean_squared_error as function

    rng = np.random.default_rng(0)
    return Case(function, [(rng.random((6, 5)), rng.random((6, 5)))])
