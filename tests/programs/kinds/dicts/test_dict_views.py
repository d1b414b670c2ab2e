"""Views of dicts: keys and items are sets, whatever the order; values are not; all show what the dict holds now."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
X = np.array([1.0, 2.0, 3.0])
SETTINGS = {"lr": 0.1, "q": 2.0}
cases = Cases()


@cases(({"w": X, "b": X}, {"b": X, "w": X}), ({"w": X}, {"b": X, "w": X}))
def same_keys(params, grads):
    if params.keys() != grads.keys():
        raise ValueError(f"missing {sorted(params.keys() ^ grads.keys())}")
    return {k: params[k] - grads[k] for k in params.keys() & grads.keys() - {"b"}}


@cases((X,))
def known_keys(x):
    d, e = {"a": x, "b": x}, {"b": 1, "c": 2}
    unions = d.keys() | e.keys(), d.keys() | ["z"], {"z"} | d.keys(), {"a", "z"} ^ d.keys(), d.keys() & ("a", "q")
    orders = (
        e.keys() <= d.keys(),
        {"a"} < d.keys(),
        d.keys() >= {"b", "a"},
        d.keys() == {"b", "a"},
        d.keys() == ["a", "b"],
    )
    return unions, orders, d.keys().isdisjoint(e.keys()), "a" in d, {"a"}.issubset(d.keys()), set(d.keys())


@cases((X,))
def captured(x):
    assert SETTINGS.keys() == {"q", "lr"}
    return (
        sum(SETTINGS.values()) * x,
        SETTINGS.keys() - {"q"},
        isinstance(SETTINGS.keys(), tuple),
        len(SETTINGS.items()),
    )


@cases((X,), (np.array([1.0, np.nan, 3.0]),))
def items(x):
    d, e, f = {"a": x[0], "b": x[1]}, {"b": x[1], "a": x[0]}, {"a": x, "b": x}
    same = (
        d.items() == e.items(),
        d.items() != e.items(),
        f.items() == {"b": x, "a": x}.items(),
        d.items() == [("a", 1)],
    )
    return (
        same,
        d.items() - {("a", 1.0)},
        d.items() >= e.items(),
        ("a", x[0]) in d.items(),
        {"n": 1}.items() == {"n": 1}.items(),
    )


@cases((X,))
def values(x):
    d = {"a": x[0], "b": x[1]}
    shown = d.values()
    return shown == shown, shown == d.values(), d.values() == [1.0, 2.0], sum(shown), [*shown], x[0] in shown


@cases((X,))
def live(x):
    d: dict[str, Any] = {"a": x}
    keys, empty = d.keys(), {}.keys()
    d["z"] = x
    return list(keys), len(keys), keys == {"a", "z"}, bool(keys), not empty, "z" in keys


@cases((X,))
def shown(x):
    d = {"a": x[0]}
    known = isinstance(d.keys(), tuple), type(d.keys()).__name__, type(d.items()) is type({}.items())
    return str(d.keys()), f"{d.values()}", repr(d.items()), known, str({"n": 1}.items())


@cases((X,))
def caught(x):
    d = {"a": x}
    try:
        return d.keys()[0]
    except TypeError as error:
        return str(error)


@cases((X,))
def made_sets_change(x):
    rest = {"a": x, "b": x}.keys() - {"a"}
    rest.add("z")
    more = {"q"}
    more.update({"a": x}.keys())
    return rest, more


@cases.each
def test_views(fn: Any, inputs: tuple[Any, ...]) -> None:
    check(fn, *inputs)


def test_a_view_of_a_dict_in_several_orders() -> None:
    def printed(x, flag):
        d = {"a": x[0]}
        if flag:
            d["b"] = x[1]
        return len(d.keys()), d.keys() == {"a"}, dict(d.items())

    check(printed, (X, True), (X, False))


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda d: np.array(d.values()), "GP313.*operand"),
        (lambda d: np.sum(d.values()), "GP313.*operand"),
        (lambda d: np.stack(d.values()), "must be a list or tuple, not dict_values"),
        (lambda d: np.concatenate(d.values()), "must be a list or tuple, not dict_values"),
        (lambda d: d.keys()[0], "'dict_keys' object is not subscriptable"),
        (lambda d: d.keys() + d.keys(), "unsupported operand type.*'dict_keys' and 'dict_keys'"),
        (lambda d: d.keys() < ["a"], "'<' not supported between instances of 'dict_keys' and 'list'"),
        (lambda d: d.values() | {1}, "unsupported operand type.*'dict_values' and 'set'"),
        (lambda d: d.keys().index("a"), "'dict_keys' object has no attribute 'index'"),
        (lambda d: hash(d.keys()), "unhashable type: 'dict_keys'"),
        (lambda d: d.keys().mapping, "GP321.*use the dict itself"),
    ],
)
def test_what_views_are_not(program: Any, text: str) -> None:
    with pytest.raises(GraphProgramError, match=f"(?s){text}"):
        graph_program(program)({"a": X, "b": X})
