"""A policy network that balances gymnasium's CartPole; the whole episode is one program, the simulator its host.

Run with `python samples/cartpole.py`; without gymnasium, a small simulator of the same cart stands in for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program, host_function, to_device, to_host

HIDDEN = 8


@dataclass
class Policy:
    """A network of one hidden layer, from what is seen of the cart to a score for each action."""

    hidden: Float32[Tensor, "8 4"]
    out: Float32[Tensor, "2 8"]


def random_policy(seed: int = 0) -> Policy:
    """A network that knows nothing yet."""
    rng = np.random.default_rng(seed)
    hidden, out = rng.normal(size=(HIDDEN, 4)), rng.normal(size=(2, HIDDEN))
    return Policy(hidden.astype(np.float32), out.astype(np.float32))


def action(policy: Policy, seen: Any) -> Any:
    """What the policy does: 0 pushes to the left, 1 to the right."""
    return np.argmax(policy.out @ np.tanh(policy.hidden @ seen))


@host_function
@cache
def simulator() -> Any:
    """gymnasium's CartPole, or the cart below."""
    try:
        import gymnasium
    except ImportError:
        return Cart()
    return gymnasium.make("CartPole-v1")


@host_function
def start(cart: Any, seed: int) -> Float32[np.ndarray, "4"]:
    """What is seen of the cart before anything is done."""
    seen: Float32[np.ndarray, "4"] = cart.reset(seed=seed)[0]
    return seen


@graph_program
def episode(policy: Policy, seed: int) -> Any:
    """How long the policy keeps the pole up (at most 500 steps), and where the cart is then."""
    cart = simulator()
    seen = to_device(start(cart, seed))
    total = 0.0
    while True:
        raw, reward, fallen, over, _ = cart.step(to_host(action(policy, seen)))
        seen = to_device(raw, Float32[np.ndarray, "4"])
        total += reward
        if fallen or over:
            return total, seen


# ---------------------------------------------------------------- the search


def score(policy: Policy, seeds: range) -> float:
    """How long the pole stays up on average."""
    return float(np.mean([episode(policy, seed)[0] for seed in seeds]))


def disturbed(policy: Policy, rng: np.random.Generator, by: float) -> Policy:
    """A policy near another one."""
    parts = (policy.hidden, policy.out)
    hidden, out = (p + by * rng.normal(size=p.shape).astype(np.float32) for p in parts)
    return Policy(hidden, out)


def search(policy: Policy, rounds: int, by: float = 0.5, seed: int = 1) -> Policy:
    """Try policies near the best one so far, until one never lets the pole fall."""
    rng = np.random.default_rng(seed)
    best = score(policy, range(3))
    for _ in range(rounds):
        tried = disturbed(policy, rng, by)
        found = score(tried, range(3))
        if found >= best:
            policy, best = tried, found
        if best >= 500.0:
            break
    return policy


# ---------------------------------------------------------------- the simulator


class Cart:
    """A pole on a cart, with gymnasium's interface and constants.

    The state is the cart's place and speed, the pole's angle and how fast that turns.
    """

    def __init__(self) -> None:
        self.state = np.zeros(4)
        self.steps = 0

    def reset(self, *, seed: int) -> tuple[Any, dict[str, Any]]:
        """Begin a new episode near the upright position."""
        self.state = np.random.default_rng(seed).uniform(-0.05, 0.05, 4)
        self.steps = 0
        return self.state.astype(np.float32), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Push for a fiftieth of a second: the state, a reward, whether the pole fell, whether time is over."""
        _, speed, angle, turn = self.state.tolist()
        force = 10.0 if action == 1 else -10.0
        cosine, sine = math.cos(angle), math.sin(angle)
        pushed = (force + 0.05 * turn**2 * sine) / 1.1
        faster = (9.8 * sine - cosine * pushed) / (0.5 * (4.0 / 3.0 - 0.1 * cosine**2 / 1.1))
        speeding = pushed - 0.05 * faster * cosine / 1.1
        change = np.array([speed, speeding, turn, faster])
        self.state = self.state + 0.02 * change
        self.steps += 1
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > math.radians(12)
        return self.state.astype(np.float32), 1.0, bool(fallen), self.steps >= 500, {}


def main() -> None:
    """Learn, and say how long the pole stays up."""
    policy = random_policy()
    before = score(policy, range(3))
    policy = search(policy, rounds=30)
    print(f"{before:.0f} steps before, {score(policy, range(3)):.0f} steps after the search")


if __name__ == "__main__":
    main()
