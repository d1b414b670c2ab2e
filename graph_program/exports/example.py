"""The inputs of a program's model for its example arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graph_program.exports.feeds import Feed, feed_of
from graph_program.exports.for_model import extraction_for_model
from graph_program.extract.ir.interface import CapturedInput
from graph_program.extract.types.notation.declared_dims import read_dims

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls


def example_feed(calls: Calls, args: Any, dims: Any = None, static: Sequence[str] = ()) -> Feed | None:
    """What a model is fed with for example arguments, captured arrays left out; None where there are none.

    `dims` and `static` are those of its export.
    """
    sizes = calls.options.dims.narrowed(read_dims(dims))
    values = calls.example(args, sizes)
    if values is None:
        return None
    interface = extraction_for_model(calls, args, sizes, static=static).interface
    captured = {i.name for i in interface.inputs if isinstance(i, CapturedInput)}
    feed = feed_of(calls.callee, interface, values, calls.instance)
    return {name: value for name, value in feed.items() if name not in captured}


__all__ = ["example_feed"]
