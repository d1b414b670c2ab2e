"""One extraction made runnable, whatever runs it: the shim, and what happens when a run goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np

from graph_program.backends.host.captures import kept, require_unchanged
from graph_program.backends.host.direct_calls import Direct
from graph_program.backends.host.errors import make_exception, raise_at
from graph_program.backends.host.shim import Callee, Shim
from graph_program.backends.host.tally import Tally
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.interface import CapturedInput, Interface
from graph_program.extract.ir.residual import Program
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class RunOptions:
    """How a model is run; `freeze` makes every captured array a constant of the model."""

    freeze: bool = False
    providers: tuple[Any, ...] | None = None
    threads: int | None = None


class Apart(Protocol):
    """What another process needs to make runs; can be pickled."""

    def ready(self) -> Callable[[Mapping[str, Any]], list[Any]]:
        """What makes a run there: a feed to the outputs that calls ask for."""


class Calls(Protocol):
    """Functions that make the calls of one signature; see `Shim`."""

    dispatch: Callable[..., Any]
    call: Callable[..., Any]


class Runnable:
    """A signature of a program, ready to be called.

    Attributes
    ----------
    dispatch, call : callable
        See `Shim`.
    checked : callable
        Gives the program that checks the arguments' sizes itself; it explains failures.
    again : callable, optional
        Runs the call once more with the arguments as they are, writes what it had written before it raised, and raises.
    watched : callable, optional
        Makes the run that calls do of the one that there is.
    tally : Tally
        How often each host step has run.
    errors : tuple of type
        What a run may raise.
    """

    errors: tuple[type[Exception], ...] = ()
    settings: Any = None
    pauses = False

    def __init__(
        self,
        program: GraphProgram,
        interface: Interface,
        callee: Callee,
        options: RunOptions,
        loc: Loc,
        checked: Callable[[], GraphProgram] | None = None,
        residual: Program | None = None,
        again: Callable[[tuple[Any, ...]], None] | None = None,
        watched: Callable[[Callable[..., list[Any]]], Callable[..., list[Any]]] | None = None,
    ):
        self.program = program
        self.checked = checked or (lambda: program)
        self.interface = interface
        self.loc = loc
        self.again = again
        results = len(program.output_names)
        self.error_index = results if program.errors else None
        self.frozen = frozen_arrays(interface, options.freeze)
        self.tally = Tally(len(program.host))
        self.names: list[str] = []
        self._all_names: list[str] = []
        self.inputs: frozenset[str] = frozenset()
        self.direct: Direct | None = None
        self.run: Callable[..., list[Any]] = lambda names, feed, run_options: []
        if program.host and residual is not None and self._in_segments():
            self._start_segments(residual, options)
        elif program.graph.outputs:
            self._start(results, options)
        self.callee, self.options, self._bare = callee, options, self.run
        if watched is not None:
            self.run = watched(self.run)
        self._make_shim()

    def _in_segments(self) -> bool:
        """Whether a program with host steps runs piece by piece."""
        return False

    def _start_segments(self, residual: Program, options: RunOptions) -> None:
        """Make what runs the program piece by piece."""
        raise NotImplementedError

    def _start(self, results: int, options: RunOptions) -> None:
        """Make what runs the program."""
        raise NotImplementedError

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks at the runs, and may have another back end take their place."""
        return self.run is not self._bare

    def bound(self) -> Calls | None:
        """The same calls with memory that stays from one to the next, where that makes a difference."""
        return None

    def apart(self, threads: int) -> Apart | None:
        """What another process needs to make the runs, with so many threads unless the program says how many.

        None where it cannot have that, such as steps on the host.
        """
        return None

    def _make_shim(self) -> None:
        shim = Shim(self.callee, self.interface, self)
        self.dispatch, self.call = shim.dispatch, shim.call

    def unwatched(self) -> None:
        """Make the shim anew, for runs that nobody watches."""
        self.run = self._bare
        self._make_shim()

    def _keeping(self, run: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """A run that notices captured arrays which host code changes in place."""

        def keeping(names: Sequence[str], feed: dict[str, Any], options: None) -> list[Any]:
            copies = kept(feed, self.interface)
            outputs = run(names, {**feed, **copies}, options)
            require_unchanged(feed, copies, self.interface, self.loc)
            return outputs

        return keeping

    def fail(self, number: Any, source: Mapping[str, Any] | Sequence[Any], given: tuple[Any, ...] = ()) -> NoReturn:
        """Raise the exception of an error number; `source`: the feed, or where it cannot be run again the outputs."""
        index = int(number) - 1
        info = self.program.errors[index]
        if info.replayed:
            self.replay(None, dict(source), given)  # no host takes part, so it can be
        self._write(info.after_writes, given)
        wanted = self.program.error_args[index]
        arguments: Sequence[np.ndarray[Any, Any]] = ()
        if not isinstance(source, Mapping):
            arguments = [source[i] for i in wanted]
        elif wanted:
            try:
                arguments = self.run([self._all_names[i] for i in wanted], dict(source), None)
            except self.errors as error:
                self.replay(error, source, given)
        exception = make_exception(info, arguments)
        if self.program.host:
            source[-1].close()  # type: ignore[index]  # what the host has ends before the caller handles the exception
        raise_at(exception, info.loc)

    def _write(self, after_writes: bool, given: tuple[Any, ...]) -> None:
        """Have a failing call write what Python writes before it raises."""
        if after_writes and self.again is not None and given:
            self.again(given)

    def replay(self, error: Exception | None, feed: Mapping[str, Any], given: tuple[Any, ...] = ()) -> NoReturn:
        """Raise what NumPy raises for inputs on which onnxruntime failed, or whose sizes do not fit."""
        _, failure = self.judge(error, feed, given)
        failure()

    def judge(
        self, error: Exception | None, feed: Mapping[str, Any], given: tuple[Any, ...] = ()
    ) -> tuple[Sequence[np.ndarray[Any, Any]], Callable[[], NoReturn]]:
        """The outputs of a run that fails, as far as it gets, and what raises its exception."""
        from graph_program.backends.reference import interpreter

        program = self.checked()
        failed: interpreter.OperationError | None = None
        try:
            outputs = interpreter.run(program, {**self.frozen, **feed})
        except interpreter.OperationError as found:
            failed = found
        if failed is not None:
            self._write(any(info.after_writes for info in program.errors), given)
            raise_at(failed.original, failed.loc, instead=error)  # ours is no context that a user wants
        number = int(outputs[len(program.output_names)]) if program.errors else 0
        if not number:
            raise self._mismatch(error) from None
        info = program.errors[number - 1]
        arguments = [outputs[i] for i in program.error_args[number - 1]]

        def failure() -> NoReturn:
            self._write(info.after_writes, given)
            raise_at(make_exception(info, arguments), info.loc, instead=error)

        return outputs, failure

    def _mismatch(self, error: Exception | None) -> Exception:
        why = "a check of sizes" if error is None else "onnxruntime"
        return GraphProgramError(
            Diagnostic(
                "GP903",
                f"{why} failed where NumPy does not{'' if error is None else f': {error}'}",
                self.loc,
                notes=("the reference backend computed the same graph on the same inputs without an error",),
                hint="this is a fault of graph-program; please report it with the program",
            )
        )


def frozen_arrays(interface: Interface, freeze: bool) -> dict[str, np.ndarray[Any, Any]]:
    """The captured arrays that are constants of the model, by input name: all, or the read-only ones."""
    captured = (i for i in interface.inputs if isinstance(i, CapturedInput))
    written = {back.path for back in interface.write_backs}
    return {c.name: c.present for c in captured if (freeze or not c.array.flags.writeable) and c.path not in written}


__all__ = ["RunOptions", "Runnable", "frozen_arrays"]
