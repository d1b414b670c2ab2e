"""The profile of a program here: of the model that a call of it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import onnx

from graph_program.backends.onnx.call_sites import calls_text
from graph_program.backends.onnxruntime.compiled import Compiled, RunOptions
from graph_program.backends.onnxruntime.session import RUN_ERRORS, Session
from graph_program.exports.feeds import Feed, feed_of
from graph_program.extract.diagnostics import Diagnostic, Label, Loc, UnsupportedError
from graph_program.extract.ir.graph import Node
from graph_program.profiles.measured import Subject, measure
from graph_program.profiles.nodes import Frame, Nodes, Place, Stack, stack_of
from graph_program.profiles.overhead import corrected
from graph_program.profiles.profile import Profile, profile_of

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.calls.one_signature import Signature


def profile(calls: Calls, bound: tuple[Any, ...], repeat: int, warmup: int) -> Profile:
    """See `GraphProgramFunction.profile`; `bound` are the values of all parameters."""
    require_counts(repeat, warmup)
    found = calls.found_for_call(bound)
    _require_no_host(found)
    compiled, entry = found.in_onnxruntime(), Frame(calls.loc.file, calls.loc.line, calls.loc.function)
    if not compiled.names:  # the result is known, and nothing is run
        return Profile(calls.fn.__qualname__, (), 0.0, (0.0,) * repeat, (), 0.0, entry)
    values = dict(zip(calls.callee.signature.parameters, bound, strict=True))
    values.pop(calls.callee.bound or "", None)
    feed = feed_of(calls.callee, compiled.interface, values, calls.instance)
    _require_no_error(compiled, feed)
    model, options = compiled.model(call_sites=True), _run_options(calls)
    given = {name: value for name, value in feed.items() if name in compiled.inputs}

    def run(session: Session) -> Sequence[Any]:
        return session.run(compiled.names, given, None)

    nodes = Nodes(onnx.ModelProto.FromString(model))
    subject = Subject(lambda adjust: compiled.session(model, options, adjust), run, calls.loc)
    times = corrected(measured := measure(subject, nodes, repeat, warmup))
    stacks = _stacks(compiled.program.graph.nodes)

    def stack(place: Place) -> Stack:
        return stacks.get(place, ()) if place.source else (entry,)

    return profile_of(calls.fn.__qualname__, times, measured, nodes, stack, entry)


def require_counts(repeat: int, warmup: int) -> None:
    """Refuse numbers of runs that are none."""
    for name, value, least in (("repeat", repeat, 1), ("warmup", warmup, 0)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} must be an integer, not {value!r}")
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")


def _run_options(calls: Calls) -> RunOptions:
    options = calls.options
    return RunOptions(options.freeze, options.providers, options.threads)


def _require_no_host(found: Signature) -> None:
    """Refuse a program whose runs do more than compute."""
    steps = found.extraction.host
    if steps:
        first, *others = steps
        raise UnsupportedError(
            Diagnostic(
                "GP513",
                f"`{found.extraction.session.name}` cannot be profiled: each run would do {first.text} again",
                first.loc,
                tuple(Label(step.loc, f"and {step.text}") for step in others[:4]),
                hint="profile what computes as a program of its own, which takes what the host gives as arguments",
            )
        )


def _require_no_error(compiled: Compiled, feed: Feed) -> None:
    """Raise what a call with these arguments raises."""
    given = {name: value for name, value in feed.items() if name in compiled.inputs}
    try:
        outputs = compiled.run(compiled.names, given, None)
    except RUN_ERRORS as error:
        compiled.replay(error, feed)
    if compiled.error_index is not None and outputs[compiled.error_index]:
        compiled.fail(outputs[compiled.error_index], outputs if compiled.interface.keeps_writes else given)


def _stacks(nodes: Iterable[Node]) -> dict[Place, Stack]:
    """The lines that places in a model stand for: these have names of files only, and no folders."""
    found = dict[Place, Stack]()
    for loc in _locs(nodes):
        found.setdefault(Place(loc.where, calls_text(loc.chain[::-1])), stack_of(loc))
    return found


def _locs(nodes: Iterable[Node]) -> Iterator[Loc]:
    for node in nodes:
        yield node.loc
        for region in node.regions:
            yield from _locs(region.nodes)


__all__ = ["profile", "require_counts"]
