"""What rooms ask of the language above them: calls, bodies, expressions, loops and handlers are evaluated there.

A program of the library is inlined, an iterator by hand runs the body of a function, a loop over a list is a loop.
What a write asks of the lists, tables and captured state that have the array or object is at the end.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from graph_program.extract.source.load import load_function
from graph_program.extract.stage.values.generic import forward, generic
from graph_program.extract.stage.values.values import Number, Value

if TYPE_CHECKING:
    from graph_program.extract.diagnostics import GraphProgramError
    from graph_program.extract.ir import tree
    from graph_program.extract.ir.residual import Operand
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.stage.machine.signals import Needed
    from graph_program.extract.stage.machine.state import Body, Frame
    from graph_program.extract.stage.values.column_data import Element, Growing
    from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
    from graph_program.extract.stage.values.values import Ref, Static, Tensor, Value

Work = Callable[[], None]

# ---------------------------------------------------------------- calls


@forward
def call(m: Machine, /, function: Value, args: list[Value], keywords: dict[str, Value], *, tail: bool = False) -> Value:
    """`function(*args, **keywords)`; `tail` if its result is that of the function that calls it."""


@forward
def call_there(
    m: Machine, function: Value, args: list[Value], keywords: dict[str, Value], *, tail: bool = False
) -> Value:
    """`function(*args, **keywords)` of one that may be None, where that is Python's TypeError."""


@forward
def inline(
    m: Machine,
    function: tree.Function,
    python: types.FunctionType | None,
    scope: Frame | None,
    defaults: dict[str, Value],
    args: list[Value],
    keywords: dict[str, Value],
    tail: bool = False,
    at_yield: Callable[[Value], None] | None = None,
) -> Value:
    """Evaluate a function's body in a frame of its own."""


def run(m: Machine, program: Any, /, *args: Value, **keywords: Value) -> Value:
    """Extract one of our programs in the user's."""
    return inline(m, load_function(program), program, None, {}, list(args), keywords)


@forward
def dataclass_instance(m: Machine, cls: type, args: list[Value], keywords: dict[str, Value]) -> Value:
    """An instance made by a generated `__init__`, then `__post_init__`."""


# ---------------------------------------------------------------- expressions and statements


@forward
def evaluate(m: Machine, node: tree.Expr) -> Value:
    """The value of an expression."""


@forward
def run_body(m: Machine, body: Sequence[tree.Stmt], began: int | None = None) -> None:
    """Evaluate statements until control cannot go on; `began` is when the first of the body was."""


@forward
def assign(m: Machine, target: tree.Expr, value: Value) -> None:
    """`target = value`."""


@forward
def in_place(m: Machine, op: str, old: Value, value: Value) -> Value:
    """The object that `old op= value` leaves: `old` itself where it is changed in place."""


@forward
def graph_loop(m: Machine, body: Body, node: tree.Node, loop: int | None = None) -> None:
    """Emit a loop; peel rounds first where the types need it, or carry values of several types."""


@forward
def branch(m: Machine, test: Value, body: Callable[[], None], orelse: Callable[[], None]) -> None:
    """Evaluate `body` where `test` holds and `orelse` where it does not."""


