"""Functions that are declared in one room and given in rooms above it.

    @forward                                          # machine/declared/entries.py
    def evaluate(m: Machine, node: tree.Expr) -> Value:
        '''The value of an expression.'''

    @entries.evaluate.given                           # language/syntax/expressions.py
    def evaluate(m, node): ...

    @generic                                          # operations/items.py
    def item(m: Machine, value: Value, key: Value) -> Value:
        '''`value[key]`.'''
        raise not_subscriptable(m, value)             # what holds of a kind that says nothing

    @items.item.of(Range)                             # kinds/range_values.py
    def item(m, value, key): ...

    items.item.register(Flags, lambda m, value, key: value.item(key))     # an answer that is one expression

Rooms are loaded by `program/rooms`, so that all is given before anything is evaluated.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from graph_program.extract.stage.values.values import Ref, Row, Static, Tuple

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M")
V = TypeVar("V")
K = TypeVar("K")
A = TypeVar("A", bound=Callable[..., Any])


def _not_given(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError


class Forward(Generic[P, R]):
    """A function that one file above gives."""

    def __init__(self, declared: Callable[P, R]):
        functools.update_wrapper(self, declared)
        self.function: Callable[P, R] = _not_given

    def given(self, function: Callable[P, R]) -> Callable[P, R]:
        """What it does, which is described where it is declared; used as a decorator."""
        self.function = function
        return function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)


class GenericFunction(Generic[M, V, P, R]):
    """A function of the machine and a value, or a layout, that each kind of it gives its own answer to.

    A kind is a class of values, or such a class with what is in it: a `Ref` to a dict, a `Static` string.  As with
    `functools.singledispatch`, the answer of the nearest base class holds, and the declared function of none.
    """

    def __init__(self, declared: Callable[Concatenate[M, V, P], R]):
        functools.update_wrapper(self, declared)
        self.declared: Callable[..., R] = declared
        """What holds of kinds that give no answer."""
        self.answers: dict[tuple[type, type], Callable[..., R]] = {}
        self._found: WeakKeyDictionary[type, dict[type, Callable[..., R]]] = WeakKeyDictionary()
        """By the class inside, which may be the user's and must be free to go."""

    def of(self, *kinds: type, holding: type | tuple[type, ...] = object) -> Callable[[A], A]:
        """The answer of some kinds; used as a decorator.

        Parameters
        ----------
        *kinds : type of Value
        holding : type, or several
            The Python class of what such a value stands for.
        """

        def give(answer: A) -> A:
            for kind, held in itertools.product(kinds, holding if isinstance(holding, tuple) else (holding,)):
                self.answers[kind, held] = answer
            self._found.clear()
            return answer

        return give

    def register(self, kind: type[K], answer: Callable[Concatenate[M, K, P], R], *, holding: type = object) -> None:
        """The answer of a kind that is one expression, as a row of a table."""
        self.of(kind, holding=holding)(answer)

    def __call__(self, m: M, value: V, *args: P.args, **kwargs: P.kwargs) -> R:
        kind, held = type(value), class_inside(value)
        found = self._found.get(held)
        if found is None:
            found = self._found[held] = {}
        answer = found.get(kind)
        if answer is None:
            answer = found[kind] = self._answer(kind, held)
        return answer(m, value, *args, **kwargs)

    def _answer(self, kind: type, held: type) -> Callable[..., R]:
        for form in kind.__mro__:
            for cls in held.__mro__:
                answer = self.answers.get((form, cls))
                if answer is not None:
                    return answer
        return self.declared


def class_inside(value: object) -> type:
    """The Python class of what a value stands for, as far as its own class does not say it."""
    if isinstance(value, Static):
        return type(value.value)
    if isinstance(value, Ref | Row):
        return value.cls
    if isinstance(value, Tuple):
        return value.cls or tuple
    return object


forward, generic = Forward, GenericFunction
"""As decorators."""
