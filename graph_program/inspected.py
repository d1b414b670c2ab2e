"""What a program says of itself without being called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.calls.crossings import Copies


class Inspected:
    """Something that has calls to ask."""

    def _ready(self) -> Calls:
        """What knows everything about the program."""
        raise NotImplementedError

    @property
    def signature(self) -> str:
        """The types of parameters and results: `attention: (t [n, d], t [m, d], t [m, v]) -> t [n, v]`.

        What annotations leave open is inferred from the program; `t` and `u` are element types, `*s` an
        unknown run of dims.  Where that does not say the type of the result, it is that of the last call.
        Where NumPy promotes element types or broadcasts shapes, they are shown as one.
        """
        return self._ready().signature()

    @property
    def copies(self) -> Copies:
        """The crossings between host and graph that are copies, asked for or not; `print` shows a table.

        A sequence of `Copy`, each with its place (`file`, `line`), direction (`to`), `type`, `bytes`, the number of
        loops around it (`depth`), whether it is written (`asked`), the line where the value was `made`, and how
        often it has happened so far (`times`: over all calls of the program, from all threads; what a run was about
        to copy when it ended with an exception counts, too).  Types are those of the last call, or else the
        annotated ones; places that several types of arguments share count for all of them.
        """
        return self._ready().copies()

    @property
    def host_source(self) -> str:
        """The host half of the program: what Python does beside the graph, step by step; empty if nothing.

        Every step is a function of what it reads: objects on the host, and values that the graph sends.  It
        gives new objects, and what it tells the graph.  The steps of the last call are shown, or else those
        for the annotated types.
        """
        return self._ready().host_source()
