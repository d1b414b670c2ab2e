"""Host code beside machine code: the C function calls back where a step is reached, on the thread of the call.

    gp_object *told = gp_step(&host, 3, objects, 1, sent, 2, values, 1);
    if (!told) goto interrupted;

A step gets the numbers of its objects and copies of the values that it is sent, as arrays, and tells arrays, which are
copied.  Where it raises, the function ends, and the exception is raised by who called it, as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from graph_program.backends.host.captures import watched
from graph_program.backends.host.exchange import Exchange, Steps, of_call
from graph_program.backends.host.steps import compile_steps
from graph_program.backends.host.tally import Tally
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.host import HOST
from graph_program.extract.ir.interface import Guard

SUPPORT = """
/* A value that a step of the host gets. */
typedef struct {
    gp_object *dtype;
    const void *data;
    size_t element;
    int rank;
    const int64_t *sizes;
} gp_sent;

static bool gp_send(gp_object *given, intptr_t place, const gp_sent *sent) {
    gp_object *made = NULL;
    gp_array *array = gp_output(sent->dtype, sent->rank, sent->sizes, &made);
    if (!array) return false;
    size_t bytes = sent->element;
    for (int axis = 0; axis < sent->rank; axis++) bytes *= (size_t)sent->sizes[axis];
    if (bytes) memcpy(array->data, sent->data, bytes);
    return gp_give(given, place, made);
}

/* Have Python do a step of the host. Gives what owns the values that it tells; NULL where the call is to end. */
static gp_object *gp_step(
    int64_t *host, int64_t number, const int64_t *objects, int count, const gp_sent *sent, int sends, gp_array **told,
    int tells
) {
    const int thread = gp_py.enter();
    gp_object *found = NULL, *given = gp_py.tuple(2 + count + sends);
    bool made = given && gp_give(given, 0, gp_py.from_int(*host)) && gp_give(given, 1, gp_py.from_int(number));
    for (int i = 0; i < count; i++) made = made && gp_give(given, 2 + i, gp_py.from_int(objects[i]));
    for (int i = 0; i < sends; i++) made = made && gp_send(given, 2 + count + i, &sent[i]);
    if (made) found = gp_py.call_with(gp_py.step, given);
    gp_py.drop(given);
    if (found) *host = gp_py.as_int(gp_py.item(found, 0));
    for (int i = 0; found && i < tells; i++) told[i] = gp_fields(gp_py.item(found, 1 + i));
    gp_py.exit(thread);
    return found;
}

static void gp_end_step(gp_object *found) {
    const int thread = gp_py.enter();
    gp_py.drop(found);
    gp_py.exit(thread);
}
"""
"""Behind what `entry` has."""


class Ended(Exception):
    """A step has raised, and the function ends; who has called it raises what the step has raised."""


def step(host: int, number: int, *values: Any) -> tuple[Any, ...]:
    """What the C function calls: the number of the last object that there is now, and what a step tells.

    Raises
    ------
    Ended
        Where the call is to end.
    """
    call = of_call(host)
    described = call.steps[number]
    first = len(values) - len(described.sends)
    for value in values[first:]:
        value.flags.writeable = False
    last, told = call.exchange(number, host, values[:first], values[first:])
    if call.failure is not None:
        raise Ended
    return last, *(_array(value, type_) for value, type_ in zip(told, described.receives, strict=True))


def _array(value: Any, type_: Any) -> np.ndarray[Any, Any]:
    """A value as C reads it: of exactly this type, one element after the other."""
    array = np.asarray(value, type_.dtype, order="C")
    fits = array.ndim == len(type_.shape) and all(
        size.constant in (None, own) for size, own in zip(type_.shape, array.shape, strict=True)
    )
    if not fits:
        raise AssertionError(f"a step has told an array of shape {array.shape}, not of type {type_}")
    return array


class NativeHost:
    """Machine code with steps on the host; `run` is that of `CoExecution`."""

    def __init__(
        self,
        run: Callable[..., list[Any]],
        program: GraphProgram,
        guards: Sequence[Guard] = (),
        tally: Tally | None = None,
    ):
        self._run = run
        self._steps = Steps(program.host)
        self._compiled = watched(compile_steps(program.host, tally), program.host, guards)

    def run(self, names: Sequence[str], feed: Mapping[str, Any], options: None) -> list[Any]:
        """One call: the outputs, then all objects on the host, by number.

        Raises
        ------
        BaseException
            What a step on the host raises, as it is.
        """
        outputs: list[Any] = []
        with Exchange(self._steps, self._compiled, feed.get(HOST, ()), lambda: None) as exchange:
            with suppress(Ended):
                outputs = self._run(names, {**feed, HOST: np.int64(exchange.start)}, None)
            objects = exchange.end()
            return [*outputs, objects]


__all__ = ["SUPPORT", "Ended", "NativeHost", "step"]
