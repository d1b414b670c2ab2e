"""What the decorator was given, and the refusal of what makes no sense."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graph_program.extract.types.notation.declared_dims import NO_DIMS, DeclaredDims, read_dims

ONNXRUNTIME, NATIVE, AUTO = "onnxruntime", "native", "auto"
BACKENDS = (ONNXRUNTIME, NATIVE, AUTO)
ACTIONS = ("warn", "error", "ignore")


@dataclass(frozen=True)
class ProgramOptions:
    """What the decorator was given."""

    copies: str = "warn"
    inline: tuple[str, ...] = ()
    freeze: bool = False
    providers: tuple[Any, ...] | None = None
    threads: int | None = None
    dims: DeclaredDims = NO_DIMS
    extractions: str = "warn"
    without: frozenset[str] = frozenset()
    backend: str = AUTO


def read_options(
    copies: Any,
    inline: Any,
    freeze: Any,
    providers: Any,
    threads: Any,
    dims: Any,
    extractions: Any,
    without: Any,
    backend: Any,
) -> ProgramOptions:
    """The options, checked; see `graph_program`.

    Raises
    ------
    TypeError, ValueError
        For what is none.
    """
    for name, action in (("copies", copies), ("extractions", extractions)):
        if action not in ACTIONS:
            raise ValueError(f"{name} must be 'warn', 'error' or 'ignore', not {action!r}")
    if backend not in BACKENDS:
        raise ValueError(f"backend must be 'onnxruntime', 'native' or 'auto', not {backend!r}")
    names = None if isinstance(inline, str) or not isinstance(inline, Iterable) else tuple(inline)
    if names is None or not all(isinstance(name, str) for name in names):
        raise TypeError("inline must be a sequence of package names, such as inline=['mypackage']")
    passes = None if isinstance(without, str) or not isinstance(without, Iterable) else frozenset(without)
    if passes is None or not all(isinstance(name, str) for name in passes):
        raise TypeError("without must be a sequence of names of passes, such as without=['layer_norm']")
    if not isinstance(freeze, bool):
        raise TypeError(f"freeze must be True or False, not {freeze!r}")
    if providers is not None and (isinstance(providers, str) or not isinstance(providers, Sequence)):
        raise TypeError(f"providers must be a sequence, such as providers=[{providers!r}]")
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool)):
        raise TypeError(f"threads must be an integer, not {threads!r}")
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    chosen = None if providers is None else tuple(providers)
    return ProgramOptions(copies, names, freeze, chosen, threads, read_dims(dims), extractions, passes, backend)


__all__ = ["AUTO", "BACKENDS", "NATIVE", "ONNXRUNTIME", "ProgramOptions", "read_options"]
