"""What a program is to its calls: the function and its options, and what all its signatures share."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from graph_program.backends.host.shim import Callee
from graph_program.extract.diagnostics import Loc

if TYPE_CHECKING:
    from graph_program.backends.host.tally import Tally
    from graph_program.backends.onnxruntime.cache import Specs
    from graph_program.calls.program_options import ProgramOptions
    from graph_program.extract.slice.copies import Copy

Values = dict[str, Any]


class Subject:
    """A program as its calls see it.

    Parameters
    ----------
    fn : function
        The user's function, undecorated.
    instance : object
        What the method is bound to; None for a function.
    options : ProgramOptions
    prefer : callable
        Told which shim to try first at the next call.
    """

    def __init__(self, fn: Any, instance: Any, options: ProgramOptions, prefer: Callable[[Callable[..., Any]], None]):
        self.fn: FunctionType = fn
        self.instance = instance
        self.options = options
        self.prefer = prefer
        code = self.fn.__code__
        self.loc = Loc(code.co_filename, code.co_firstlineno, 1, code.co_firstlineno, 1, fn.__qualname__)
        signature = inspect.signature(fn, follow_wrapped=False)
        names = list(signature.parameters)
        bound = names[0] if instance is not None and names else None
        self.callee = Callee(fn.__name__, fn.__qualname__, signature, bound)
        self.parameters = [name for name in names if name != bound]
        self.tallies: list[tuple[tuple[Copy, ...], Tally]] = []
        """The copies of each signature that was made runnable, and how often its host steps have run."""
        self.lock = threading.RLock()

    def specs_of(self, values: Values) -> Specs:
        """The types of a call's arguments."""
        raise NotImplementedError


__all__ = ["Subject", "Values"]
