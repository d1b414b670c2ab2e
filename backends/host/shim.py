"""The host shim: Python generated for one signature that feeds the session and builds the result.

    def scale(x, k=_default_0):
        if type(x) is not _ndarray_1 or x.dtype is not _dtype_2 or x.ndim != 1: return _miss_3
        if type(k) is not float: return _miss_3
        _feed = {"x": x, "k": _array_4(k, _dtype_5)}
        if not (x.shape[0] > 1): return _replay_9(None, {"x": x, "k": _array_4(k, _dtype_5)})
        try: _outputs = _run_6(_names_7, _feed, None)
        except _errors_8 as _error: return _replay_9(_error, {"x": x, "k": _array_4(k, _dtype_5)})
        if _outputs[1]: return _fail_10(_outputs[1], _feed)
        return _outputs[0]

The checks are the dispatch: a signature that does not fit gives `MISS`, and the next is tried.  What raises is returned
for runners that make the call once more, and may find nothing to raise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.backends.host import writing
from graph_program.backends.host.codegen import Scope, build, parameter_list
from graph_program.backends.host.direct_calls import Direct, tests_all
from graph_program.backends.host.errors import reported_at
from graph_program.backends.host.matching import Matcher, match_state, mutable_parts
from graph_program.backends.host.miss import MISS
from graph_program.backends.host.results import OUTPUTS, Results, complex_array, set_rows
from graph_program.backends.host.runner import Runner
from graph_program.backends.host.size_tests import shape_places, size_expression
from graph_program.backends.host.statics import same_static, snapshot
from graph_program.backends.host.steps import with_levels
from graph_program.extract.arguments.call_sizes import Checker, size_checker
from graph_program.extract.diagnostics import CallError
from graph_program.extract.ir.interface import (
    ArgInput,
    Back,
    CapturedInput,
    Guard,
    HostEffect,
    Interface,
    RefillBack,
    RowsBack,
    SetBack,
    State,
    WriteBack,
)
from graph_program.extract.ir.paths import ROW, KeyStep, Path, path_text
from graph_program.extract.ir.results import CapturedResult, ListResult, RowsResult
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import PY_INT, Kind, TensorType

FEED = "_feed"
FAILURE = "_failure"
FAILURE_LINE = f"{FAILURE} = None"
"""There are effects that a failing run makes before it raises."""


@dataclass(frozen=True)
class Callee:
    """The Python function that a shim stands for; `bound` is the parameter that holds `self`."""

    name: str
    qualname: str
    signature: inspect.Signature
    bound: str | None = None


class Shim:
    """Generates the functions of one signature.

    Attributes
    ----------
    dispatch : callable
        Takes the arguments as the user's function does; gives `MISS` if they do not fit.
    call : callable
        The same without checks, for arguments that are known to fit; takes one value per parameter.
    """

    def __init__(self, callee: Callee, interface: Interface, runner: Runner):
        self.callee = callee
        self.interface = interface
        self.runner = runner
        self.dispatch = self._generate(checked=True)
        self.call = self._generate(checked=False)

    def _generate(self, checked: bool) -> Callable[..., Any]:
        callee = self.callee
        names = list(callee.signature.parameters)
        scope = Scope(names)
        parameters = parameter_list(callee.signature, scope) if checked else ", ".join(names)
        body = Body(self.interface, self.runner, scope, callee.bound, checked).write()
        filename = f"<graph_program: {callee.qualname}>"
        return build(parameters, body, scope, (callee.name, callee.qualname), filename)


class Body:
    """Writes the body of one generated function."""

    def __init__(self, interface: Interface, runner: Runner, scope: Scope, bound: str | None, checked: bool):
        self.interface = interface
        self.runner = runner
        self.scope = scope
        self.checked = checked
        self.lines: list[str] = []
        self.miss = scope.constant(MISS, "miss") if checked else None
        self.run_tests = checked and bool(runner.names) and tests_all(interface, runner.direct)
        """Whether the run says itself that an argument does not fit."""
        self.matcher = self.make_matcher()
        self.bound = bound
        names = [*((bound,) if bound is not None else ()), *(name for name, _ in interface.parameters)]
        self.given = f"({''.join(f'{name}, ' for name in names)})"
        """The arguments, in order."""
        if bound is not None:
            self.matcher.places[(bound,)] = bound
        direct = runner.direct or Direct(runner.run, (), {}, {}, {})
        self.results = Results(scope, self.place, self.lines, numbers=direct.numbers, arrays=direct.arrays)

    def write(self) -> list[str]:
        for name, spec in self.interface.parameters:
            self.matcher.match(name, spec, (name,))
        match_state(self.matcher, self.interface.state)
        if self.checked:
            self._guards()
        self.sizes()
        self._overlaps()
        self._run()
        if self.interface.keeps_writes:
            self._write_back()
            self._errors()
        else:
            for effect in self.interface.effects:
                self._effect(effect)
            self._errors()
            self._write_back()
        self.lines.append(f"return {self.results.expression(self.interface.result)}")
        return self.lines

    def make_matcher(self) -> Matcher:
        """What takes the arguments apart."""
        return Matcher(self.scope, self.lines, None if self.run_tests else self.miss)

    def constant(self, value: Any, hint: str) -> str:
        return self.scope.constant(value, hint)

    def place(self, path: Path) -> str:
        """The expression of a part of the arguments, or of a captured object."""
        if path in self.matcher.places:
            return self.matcher.places[path]
        if ROW in path:
            return self._of_each(path, self.place(path[: path.index(ROW) + 1]))
        for captured in self._captured():
            if captured.path == path:
                return self.constant(captured.array, "captured")
        if len(path) == 1:
            raise KeyError(path_text(path))
        return self.place(path[:-1]) + self._step(path)

    def _of_each(self, path: Path, elements: str) -> str:
        """What is at a place in each of the elements of a list."""
        inner = "".join(self._step(path[: i + 1]) for i in range(path.index(ROW) + 1, len(path)))
        return f"[x{inner} for x in {elements}]"

    def _step(self, path: Path) -> str:
        step = path[-1]
        if isinstance(step, str):
            return step
        return f"[{self.constant(step.key, 'key') if isinstance(step, KeyStep) else step}]"

    def _captured(self) -> list[CapturedInput]:
        return [i for i in self.interface.inputs if isinstance(i, CapturedInput)]

    # before the run

    def _guards(self) -> None:
        for guard in self.interface.guards:
            fits = self.constant(guard_test(guard), "guard")
            self.lines.append(f"if not {fits}(): return {self.miss}")

    @property
    def arrays(self) -> list[tuple[Path, TensorType]]:
        """The arrays in the arguments, and their types."""
        return [(p, t) for p, t in self.matcher.tensors.items() if t.kind is Kind.ARRAY]

    def sizes(self) -> None:
        """Ask whether sizes fit together, unless the run does or nobody wants to know."""
        if not self.checked or self.run_tests:
            return
        arrays = self.arrays
        check = size_checker([(path_text(p), t) for p, t in arrays], self.interface.dims)
        if check is not None:
            shapes = "".join(f"{self.place(p)}.shape, " for p, _ in arrays)
            fits = self.constant(SizesFit(check), "sizes")
            self.lines.append(f"if not {fits}(({shapes})): return {self.miss}")

    def _overlaps(self) -> None:
        """Arrays that are written may share no memory with others that the program reads."""
        written = [back.path for back in self.interface.write_backs]
        others = [p for p, t in self.matcher.tensors.items() if t.kind is Kind.ARRAY and ROW not in p]
        others += [c.path for c in self._captured() if c.path not in others]
        refuse = self.constant(writing.refuse_overlap, "refuse_overlap")
        seen: set[frozenset[Path]] = set()
        for path in written:
            repeats = self.constant(writing.refuse_repeats, "refuse_repeats")
            self.lines.append(
                f"if not {self.place(path)}.flags.forc: {repeats}({self.place(path)}, {path_text(path)!r})"
            )
            for other in others:
                pair = frozenset((path, other))
                if len(pair) == 2 and pair not in seen:
                    seen.add(pair)
                    texts = f"{path_text(path)!r}, {path_text(other)!r}"
                    self.lines.append(f"{refuse}({self.place(path)}, {self.place(other)}, {texts})")
        self._overlaps_in_lists(written, others)
        self._same_objects()

    def _overlaps_in_lists(self, written: list[Path], others: list[Path]) -> None:
        """The same where arrays are in lists of any length."""
        lists = self.matcher.in_lists
        changed = [(*b.path, f".{f.name}") for b in self._rows_backs() for f in b.fields if f.when is None]
        for path in [*written, *(p for p in changed if p in lists)] if lists else ():
            refuse = self.constant(writing.refuse_overlaps, "refuse_overlaps")
            found = [p for p in lists if p != path] + ([] if path in written else others)
            apart = "".join(f"({path_text(p)!r}, {self._arrays(p)}), " for p in found)
            self.lines.append(f"{refuse}({path_text(path)!r}, {self._arrays(path)}, ({apart}))")

    def _arrays(self, path: Path) -> str:
        """The arrays at a place, in a list."""
        if ROW not in path:
            return f"[{self.place(path)}]"
        return self._of_each(path, self.place(path[: path.index(ROW)]))

    def _rows_backs(self) -> list[RowsBack]:
        return [back for back in self.interface.set_backs if isinstance(back, RowsBack)]

    def _same_objects(self) -> None:
        """An object whose parts are set may be no other part of the arguments."""
        changed = dict.fromkeys(
            back.path if isinstance(back, RefillBack) else back.path[:-1] for back in self.interface.set_backs
        )
        state = self.interface.state  # apart from one another already
        own: set[Any] = {*mutable_parts(state), *(owner.path for owner in state.objects), (self.bound,)}
        parts = [p for p in self.matcher.places if p not in self.matcher.tensors]
        refuse = self.constant(writing.refuse_same, "refuse_same")
        for path in changed:
            for other in parts:
                apart = path in own and other in own
                if other != path and path in self.matcher.places and not apart:
                    texts = f"{path_text(path)!r}, {path_text(other)!r}"
                    a, b = self.place(path), self.place(other)
                    self.lines.append(f"if {a} is {b}: {refuse}({texts})")
        self._same_in_lists([p for p in changed if p in parts], parts, own)

    def _same_in_lists(self, changed: list[Path], parts: list[Path], own: set[Any]) -> None:
        """The same for objects in lists of any length."""
        if not self.matcher.lists:
            return
        refuse, number = self.constant(writing.refuse_same, "refuse_same"), self.constant(id, "id")
        written = {back.path[: back.path.index(ROW)] for back in self._rows_backs()}
        for path, columns in self.matcher.lists.items():
            for other in parts if path in written else changed:
                if not (path in own and other in own) and ROW not in other:
                    texts = f"{path_text((*path, ROW))!r}, {path_text(other)!r}"
                    self.lines.append(f"if {number}({self.place(other)}) in {columns}.parts: {refuse}({texts})")
            for other, theirs in self.matcher.lists.items() if path in written else ():
                if other != path and not (path in own and other in own):
                    texts = f"{path_text((*path, ROW))!r}, {path_text((*other, ROW))!r}"
                    test = f"not {self.constant(set, 'set')}({columns}.parts).isdisjoint({theirs}.parts)"
                    self.lines.append(f"if {test}: {refuse}({texts})")

    # the run

    @property
    def _goes_on(self) -> bool:
        """Whether there is something to do after a run that fails."""
        return bool(self.interface.effects) or self.interface.keeps_writes

    def _run(self) -> None:
        if not self.runner.names and not self.interface.size_tests:
            return
        if self._goes_on:
            self.lines.append(FAILURE_LINE)
        run, refused = self._run_text()
        failed = self._failed("None")
        test = "" if self.run_tests else self._size_test()
        if test:
            self.lines.append(f"if not ({test}): {failed}")
        if self.runner.names:
            nested = bool(test and self._goes_on)
            self.lines += ["else:"] if nested else []
            indent = " " * 4 if nested else ""
            errors = self.constant(self.runner.errors, "errors")
            self.lines += [
                f"{indent}try: {OUTPUTS} = {run}",
                *(f"{indent}{line}" for line in refused),
                f"{indent}except {errors} as _error: {self._failed('_error')}",
                *([f"if {OUTPUTS} is {self.miss}: return {self.miss}"] if self.run_tests else []),
            ]

    def _run_text(self) -> tuple[str, list[str]]:
        """The call of what runs the model, with its own lines about arguments; others go before it."""
        # An int outside int64 is refused where arguments are read, the slow way.
        has_ints = self.checked and any(i.type == PY_INT for i in self.interface.inputs)
        refused = [f"except OverflowError: return {self.miss}"] if has_ints else []
        if self.runner.direct is not None:
            leaves = {leaf.name: leaf for leaf in self.interface.inputs}
            given = [self._given(leaves[name]) for name in self.runner.direct.order]
            given += [str(self.miss)] if self.run_tests else []
            return f"{self.constant(self.runner.direct.call, 'direct')}({', '.join(given)})", refused
        feeds = [f"{i.name!r}: {self._feed(i)}" for i in self.interface.inputs if i.name in self.runner.inputs]
        if self.interface.host is not None:
            feeds.append(f"'host': ({''.join(f'{self.results.expression(o)}, ' for o in self.interface.host)})")
        feed = f"{FEED} = {{{', '.join(feeds)}}}"
        self.lines += [f"try: {feed}", *refused] if refused else [feed]
        if self.runner.pauses:
            return f"yield {FEED}", []
        run, names = self.constant(self.runner.run, "run"), self.constant(self.runner.names, "names")
        settings = None if self.runner.settings is None else self.constant(self.runner.settings, "settings")
        return f"{run}({names}, {FEED}, {settings})", []

    def _failed(self, error: str) -> str:
        """What is done where the session cannot run; effects and writes before the failure are still to be made."""
        feed = self._whole_feed()
        if not self._goes_on:
            return f"return {self.constant(self.runner.replay, 'replay')}({error}, {feed}, {self.given})"
        return f"{OUTPUTS}, {FAILURE} = {self.constant(self.runner.judge, 'judge')}({error}, {feed}, {self.given})"

    def _whole_feed(self) -> str:
        return f"{{{', '.join(f'{i.name!r}: {self._feed(i)}' for i in self.interface.inputs)}}}"

    def _size_test(self) -> str:
        """The condition on the arguments' sizes under which the session runs; "" for none."""
        if not self.interface.size_tests:
            return ""
        places = shape_places([(f"{self.place(p)}.shape", t.shape) for p, t in self.arrays])
        return size_expression(self.interface.size_tests, places)

    def _feed(self, leaf: ArgInput | CapturedInput) -> str:
        if isinstance(leaf, CapturedInput):
            return self.constant(leaf.array, "captured") + part_of(leaf)
        place = self.place(leaf.path) + part_of(leaf)
        if leaf.type.kind is not Kind.ARRAY:
            return f"{self.constant(np.array, 'array')}({place}, {self.constant(leaf.type.dtype, 'dtype')})"
        if self.checked:
            return place
        native = self.constant(np.ascontiguousarray if leaf.type.rank else np.asarray, "native")
        return f"{native}({place}, {self.constant(leaf.type.dtype, 'dtype')})"

    def _given(self, leaf: ArgInput | CapturedInput) -> str:
        """The same where numbers are taken as they are."""
        if isinstance(leaf, CapturedInput) or leaf.type.kind is Kind.ARRAY:
            return self._feed(leaf)
        return self.place(leaf.path) + part_of(leaf)

    # after the run

    def _effect(self, effect: HostEffect) -> None:
        call = self.constant(reported_at(effect.function, effect.loc), "effect")
        given = [self.results.expression(a) for a in effect.args]
        named = [(k, self.results.expression(v)) for k, v in effect.keywords]
        given, named = with_levels(CapturedResult(effect.function), given, named, self.scope)
        args, keywords = "".join(f"{a}, " for a in given), ", ".join(f"{k!r}: {v}" for k, v in named)
        self.lines.append(f"if {OUTPUTS}[{effect.reached}]: {call}(lambda: (({args}), {{{keywords}}}))")

    def _errors(self) -> None:
        if FAILURE_LINE in self.lines:
            self.lines.append(f"if {FAILURE} is not None: {FAILURE}()")
        number = self.runner.error_index
        if number is not None:
            fail = self.constant(self.runner.fail, "fail")
            again = self.interface.host is None and not self.interface.keeps_writes
            feed = FEED if self.runner.direct is None else self._whole_feed()
            source = f"{feed}, {self.given}" if again else OUTPUTS
            self.lines.append(f"if {OUTPUTS}[{number}]: return {fail}({OUTPUTS}[{number}], {source})")

    def _write_back(self) -> None:
        """Everything is computed before anything of the caller's is changed."""
        values = [self._set_value(back) for back in self.interface.set_backs]
        writable = self.constant(writing.require_writable, "writable")
        for back in self.interface.write_backs:
            self.lines.append(f"{writable}({self.place(back.path)}, {self._written(back)})")
        for back in self.interface.write_backs:
            place = self.place(back.path)  # a read-only one was let through because nothing changed
            self.lines.append(f"if {place}.flags.writeable: {place}[...] = {self._written(back)}")
        for change, value in zip(self.interface.set_backs, values, strict=True):
            self.lines += self._change(change, value)

    def _written(self, back: WriteBack) -> str:
        """The new contents of a caller's array."""
        text = self.results.array(back.output)
        if back.imag is None:
            return text
        return f"{self.constant(complex_array, 'complex_array')}({text}, {self.results.array(back.imag)})"

    def _change(self, back: Back, value: str) -> list[str]:
        if isinstance(back, RowsBack):
            skipped = " + ".join(["0", *(self._count(path) for path in back.before)])
            return [f"{self.constant(set_rows, 'set_rows')}({self.place(back.path)}, {skipped}, {value})"]
        if isinstance(back, SetBack):
            when = "" if back.when is None else f"if {OUTPUTS}[{back.when}]: "
            return [f"{when}{self.place(back.path[:-1])}{self._step(back.path)} = {value}"]
        place = self.place(back.path)
        if isinstance(back.result, ListResult | RowsResult):
            return [f"{place}[:] = {value}"]
        return [f"{place}.clear()", f"{place}.update({value})"]

    def _count(self, path: Path) -> str:
        """How many objects of the caller there are at a place."""
        return f"len({self.place(path)})" if ROW in path else "1"

    def _set_value(self, back: Back) -> str:
        variable = self.scope.fresh("new")
        made = self.results.rows_fields(back) if isinstance(back, RowsBack) else self.results.expression(back.result)
        self.lines.append(f"{variable} = {made}")
        return variable


