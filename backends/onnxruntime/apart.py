"""A model for another process, which can be sent there; what runs it is imported there, with little of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class ModelApart:
    """A model for another process.

    Attributes
    ----------
    model : bytes
    names : tuple of str
        The outputs that are asked for.
    providers : tuple
        As onnxruntime takes them.
    threads : int
        Inside of one operation.
    """

    model: bytes
    names: tuple[str, ...]
    providers: tuple[Any, ...]
    threads: int

    def ready(self) -> Callable[[Mapping[str, Any]], list[Any]]:
        """What runs it there: a feed to outputs."""
        from graph_program.backends.onnxruntime.session import inference_session, without_tf32

        def adjust(options: Any) -> None:
            options.intra_op_num_threads = self.threads

        session = inference_session(self.model, adjust, without_tf32(self.providers))
        return lambda feed: session.run(self.names, feed)


__all__ = ["ModelApart"]
