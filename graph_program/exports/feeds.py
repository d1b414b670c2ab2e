"""The inputs of a model for arguments of the Python function."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from inspect import BoundArguments
from typing import Any, NoReturn

from graph_program.backends.host.runner import OnlyRun
from graph_program.backends.host.shim import Callee, Shim
from graph_program.extract.ir.interface import Interface

Feed = dict[str, Any]


class _Reached(Exception):
    """Thrown where a call would run its model."""

    def __init__(self, feed: Feed):
        super().__init__()
        self.feed = feed


def _reach(names: list[str], feed: Feed, options: None) -> NoReturn:
    raise _Reached(feed)


class _Reader(OnlyRun):
    """In the place of a running model: only looks at what it is given."""

    errors: tuple[type[Exception], ...] = ()
    error_index: int | None = None

    def __init__(self, interface: Interface):
        self.names = ["anything"]
        self.inputs = frozenset(i.name for i in interface.inputs)
        self.run: Callable[[list[str], Feed, None], list[Any]] = _reach

    def replay(self, error: Exception | None, feed: Mapping[str, Any], given: tuple[Any, ...]) -> NoReturn:
        raise _Reached(dict(feed))

    judge: Any = replay
    fail: Any = replay


def feed_of(callee: Callee, interface: Interface, values: Mapping[str, Any], instance: Any = None) -> Feed:
    """What the graph's inputs are fed with in a call; captured arrays included, and nothing copied or changed.

    Parameters
    ----------
    callee : Callee
        The function that would be called.
    interface : Interface
        How its calls meet the graph.
    values : mapping of str to object
        The arguments by parameter, all of them but the one that is bound.
    instance : object
        What a method is bound to.
    """
    shim, arguments = _reading(callee, interface, values, instance)
    feed = _reached(shim.call, *arguments.arguments.values())
    assert feed is not None, "a call has not come to its model"
    return feed


def feed_if_it_fits(
    callee: Callee, interface: Interface, values: Mapping[str, Any], instance: Any = None
) -> Feed | None:
    """The same; None for arguments of other types or sizes than the graph's."""
    shim, arguments = _reading(callee, interface, values, instance)
    return _reached(shim.dispatch, *arguments.args, **arguments.kwargs)


def _reading(
    callee: Callee, interface: Interface, values: Mapping[str, Any], instance: Any
) -> tuple[Shim, BoundArguments]:
    """What would call the model, and the arguments of the function in order."""
    bound = {callee.bound or "": instance, **values}
    in_order = OrderedDict((name, bound[name]) for name in callee.signature.parameters)
    return Shim(callee, interface, _Reader(interface)), BoundArguments(callee.signature, in_order)


def _reached(call: Callable[..., Any], *args: Any, **keywords: Any) -> Feed | None:
    try:
        call(*args, **keywords)
    except _Reached as reached:
        return reached.feed
    return None


__all__ = ["Feed", "feed_if_it_fits", "feed_of"]