def part_of(leaf: ArgInput | CapturedInput) -> str:
    """What is read of an argument or captured array that has two inputs."""
    return f".{leaf.part}" if leaf.part else ""


def guard_test(guard: Guard) -> Callable[[], bool]:
    """Whether a captured value is still what it was when the test was made."""
    read, exact = guard.read, guard.exact
    expected = guard.value if exact else snapshot(guard.value)

    def fits() -> bool:
        try:
            present = read()
        except (NameError, AttributeError, LookupError, ValueError):
            return False
        return present is expected or (not exact and same_static(present, expected))

    return fits


class SizesFit:
    """Whether shapes are those of a signature."""

    def __init__(self, check: Checker):
        self._check = check
        self.test = check.test

    def __call__(self, shapes: Sequence[tuple[int, ...]]) -> bool:
        try:
            self._check(shapes)
        except CallError:
            return False
        return True


def guard_tests(interface: Interface) -> list[Callable[[], bool]]:
    """Is each captured value that was taken as static still the same, and the state of the same kind?"""
    tests = [guard_test(guard) for guard in interface.guards]
    return [*tests, _state_test(interface.state)] if interface.state.objects else tests


def _state_test(state: State) -> Callable[[], bool]:
    scope, lines = Scope(), list[str]()
    match_state(Matcher(scope, lines, "False"), state)
    return build("", [*lines, "return True"], scope, ("state", "state"), "<graph_program: state>")
