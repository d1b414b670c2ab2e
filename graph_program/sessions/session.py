"""A session: calls of a program that keep their memory from one to the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from graph_program.backends.host.miss import MISS, SHIMS
from graph_program.calls.calls import Calls
from graph_program.extract.diagnostics import Diagnostic, ProgramValueError

if TYPE_CHECKING:
    from types import TracebackType

    from graph_program.backends.host import runnable
    from graph_program.calls.kept_programs.kept import KeptProgram
    from graph_program.calls.one_signature import Signature

P = ParamSpec("P")
R = TypeVar("R")


class Session(Generic[P, R]):
    """Calls of a program that keep their memory from one to the next; made by `GraphProgramFunction.session`.

    Called like the program, it does and gives the same.  Threads may share it: each call has memory of its own.

    Parameters
    ----------
    calls : Calls
    kept : KeptProgram or None
        Machine code of earlier processes.
    is_plain : bool
        Whether the program runs as plain Python (`GRAPH_PROGRAM_DISABLE`).
    """

    def __init__(self, calls: Calls, kept: KeptProgram | None, is_plain: bool):
        self._calls, self._kept, self._is_plain = calls, kept, is_plain
        self._first: tuple[Any, ...] = () if calls.callee.bound is None else (calls.instance,)
        self._shims: tuple[Callable[..., Any], ...] = (calls.fn,) if is_plain else self._kept_shims()
        self._made: dict[int, tuple[Signature, runnable.Calls]] = {}
        self._lock = threading.Lock()
        self._is_open = True

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the program."""
        given = (*self._first, *args) if self._first else args
        for shim in self._shims:
            result: R = shim(*given, **kwargs) if kwargs else shim(*given)
            if result is not MISS:
                return result
        return self._slow(given, kwargs)  # type: ignore[no-any-return]

    def _slow(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A call that no shim takes."""
        self._require_open()
        for shim in self._kept.shims() if self._kept is not None else ():
            self._shims = (shim, *self._shims)[:SHIMS]
            result = shim(*args, **kwargs)
            if result is not MISS:
                return result
        bound = self._calls.bind(*args, **kwargs)
        return self._of_signature(self._calls.found_for_call(bound)).call(*bound)

    def _of_signature(self, found: Signature) -> runnable.Calls:
        """What makes the calls of a signature in this session, from now on before others."""
        with self._lock:
            found.switched.add(self)
            known = self._made.get(id(found))
            made = known[1] if known is not None else found.compiled.bound() or found.compiled
            self._made[id(found)] = found, made
            others = (shim for shim in self._shims if shim is not made.dispatch)
            self._shims = (made.dispatch, *others)[:SHIMS]
        return made

    def forget(self, signature: Signature) -> None:
        """Something else runs the calls of a signature from now on."""
        with self._lock:
            self._made.pop(id(signature), None)
            self._shims = self._kept_shims()

    def _kept_shims(self) -> tuple[Callable[..., Any], ...]:
        return () if self._kept is None else tuple(self._kept.known[:SHIMS])

    def _require_open(self) -> None:
        if not self._is_open:
            text = f"the session of `{self._calls.fn.__name__}` is closed"
            hint = f"call it inside of `with {self._calls.fn.__name__}.session() as session:`"
            raise ProgramValueError(Diagnostic("GP560", text, self._calls.loc, hint=hint))

    def run_many(self, stream: Iterable[Any], *, processes: int = 1, progress: bool = True) -> Iterator[R]:
        """Call the program again and again; gives the results in order, each when it is asked for.

        Parameters
        ----------
        stream : iterable
            The arguments: a tuple has those of a call in order, a dict those by name; else it is the only one.
        processes : int
            How many processes make the runs of the graph; 1 is this one alone.  With more, calls are begun ahead: the
            stream is asked for more than results have been, and what it gave may change afterwards.  What comes of a
            call comes in its turn, in this process: what it prints, the exception it raises.
        progress : bool
            Whether a bar is shown, where the standard error stream is a terminal and `rich` is there.

        Raises
        ------
        ProgramValueError
            GP560 where the session is closed; from the first result on, GP561 for `processes` of a program that writes
            to its arguments or to an object's attributes, GP562 where it needs Python in the middle.
        GraphProgramError
            GP563 where a process has been ended.
        Exception
            What a call or the stream raises, in its turn; nothing comes behind it.
        """
        self._require_open()
        if not isinstance(processes, int) or isinstance(processes, bool):
            raise TypeError(f"processes must be a whole number, not {processes!r}")
        if processes < 1:
            raise ValueError(f"processes must be at least 1, not {processes}")
        from graph_program.sessions.progress import shown
        from graph_program.sessions.streams import in_processes, in_turn

        if processes == 1 or self._is_plain:
            results = in_turn(self, stream)
        else:
            results = self._while_open(
                in_processes(self._calls, self._first, self, stream, processes, bool(self._kept_shims()))
            )
        return shown(results, stream, self._calls.fn.__name__) if progress else results

    def _while_open(self, results: Generator[R, None, None]) -> Iterator[R]:
        """Results of calls that are begun ahead; to ask for the next one is a call."""
        with closing(results):
            while True:
                self._require_open()
                try:
                    result = next(results)
                except StopIteration:
                    return
                yield result

    # ------------------------------------------------------------ the end

    def close(self) -> None:
        """Let go of the memory; what calls have given stays as it is."""
        with self._lock:
            self._is_open = False
            self._made.clear()
            self._shims = ()

    def __enter__(self) -> Session[P, R]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<session of {self._calls.fn.__qualname__}{'' if self._is_open else ', closed'}>"


class SessionOfPartial(Session[P, R]):
    """Of a `functools.partial`: a call that replaces what this fixes by keyword is one of the program.

    So is one with more arguments than are left.
    """

    def __init__(self, calls: Calls, is_plain: bool, left: tuple[int, Mapping[str, Any]], program: Callable[P, R]):
        super().__init__(calls, None, is_plain)
        (self._most, self._fixed), self._program = left, program

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the program."""
        if len(args) > self._most or (kwargs and not self._fixed.keys().isdisjoint(kwargs)):
            return self._program(*args, **kwargs)
        return super().__call__(*args, **kwargs)


Session.__module__ = "graph_program"
__all__ = ["Session", "SessionOfPartial"]
