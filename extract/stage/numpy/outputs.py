"""`out=` and `where=`: results that go into an array that is there.

    np.add(x, y, out=z, where=mask)   ->   z := where(mask, add(x, y), z)
    np.sum(x, axis=0, out=z)          ->   z := sum(x, axes=(0,))

The call gives the array itself.  NumPy computes in the types of its operands, and casts at the end.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.arrays.lowering_arguments import as_bool, dtype_error, is_given, is_sequence, sequence
from graph_program.extract.stage.arrays.size_checks import check_same_shape, check_stretched, output_text
from graph_program.extract.stage.host.values import host_operands
from graph_program.extract.stage.machine.checks.size_facts import settle
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.known_and_truth import settled, static, tensor
from graph_program.extract.stage.values.questions import is_array_of_graph, is_just, is_untold, one_or_many
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, type_of
from graph_program.extract.types.rules.facts import Requirement
from graph_program.extract.types.rules.requirements import broadcast, shapes_text
from graph_program.extract.types.tensors.rule_errors import TypeRuleError, UFuncCastError
from graph_program.extract.types.tensors.tensor_type import Kind

Out = Callable[[Callable[..., Value]], Callable[..., Value]]
"""What gives a lowering an `out=`."""


def targets(m: Machine, out: Value, count: int = 1) -> list[Tensor | None] | None:
    """The arrays that `out=` names, one per result; None if there are none."""
    if not is_given(out):
        return None
    given = sequence(m, out, "out") if is_sequence(m, out) else [out]
    if len(given) != count:
        text = "The 'out' tuple must have exactly one entry per ufunc output"
        raise m.error("GP303", text, cls=diagnostics.ProgramValueError)
    unknown = next(filter(is_untold, given), None)
    if unknown is not None:
        raise host_operands.unknown_type(m, unknown, "output")
    wrong = "return arrays must be of ArrayType"
    found = [target_of(m, value, wrong) if is_given(settled(m, value)) else None for value in given]
    for target in found:
        if target is not None:
            alias.require_writable(m, target, "output array is read-only")
    return found if any(t is not None for t in found) else None


def target_of(m: Machine, value: Value, wrong: str) -> Tensor:
    """The array that is written, refused with the text `wrong` where it is none."""
    value = settled(m, value)
    value = m.in_graph(value)
    if not is_array_of_graph(value):
        raise dtype_error(m, wrong, f"it is {describe(value)}")
    return value


def require_broadcast(m: Machine, operands: Sequence[Value], out: Sequence[Tensor | None], where: Value) -> None:
    """What NumPy asks of all shapes together before it computes anything."""
    mask = _mask(m, where)
    parts = [tensor(m, v) for v in operands] + ([mask] if mask is not None else [])
    for target in out:
        if target is not None:
            shapes = [p.type.shape for p in (*parts, target)]
            text = ("operands could not be broadcast together with shapes ", *shapes_text(shapes))
            settle(m, Requirement(tuple(broadcast(shapes)), "shape", text), [*parts, target])


def _mask(m: Machine, where: Value) -> Tensor | None:
    return None if is_just(where, True) else as_bool(m, where)


def ufunc_results(
    m: Machine,
    name: str,
    result: Value,
    out: list[Tensor | None],
    where: Value,
    casting: Value,
) -> Value:
    """Write a ufunc's results into the arrays given for them."""
    results = one_or_many(result)
    rule = str(static(m, casting, "the casting rule")) if is_given(casting) else "same_kind"
    given = [
        computed if target is None else _store(m, name, tensor(m, computed), target, where, rule)
        for computed, target in zip(results, out, strict=True)
    ]
    return Tuple(tuple(given)) if len(given) > 1 else given[0]


def _store(m: Machine, name: str, result: Tensor, out: Tensor, where: Value, casting: str) -> Value:
    mask = _mask(m, where)
    _require_cast(m, name, result, out, casting)
    _require_shape(m, result, out)
    if mask is not None:
        _require_shape(m, mask, out)
    value = m.broadcast(m.cast(result, out.type.dtype, Kind.ARRAY), out)
    if mask is not None:
        value = m.op("where", m.broadcast(m.reclassed(mask, Kind.ARRAY), out), value, out)
    alias.write(m, out, value)
    return out


def _require_cast(m: Machine, name: str, result: Tensor, out: Tensor, casting: str) -> None:
    source, target = result.type.dtype, out.type.dtype
    if not np.can_cast(source, target, casting):  # type: ignore[arg-type]
        ufunc = getattr(np, name, None)
        if isinstance(ufunc, np.ufunc):
            raise m.type_error(UFuncCastError(ufunc, source, target, casting))
        text = f"Cannot cast ufunc '{name}' output from {source!r} to {target!r} with casting rule '{casting}'"
        raise m.type_error(TypeRuleError("dtype", text))


def _require_shape(m: Machine, result: Tensor, out: Tensor) -> None:
    """An output is not broadcast: it has the shape of the result, which may be stretched to it."""
    text = output_text(out, result)
    if result.rank > out.rank:
        raise m.type_error(TypeRuleError("shape", *text), [out, result])
    check_stretched(m, out, result, text)


def with_out(name: str, ufunc: str = "", exact: bool = False, casting: str = "same_kind") -> Out:
    """Give a lowering an `out=`; its body then never sees one.

    `ufunc` is what NumPy names in its errors.  An `exact` function takes only an array of its result's element type.
    `casting` says which element types the output may have: NumPy copies some results with any.
    A sum or product into an array is computed in the common type of both.
    """

    def decorate(run: Callable[..., Value]) -> Callable[..., Value]:
        signature = inspect.signature(run)
        widens = ufunc in ("add", "multiply") and "dtype" in signature.parameters

        @functools.wraps(run)
        def delivered(m: Machine, *args: Value, **keywords: Value) -> Value:
            bound = signature.bind(m, *args, **keywords)
            found = targets(m, bound.arguments.pop("out", NONE))
            if found is None or found[0] is None:
                return _called(run, bound)
            if widens and not is_given(bound.arguments.get("dtype", NONE)):
                first = type_of(tensor(m, bound.args[1])).dtype
                bound.arguments["dtype"] = Static(np.result_type(first, found[0].type.dtype))
            return _into(m, name, ufunc, tensor(m, _called(run, bound)), found[0], exact, casting)

        return delivered

    return decorate


def _called(run: Callable[..., Value], bound: inspect.BoundArguments) -> Value:
    bound.apply_defaults()
    return run(*bound.args, **bound.kwargs)


def _into(m: Machine, name: str, ufunc: str, result: Tensor, out: Tensor, exact: bool, casting: str) -> Value:
    if exact and result.type.dtype != out.type.dtype:
        hint = f"its result is {result.type.dtype.name}; assign it instead: `out[...] = {name}(...)`"
        raise m.error("GP321", f"{name} has no graph form for `out=` of another element type", hint=hint)
    if result.rank != out.rank:
        text = f"the output of {name} is of rank {out.rank}, its result of rank {result.rank}"
        raise m.type_error(TypeRuleError("shape", text))
    _require_cast(m, ufunc or name, result, out, casting)
    check_same_shape(m, out, result, [out, result])
    alias.write(m, out, m.cast(result, out.type.dtype, Kind.ARRAY))
    return out