@forward
def choose(m: Machine, test: Value, body: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    """The value of one of two expressions; only the chosen one is evaluated."""


# ---------------------------------------------------------------- values in use


@forward
def settled(m: Machine, value: Value) -> Value:
    """The value itself where it may be absent or mixed; a check where that is only known at run time."""


@forward
def numeric(m: Machine, value: Value, what: str = "operand") -> Number:
    """A number or array; lists and tuples of numbers become arrays, as NumPy does."""


@forward
def tensor(m: Machine, value: Value, what: str = "operand") -> Tensor:
    """`numeric`, with a static number made a constant of its own class."""


@forward
def lift(m: Machine, value: Any, path: tuple[Any, ...] = ()) -> Value:
    """A live Python object as a value."""


@forward
def lift_item(m: Machine, owner: Static, key: Any) -> Value:
    """`owner[key]` of a captured dict."""


@forward
def lift_items(m: Machine, owner: Static) -> list[Value]:
    """The items of a captured list or tuple."""


@forward
def contents_of(m: Machine, ref: Ref, ordered: bool = True) -> Any:
    """The items of a list, or the entries of a dict, whose structure is the same on every path."""


@forward
def message_value(m: Machine, value: Value, conversion: str, spec: str) -> tuple[Any, ...]:
    """One value of a message: formatted now if static, else when it is raised."""


@forward
def view_contents(m: Machine, tensor: Tensor) -> Operand:
    """The operand that holds what a view shows now."""


@forward
def known_items(
    m: Machine, contents: Growing, hint: str = "use np.array(...) of it, or a loop over it"
) -> tuple[Value, ...]:
    """The elements of a list of computed length, where that is known after all, or becomes so by the arguments."""


@forward
def array_of(m: Machine, value: Value, dtype: np.dtype[Any] | None = None) -> Tensor:
    """`np.array` of a list or tuple, nested or not, of numbers and arrays."""


@forward
def require_whole(m: Machine, ref: Ref, contents: Any) -> None:
    """Have a captured object be state as a whole, which is looked at as one of several, and has only some `contents`.

    Raises
    ------
    Needed
    """


# ---------------------------------------------------------------- exceptions


@forward
def fail(m: Machine, error: ExceptionObject, explicit: bool = False) -> NoReturn:
    """Raise an exception for certain; `explicit` if a statement of the program does."""


@forward
def fail_where(m: Machine, bad: Value, error: ExceptionObject) -> None:
    """Raise where `bad` holds; if nothing catches it, the program goes on with the error recorded."""


@forward
def end_where(m: Machine, bad: Value, error: Callable[[], ExceptionObject]) -> None:
    """Raise where `bad` holds; `error` makes the exception there.  Control does not go on there."""


@forward
def error_number(m: Machine, error: ExceptionObject, explicit: bool = False) -> tuple[int, tuple[Operand, ...]]:
    """Catalogue what a call raises, and give the values that it needs; `explicit` if a statement raises it here."""


@forward
def in_context(m: Machine, error: ExceptionObject) -> ExceptionObject:
    """An exception that is raised, with what is being handled."""


@forward
def initialized(m: Machine, error: ExceptionObject) -> ExceptionObject:
    """An exception with what the `__init__` of its class sets."""


@forward
def own_text_of(m: Machine, error: ExceptionObject) -> Value | None:
    """`str(error)`, where the user's own class says it."""


@forward
def raise_on_host(m: Machine, error: ExceptionObject) -> NoReturn:
    """Raise an exception there that is on the host."""


@forward
def raise_one(m: Machine, error: ExceptionObject) -> None:
    """Raise an exception; one whose text depends on what was caught, for each of those."""


@forward
def with_handlers(
    m: Machine,
    node: tree.Stmt,
    body: Work,
    orelse: Work,
    handlers: Sequence[tuple[tuple[type[BaseException], ...], Callable[[Caught], None]]],
) -> None:
    """Evaluate `body`, then `orelse`; where a class of a handler is raised in the body, the handler."""


@forward
def truth_of(m: Machine, node: tree.Expr) -> Value:
    """`bool(node)`, without making values for `and`, `or` and `not`."""


@forward
def arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` of two values that are numbers or arrays."""


@forward
def sharer(m: Machine, target: Tensor | Ref, element: Element) -> str | None:
    """The name of what may be, or have in it, what an element of a list has; "" for the list itself."""


@forward
def write_back(m: Machine, element: Element, rebound: bool = False) -> None:
    """Give a list what its element is now; other elements that were read from it are read again.

    Where the element has got other arrays or objects (`rebound`), those that the others had stay what they are.
    """


@forward
def columns_instead(m: Machine, target: Tensor | Ref, refusal: GraphProgramError | Needed) -> Exception:
    """What to raise where a write is refused: that the list is to be columns, if what is written was read from it."""


@forward
def note_change(m: Machine, value: Tensor | Ref) -> None:
    """Remember that an array, list or dict in an attribute is written in place."""


@forward
def refused_write(m: Machine, target: Any, error: GraphProgramError) -> Exception:
    """What to raise where a captured array or container is written: `error`, unless it can be state."""


@generic
def store_attribute(m: Machine, holder: Value, name: str, value: Value) -> None:
    """Put an attribute into an instance itself, whatever its class says."""
    raise NotImplementedError
