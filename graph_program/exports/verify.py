"""A file is checked, loaded and run before it gets its name.

The model is run on the example arguments, as whoever gets the file will run it, in a session with default options.
What it gives must be what Python gives, on copies of the arguments and the object; nothing of the caller's is read
twice or changed.  A program whose call does more than compute (it prints, or changes what is not an argument) is not
run a second time: then it is what the NumPy interpreter gives for the same graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import onnxruntime

from graph_program.backends.onnx.models import require_models_that_run
from graph_program.backends.onnxruntime.session import RUN_ERRORS, reason
from graph_program.backends.reference import interpreter
from graph_program.exports.checked import REPORT, Run, check, failed, loaded
from graph_program.exports.compared import difference_at, rounding
from graph_program.exports.feeds import Feed, feed_of
from graph_program.exports.float32_report import compare_in_float32
from graph_program.exports.model_file import is_as_written, large_arrays
from graph_program.exports.models import Made
from graph_program.exports.plain import NotRunAgain, Outcome, PlainCall, Written
from graph_program.extract.diagnostics import ExportError, GraphProgramError, Loc, ModelError

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.interface import Interface

Values = Mapping[str, Any]


AMPLIFIED = (
    "floats are compared to half of their digits, and onnxruntime adds in other orders: a program that amplifies "
    "rounding, as long simulations do, may differ more; `verify=False` writes the file all the same. "
    "Please report anything else"
)


class Differing(NamedTuple):
    """A part of what a call gives that is another one than the oracle's, as `result[1].x`, and how.

    It has no name where one of them raises; then the text is what becomes of the call.
    """

    name: str
    text: str
    oracle: str = "Python"


def verify(
    calls: Calls,
    extraction: Extraction,
    made: Made,
    values: Values | None,
    path: Path,
    data: Path | None,
    float32: bool = False,
) -> Run:
    """Check a model file, load it, and compare what it computes.

    Parameters
    ----------
    calls : Calls
    extraction : Extraction
    made : Made
        What was written.
    values : mapping of str to object, optional
        Example arguments; without them, nothing is run.
    path, data : pathlib.Path
        The model file, and the one with its arrays.
    float32 : bool
        Whether it computes in float32.

    Returns
    -------
    callable
        What runs it.

    Raises
    ------
    ExportError
        GP505 where anything differs.
    """
    run = taken(made, path, data, calls.loc)
    if values is not None and float32:
        feed = feed_of(calls.callee, extraction.interface, values, calls.instance)
        compare_in_float32(made.program, feed, run, calls.loc)
    elif values is not None:
        compare(calls, extraction, made, values, run)
    return run


def taken(made: Made, path: Path, data: Path | None, loc: Loc) -> Run:
    """Check a model file and load it.

    Raises
    ------
    ExportError
        GP505 where that cannot be done, GP615 where the opset of the file is why.
    ModelError
        GP614 where onnxruntime takes a model that the program calls neither.
    """
    check(path, loc, made.program)
    arrays = large_arrays(made.model)
    if data is not None and not is_as_written(arrays, data):
        raise failed("the file with the arrays has other bytes than were written", loc)
    try:
        return loaded(path, arrays if data is not None else {}, loc)
    except ExportError:
        require_models_that_run(made.program)
        raise


def compare(calls: Calls, extraction: Extraction, made: Written, values: Values, run: Run) -> None:
    """Compare what a file computes of example arguments with Python.

    Raises
    ------
    ExportError
        GP505 where anything differs.
    LimitError
        Where the example arguments come to what a program cannot do.
    """
    try:
        for found in differences(calls, extraction, made, values, run):
            if not found.name:
                raise failed(f"the model {found.text}, for the example arguments", calls.loc, REPORT)
            text = f"the model gives another result than {found.oracle} for the example arguments: "
            raise failed(f"{text}{found.name}{found.text}", calls.loc, AMPLIFIED)
    except GraphProgramError:  # also what is an error of a run by its class
        raise
    except RUN_ERRORS as error:
        raise _not_run(error, calls.loc) from None


def differences(
    calls: Calls,
    extraction: Extraction,
    made: Written,
    values: Values,
    run: Run,
    precision: float = 0.0,
    oracle: Callable[[PlainCall], Outcome] = PlainCall.python,
) -> Iterator[Differing]:
    """Where a call by way of a file differs from Python's.

    Parameters
    ----------
    calls : Calls
    extraction : Extraction
    made : Written
        The program that was written.
    values : mapping of str to object
        The arguments.
    run : callable
        The outputs of the file by name, for its inputs by name; what it raises is raised.
    precision : float
        That in which it computes, where it is another one than the program says.
    oracle : callable
        Makes the call that it is compared with; Python's by default.
    """
    try:
        call = PlainCall(calls, extraction.interface, made, values, extraction.in_a_call)
        yield from _from_oracle(extraction, call, run, precision, oracle)
    except NotRunAgain:
        yield from _from_interpreter(calls, extraction.interface, made, values, run, precision)


def _from_oracle(
    extraction: Extraction, call: PlainCall, run: Run, precision: float, oracle: Callable[[PlainCall], Outcome]
) -> Iterator[Differing]:
    try:
        expected = oracle(call)
    except ModelError:
        require_models_that_run(call.made.program)  # the same at the line of the call
        raise
    if expected.error and not (call.made.errors and call.made.checked):
        return  # what a model without its checks gives then means nothing
    numbers: list[Any] = []

    def noted(feed: Feed) -> dict[str, Any]:
        outputs = run(feed)
        numbers.extend((*feed.values(), *outputs.values()))
        return outputs

    try:
        found = call.of_file(noted)
    except RUN_ERRORS:
        if expected.error is None:
            raise
        return
    if expected.error is None and found.error is None:
        # Objects that a model does not give back are as they were.
        whole = extraction.in_a_call in ((), extraction.interface.set_backs)
        allowed = rounding(call.made.program, numbers, precision)
        for name, want in expected.everything.items():
            if whole or name == "result":
                where, how = difference_at(want, found.everything[name], allowed)
                if how:
                    yield Differing(f"{name}{where}", how)
    elif not _same_errors(expected.error, found.error):
        if found.limit is not None:
            raise found.limit  # as a call of the program does
        yield Differing("", f"{_ended(found)} where Python {_ended(expected)}")


def _same_errors(expected: type[BaseException] | None, found: type[BaseException] | None) -> bool:
    if expected is None or found is None:
        return False
    return issubclass(expected, found) or issubclass(found, expected)


def _ended(outcome: Outcome) -> str:
    return "gives a result" if outcome.error is None else f"raises {outcome.error.__name__}"


def _from_interpreter(
    calls: Calls, interface: Interface, made: Written, values: Values, run: Run, precision: float
) -> Iterator[Differing]:
    feed = feed_of(calls.callee, interface, values, calls.instance)
    try:
        with np.errstate(all="ignore"):
            expected = interpreter.run(made.program, feed)
        found = run(feed)
    except interpreter.OperationError:
        return  # Python raises here
    results = len(made.program.output_names)
    if made.program.errors and expected[results]:
        if not made.errors:
            return
        expected = expected[results : results + 1]
        found = dict([list(found.items())[results]])
    pairs = zip(found, expected[: len(found)], found.values(), strict=False)
    allowed = rounding(made.program, (*feed.values(), *expected), precision)
    for name, want, got in pairs:
        where, how = difference_at(np.asarray(want), np.asarray(got), allowed)
        if how:
            yield Differing(f"{name}{where}", how, "NumPy")


def _not_run(error: Exception, loc: Loc) -> ExportError:
    return failed(f"onnxruntime {onnxruntime.__version__} does not run the model: {reason(error)}", loc)


__all__ = ["differences", "verify"]
