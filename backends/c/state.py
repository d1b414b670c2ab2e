"""State in a structure of the caller's: what a method keeps of its object from one call to the next.

    typedef struct {
        double window[2][4];
        double integral;
        int now;
    } pid_step_state;

    void pid_step_init(pid_step_state *state);
    int pid_step(pid_step_state *state, double x, double *result);

The function that takes state as arguments and gives it as results stays as it is, and is the file's own.  An array is
there twice, as it is before a call and after it: nothing is copied, and a call that ends with an error leaves the
state that was there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.backends.c.c_names import RESERVED, identifier
from graph_program.backends.c.c_types import kept_type, literal, local_type
from graph_program.backends.c.emit import CSource, Parameter
from graph_program.backends.c.weights import constant_lines
from graph_program.extract.control.names import Names
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Kept:
    """A value that is kept from call to call.

    Attributes
    ----------
    name : str
        Of the field.
    taken, given : Parameter
        Of the function of values: what it is before the call, and after it.
    first : numpy.ndarray
        What it is before the first call.
    is_set : Parameter, optional
        The result that says whether there is a new value; without one, there always is.
    """

    name: str
    taken: Parameter
    given: Parameter
    first: np.ndarray[Any, Any]
    is_set: Parameter | None = None

    @property
    def is_array(self) -> bool:
        return self.given.role == "array"

    @property
    def c_type(self) -> str:
        return (kept_type if self.is_array else local_type)(self.first.dtype)

    @property
    def field(self) -> str:
        """Its line in the structure."""
        return f"    {self.c_type} {self.name}{f'[2][{max(self.first.size, 1)}]' if self.is_array else ''};"


def kept_of(
    source: CSource,
    results: Sequence[str],
    first: Mapping[str, np.ndarray[Any, Any]],
    flags: Mapping[str, str],
) -> list[Kept]:
    """What a function of values gives that it takes at its next call; [] where one of these has no fixed sizes.

    Parameters
    ----------
    source : CSource
    results : sequence of str
        The names of its results, in their order.
    first : mapping of str to ndarray
        The values before the first call of what is state, by the names of results and inputs.
    flags : mapping of str to str
        Of state that has a new value only where another result holds, the name of that.
    """
    roles = ("number", "array", "made")
    taken = {p.value.name: p for p in source.parameters if p.value and not p.is_result and p.role in roles}
    given = dict(zip(results, (p for p in source.parameters if p.is_result and p.role in roles), strict=True))
    found = []
    names = Names(["now", *RESERVED])
    for name, value in first.items():
        before, after = taken.get(name), given.get(name)
        if before is None or after is None or after.role == "made" or before.role != after.role:
            return []
        if not before.value or not after.value or before.value.type.dtype != after.value.type.dtype:
            return []
        if any(tuple(size.constant for size in p.value.type.shape) != value.shape for p in (before, after) if p.value):
            return []
        found.append(
            Kept(
                names.fresh(identifier(name.partition(".")[2] or name)),
                before,
                after,
                value,
                given.get(flags.get(name, "")),
            )
        )
    return found


def with_state(source: CSource, kept: Sequence[Kept]) -> CSource:
    """The files of a function whose state is in a structure."""
    own = [p for p in source.parameters if all(p not in (k.taken, k.given, k.is_set) for k in kept)]
    names = Names([p.name for p in own])
    structure = Parameter(names.fresh("state"), f"{source.name}_state *", "state")
    parameters = [structure, *own]
    head = f"int {source.name}({', '.join(map(str, parameters))})"
    init = f"void {source.name}_init({source.name}_state *state)"
    fields = [*(k.field for k in kept), *(["    int now;"] if any(k.is_array for k in kept) else [])]
    declared = [
        "/* What is kept from call to call; one for each object. */",
        "typedef struct {",
        *fields,
        f"}} {source.name}_state;",
        "",
        "/* The state before the first call. */",
        f"{init};",
        "",
        f"{head};",
    ]
    inner = f"{source.name}_values"
    text = source.text.replace(f"int {source.name}(", f"static int {inner}(")
    if "#include <string.h>" not in text and any(k.is_array for k in kept):
        text = text.replace(f'#include "{source.stem}.h"\n', f'#include "{source.stem}.h"\n\n#include <string.h>\n', 1)
    step = _step(head, inner, source, structure.name, kept, names)
    text = "\n".join([text.rstrip("\n"), "", *_init(init, kept), "", *step, ""])
    header = source.header.replace(source.prototype, "\n".join(declared))
    state = sum((2 if k.is_array else 1) * k.first.nbytes for k in kept)
    inputs = frozenset(k.taken.value.name for k in kept if k.taken.value)
    made = replace(source, text=text, header=header, parameters=parameters, prototype=f"{head};")
    return replace(made, state=state, kept=inputs)


def _init(head: str, kept: Sequence[Kept]) -> list[str]:
    """The function that makes the first state."""
    lines = [f"{head} {{"]
    for k in kept:
        if not k.is_array:
            lines.append(f"    state->{k.name} = {literal(k.first.dtype, k.first.item()).text};")
        elif not k.first.tobytes().strip(b"\0"):
            lines.append(f"    memset(state->{k.name}, 0, sizeof state->{k.name});")
        else:
            table = constant_lines(f"static const {k.c_type} first_{k.name}", k.first)
            lines += [f"    {line}" for line in table]
            lines.append(f"    memcpy(state->{k.name}[0], first_{k.name}, sizeof first_{k.name});")
    return [*lines, *(["    state->now = 0;"] if any(k.is_array for k in kept) else []), "}"]


def _step(head: str, inner: str, source: CSource, state: str, kept: Sequence[Kept], names: Names) -> list[str]:
    """The function that takes a state and makes the next one of it."""
    now, then = names.fresh("now"), names.fresh("then")
    status = "status"  # which no parameter is called
    numbers = {k.given: names.fresh(f"next_{k.name}") for k in kept if not k.is_array}
    flags = {k.is_set: names.fresh(f"{k.name}_is_set") for k in kept if k.is_set}
    arguments = {k.taken: f"{state}->{k.name}{f'[{now}]' if k.is_array else ''}" for k in kept}
    arguments |= {k.given: f"{state}->{k.name}[{then}]" if k.is_array else f"&{numbers[k.given]}" for k in kept}
    arguments |= {p: f"&{name}" for p, name in flags.items()}
    lines = [f"{head} {{"]
    has_arrays = len(numbers) < len(kept)
    if has_arrays:
        lines += [f"    const int {now} = {state}->now, {then} = 1 - {now};"]
    lines += [f"    {k.c_type} {numbers[k.given]} = 0;" for k in kept if not k.is_array]
    lines += [f"    bool {name} = false;" for name in flags.values()]
    given = ", ".join(arguments.get(p, p.name) for p in source.parameters)
    lines += [f"    const int {status} = {inner}({given});", f"    if ({status}) return {status};"]
    for k in kept:
        field, flag = f"{state}->{k.name}", flags[k.is_set] if k.is_set else ""
        if not k.is_array:
            lines.append(f"    {f'if ({flag}) ' if flag else ''}{field} = {numbers[k.given]};")
        elif flag:
            lines.append(f"    if (!{flag}) memcpy({field}[{then}], {field}[{now}], sizeof {field}[{now}]);")
    lines += [f"    {state}->now = {then};"] if has_arrays else []
    return [*lines, "    return 0;", "}"]


__all__ = ["Kept", "kept_of", "with_state"]
