"""A PID controller with limits, whose integral stands still while the output is limited."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program

SIZES = (50, 3)


@graph_program
def pid(
    measured: Float64[Tensor, "t"],
    setpoint: float,
    kp: float,
    ki: float,
    kd: float,
    dt: float,
    low: float,
    high: float,
) -> Any:
    """The output for each measurement."""
    outputs = np.zeros(len(measured))
    integral = 0.0
    previous = setpoint - measured[0]
    for t in range(len(measured)):
        error = setpoint - measured[t]
        summed = integral + error * dt
        output = kp * error + ki * summed + kd * (error - previous) / dt
        if output > high:
            output = high
        elif output < low:
            output = low
        else:
            integral = summed
        outputs[t] = output
        previous = error
    return outputs


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """A way to the setpoint that reaches both limits."""
    measured = 1 - np.exp(-np.arange(size) / 10) + 0.02 * rng.standard_normal(size)
    gains = {"setpoint": 1.0, "kp": 2.0, "ki": 0.5, "kd": 0.1, "dt": 0.1}
    return {"measured": measured, **gains, "low": -0.05, "high": 1.0}
