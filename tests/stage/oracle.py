"""Compare a program, staged and interpreted statement by statement, with plain Python.

`same(fn, *args)` holds value, class, element type and shape of the result, or class and text of the
exception, against Python's own.  Dims of array arguments are symbols unless `fixed` is given.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from graph_program.backends.host.errors import make_exception
from graph_program.backends.host.results import build_list
from graph_program.backends.reference.residual import interpret
from graph_program.extract.ir import interface, results
from graph_program.extract.ir.paths import follow
from graph_program.extract.ir.specs import DictSpec, ListSpec, StaticSpec, TensorSpec, TupleSpec
from graph_program.extract.stage.program.evaluate import Staged, evaluate_program
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import PY_TYPES, Kind, TensorType

PYTHON = {Kind.PYTHON: lambda a: a.item(), Kind.NUMPY: lambda a: a[()], Kind.ARRAY: lambda a: a}


def spec_of(value: Any, name: str, fixed: bool) -> Any:
    """The argument spec of an example argument."""
    if type(value) in PY_TYPES:
        return TensorSpec(PY_TYPES[type(value)])
    if isinstance(value, np.generic):
        return TensorSpec(TensorType(value.dtype, (), Kind.NUMPY))
    if isinstance(value, np.ndarray):
        shape = tuple(dim(n) if fixed else symbol(f"{name}{i}") for i, n in enumerate(value.shape))
        return TensorSpec(TensorType(value.dtype, shape))
    if isinstance(value, list | tuple):
        elts = tuple(spec_of(v, f"{name}_{i}_", fixed) for i, v in enumerate(value))
        return ListSpec(elts) if isinstance(value, list) else TupleSpec(elts)
    if isinstance(value, dict):
        return DictSpec(tuple((k, spec_of(v, f"{name}_{k}_", fixed)) for k, v in value.items()))
    return StaticSpec(value)


def stage(fn: Any, *args: Any, fixed: bool = False) -> Staged:
    """The staged program of a function for example arguments."""
    names = fn.__code__.co_varnames[: fn.__code__.co_argcount]
    specs = {n: spec_of(a, n, fixed) for n, a in zip(names, args, strict=True)}
    return evaluate_program(fn, specs, values=dict(zip(names, args, strict=True)))


def build(result: results.Result, outputs: list[np.ndarray], args: dict[str, Any]) -> Any:
    """Python's result from the program's outputs."""
    match result:
        case results.OutputResult(index, type_):
            assert outputs[index].dtype == type_.dtype, f"declared {type_}, computed {outputs[index].dtype}"
            return PYTHON[type_.kind](outputs[index])
        case results.ConstantResult(value) | results.CapturedResult(value):
            return value
        case results.ArgResult(path):
            return follow(args[str(path[0])], path)
        case results.TupleResult(elts, cls):
            found = tuple(build(e, outputs, args) for e in elts)
            return cls(*found) if cls else found
        case results.ListResult(elts):
            return [build(e, outputs, args) for e in elts]
        case results.DictResult(items):
            return {k: build(v, outputs, args) for k, v in items}
        case results.SharedResult(_, value):
            return build(value, outputs, args)
        case results.OptionalResult(flag, value):
            return None if outputs[flag] else build(value, outputs, args)
        case results.ChoiceResult(case, options):
            return build(options[int(outputs[case])], outputs, args)
        case results.RecordResult(cls, fields):
            record = object.__new__(cls)
            for name, field in fields:
                object.__setattr__(record, name, build(field, outputs, args))
            return record
        case results.RowsResult():
            return build_list(result, outputs)
        case results.TextResult(parts):
            return "".join(p if isinstance(p, str) else _shown(p, outputs, args) for p in parts)
    raise AssertionError(result)


def _shown(part: Any, outputs: list[np.ndarray], args: dict[str, Any]) -> str:
    value = build(part[0], outputs, args)
    converted = {"": value, "s": str(value), "r": repr(value), "a": ascii(value)}[part[1]]
    return format(converted, part[2])


def run(fn: Any, *args: Any, fixed: bool = False) -> Any:
    """What the staged program computes; raises what it raises."""
    staged = stage(fn, *args, fixed=fixed)
    names = fn.__code__.co_varnames[: fn.__code__.co_argcount]
    given = dict(zip(names, args, strict=True))
    inputs = []
    for leaf in staged.interface.inputs:
        found = leaf.array if isinstance(leaf, interface.CapturedInput) else follow(given[str(leaf.path[0])], leaf.path)
        inputs.append(np.asarray(found, leaf.type.dtype))
    outcome = interpret(staged.program, inputs)
    if outcome.error is None:
        return build(staged.interface.result, outcome.outputs, given)
    info = staged.program.errors[outcome.error]
    raise make_exception(info, outcome.error_args)


def outcome(function: Any, *args: Any, **options: Any) -> Any:
    """The result of a call, or its exception."""
    try:
        with np.errstate(all="ignore"):
            return function(*copy.deepcopy(args), **options)
    except (ArithmeticError, ValueError, TypeError, LookupError) as error:
        return error


def same(fn: Any, *args: Any, fixed: bool = False) -> None:
    """Assert that the program does what Python does."""
    expected = outcome(fn, *args)
    got = outcome(run, fn, *args, fixed=fixed)
    check_same(got, expected, f"{args}")


def check_same(got: Any, expected: Any, where: str) -> None:
    """Assert equality of value, class, element type and shape; floats to rounding."""
    if isinstance(expected, BaseException):
        assert isinstance(got, BaseException), f"{where}: {got!r} instead of {expected!r}"
        refused = hasattr(got, "diagnostic")
        assert isinstance(got, type(expected)) if refused else type(got) is type(expected), f"{where}: {got!r}"
        message = got.diagnostic.message if refused else str(got)
        assert message == str(expected), where
        return
    assert type(got) is type(expected), f"{where}: {got!r} instead of {expected!r}"
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected), where
        for a, b in zip(got, expected, strict=True):
            check_same(a, b, where)
    elif isinstance(expected, dict):
        assert list(got) == list(expected), where
        for key in expected:
            check_same(got[key], expected[key], where)
    elif isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype and got.shape == expected.shape, where
        np.testing.assert_allclose(got, expected, rtol=1e-6)
    elif isinstance(expected, float | np.floating):
        close = got == expected or (math.isnan(got) and math.isnan(expected))
        assert close or math.isclose(got, expected, rel_tol=1e-6), f"{where}: {got!r} for {expected!r}"
        assert math.isnan(got) or math.copysign(1, got) == math.copysign(1, expected), where
    else:
        assert got == expected, f"{where}: {got!r} instead of {expected!r}"


__all__ = ["check_same", "outcome", "run", "same", "stage"]
