"""What a shim needs to know of whatever runs its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from graph_program.backends.host.direct_calls import Direct


class Runner(Protocol):
    """What a shim needs of a running model."""

    names: list[str]
    """The outputs to ask for: results, then the error number if there are errors."""
    run: Callable[[list[str], dict[str, Any], Any], list[Any]]
    errors: tuple[type[Exception], ...]
    """What `run` may raise."""
    inputs: frozenset[str]
    error_index: int | None
    """Where the error number is in the outputs."""
    direct: Direct | None
    """A shorter way to run the model, where there is one."""
    settings: Any
    """What `run` is given besides; None for nothing."""
    pauses: bool
    """Whether others run the model: the functions are generators, which give a feed and are sent the outputs."""

    def replay(self, error: Exception | None, feed: Mapping[str, Any], given: tuple[Any, ...]) -> None:
        """Raise what Python would have raised where the model could not run, or the sizes do not fit."""

    def judge(
        self, error: Exception | None, feed: Mapping[str, Any], given: tuple[Any, ...]
    ) -> tuple[Sequence[Any], Callable[[], Any]]:
        """The outputs as far as such a run gets, and what raises its exception."""

    def fail(self, number: Any, source: Any, given: tuple[Any, ...] = ()) -> None:
        """Raise the exception of an error number; `given`: the arguments, which get what was written before it."""


class OnlyRun:
    """For a runner that takes its inputs by name, at once, and no other way."""

    direct: Direct | None = None
    settings: Any = None
    pauses: bool = False


__all__ = ["OnlyRun", "Runner"]
