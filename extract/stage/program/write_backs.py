"""What a program has changed of the caller's arrays and objects, which is written to them after the call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from graph_program.extract.diagnostics import Label
from graph_program.extract.ir import interface, results, tree
from graph_program.extract.ir.paths import ROW, KeyStep, Path, Step, path_name, path_text
from graph_program.extract.stage.host.steps.program_results import Results
from graph_program.extract.stage.language.calls.recursion import run_function_body
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.handlers import EVERYTHING, Clause, Scope, catching
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import reachable, tables
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.objects import caller_rows, captured_state, given_rows, result_identity
from graph_program.extract.stage.paths.flow import exit_block
from graph_program.extract.stage.paths.joins.key_order import AnyOrder
from graph_program.extract.stage.paths.raising import forget_locals
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import held, items_of
from graph_program.extract.stage.values.questions import is_false, is_known, is_partly_set
from graph_program.extract.stage.values.values import Maybe, Ref, Static, Tensor, Tuple, Value


class WriteBacks:
    """The changes of the caller's arrays and objects, over the outputs of its results."""

    def __init__(self, m: Machine, made: Results):
        self.m = m
        self.results = made
        self.seen: set[Ref] = set()
        """New objects in what is kept, each of which is looked into once."""
        self.kept: dict[Tensor, tuple[Value, bool]] = {}
        """Arrays whose memory is kept after the call, with the one that is kept, and whether that is all of it."""

    def of_arrays(self) -> tuple[interface.WriteBack, ...]:
        """Outputs for the arrays of the caller that the program has written."""
        m = self.m
        found = []
        for value in m.outside.arrays:
            if m.is_written(value):
                found.append(interface.WriteBack(value.path, self.results.output(value, path_name(value.path))))
        return tuple(found)

    def of_objects(self) -> tuple[interface.Back, ...]:
        """New contents of the caller's objects that the program has changed."""
        m = self.m
        found: list[interface.Back] = list(self.rows_backs())
        for ref, before in m.outside.objects.items():
            after = m.live.heap[ref]
            if after is before and ref not in m.rows.given and not self.has_new_parts(after):
                continue
            live = captured_state.live_object(m, ref)
            if live is not None:
                before = {k: v for k, v in before.items() if k in captured_state.instance_attributes(live.value)}
            if ref in m.rows.given:
                for name, value, when in caller_rows.changes(m, ref):
                    found += self.set_back(ref, f".{name}", value, when)
                continue
            if _changes_outline(ref, before, after):
                self.check_replaceable(ref, before, after)
                for item in items_of(after):
                    self.stored(item, ref.path)
                found.append(interface.RefillBack(ref.path, self.results.new_object(ref, path_name(ref.path))))
                continue
            for step, value in _changed(ref, before, after):
                found += self.set_back(ref, step, value)
        return tuple(found if m.options.purpose.identities else _without_replaced(found))

    def rows_backs(self) -> Iterator[interface.RowsBack]:
        """New attributes of the objects in the caller's lists; a model gives these lists back as they are then."""
        for ref in self.m.rows.given if self.m.options.purpose.identities else ():
            if ROW not in ref.path:
                continue
            fields = []
            for name, layout, columns, when in given_rows.changes(self.m, ref):
                place = f"{ref.cls.__name__}.{name}"
                result = self.results.row_result(layout, iter(self.results.columns(columns, place)), place)
                flag = None if when is None else self.results.output(when, f"{place}.is_set")
                fields.append(interface.RowField(name, result, flag))
            others = [other.path for other in self.m.rows.given if other.cls is ref.cls]
            before = tuple(others[: others.index(ref.path)])
            if fields:
                yield interface.RowsBack(ref.path, tuple(fields), before, self.results.tables or ())

    def has_new_parts(self, contents: Any) -> bool:
        """Whether a model gives a list back because of what is in its objects."""
        changed = {cls for cls, _ in self.m.rows.attributes_set | self.m.rows.attributes_changed}
        classes = tables.classes_in(contents.layout) if isinstance(contents, Growing) else ()
        return not self.m.options.purpose.identities and not changed.isdisjoint(classes)

    def set_back(self, ref: Ref, step: Step, value: Value, when: Value | None = None) -> list[interface.SetBack]:
        """The write of one item or attribute, where it is made on some paths only under its condition."""
        m, path = self.m, (*ref.path, step)
        if when is None:
            when = captured_state.is_set(m, ref, str(step)[1:]) if isinstance(step, str) else Static(True)
        is_new = is_partly_set(value)
        if is_new:
            when, value = booleans.negate(m, value.is_missing), value.there
        if is_false(when):
            return []
        self.stored(value, path)
        result = self.results.result(value, path_name(path))
        same = isinstance(result, results.ConstantResult) and not is_new  # on all paths
        if is_known(when) or same:
            return [interface.SetBack(path, result)]
        return [interface.SetBack(path, result, self.results.output(when, f"{path_name(path)}.is_set"))]

    def new_parts(self, value: Value) -> Iterable[Value]:
        """What is in a structure that the program has made."""
        if isinstance(value, Maybe | Tuple):
            return held(value)
        if not isinstance(value, Ref) or value.path or value in self.seen:
            return ()
        self.seen.add(value)
        return items_of(self.m.live.heap[value])

    def check_replaceable(self, ref: Ref, before: Any, after: Any) -> None:
        """Refuse to put copies in the place of the caller's own arrays and objects, which a model does not have."""
        if not self.m.options.purpose.identities:
            return
        if not isinstance(after, Growing) or not any(growing.held(before, self.m.live.heap.__getitem__)):
            return
        raise result_identity.refused_change(self.m, ref, after)

    def stored(self, value: Value, path: Path) -> None:
        """Refuse to keep what shares memory with another array of the caller: both would be copies."""
        for part in self.new_parts(value):
            self.stored(part, path)
        for one in reachable.merged(value):
            self.stored_array(one, value, path)

    def stored_array(self, array: Tensor, value: Value, path: Path) -> None:
        """The same of an array that a value may be; one that is whole in two places is one array there."""
        base = sharing.root(array)
        kept, whole = self.kept.setdefault(base, (value, array is base))
        if (array is not base and base.path) or (kept is not value and not (whole and array is base)):
            other = path_text(base.path) if base.path else "another attribute"
            raise self.m.error(
                "GP452",
                f"'{path_text(path)}' would share its memory with '{other}' after the call",
                labels=(Label(array.loc, "the view is made here"),),
                hint="keep a .copy()",
            )


def _without_replaced(backs: Sequence[interface.Back]) -> Iterator[interface.Back]:
    """Without the contents of lists that have others in their places now, which a model does not have."""
    replaced = {back.path for back in backs if isinstance(back, interface.SetBack)}
    return (b for b in backs if not (isinstance(b, interface.RefillBack) and b.path in replaced))


def _changes_outline(ref: Ref, before: Any, after: Any) -> bool:
    """Whether a list has another length now, or a dict has lost a key."""
    if isinstance(after, Growing) or isinstance(before, Growing):
        return True
    if isinstance(after, tuple):
        return len(after) != len(before)
    lost = any(is_partly_set(v) for v in map(after.get, before))
    return ref.cls is dict and (lost or isinstance(after, AnyOrder) or list(before) != list(after)[: len(before)])


def _changed(ref: Ref, before: Any, after: Any) -> list[tuple[Step, Value]]:
    """The items or attributes that are others now."""
    if isinstance(after, tuple):
        return [(i, a) for i, (a, b) in enumerate(zip(after, before, strict=True)) if a is not b]
    steps = [(KeyStep(k) if ref.cls is dict else f".{k}", k) for k in after]
    return [(s, after[k]) for s, k in steps if after[k] is not before.get(k)]


def run_to_any_end(m: Machine, function: tree.Function, frame: Frame) -> None:
    """The statements of the program; what they raise leaves them in the state as it is there.

        x[0] = 1.0                          x1 = set_index(x, 0, 1.0)
        if n < 0:                           if less(n, 0):
            raise ValueError("n")   ->          error ValueError("n"); leave ended
        x[1] = 2.0                          x2 = set_index(x1, 1, 2.0)
                                            ended:    x is x1 or x2

    A graph that a call runs forgets what it has computed where an error ends it, as that is cheaper.  So there is a
    second one, made like this when a call first raises behind a write: it says what was written.
    """
    label = m.fresh("ended")
    scope = Scope(frame, (Clause(EVERYTHING, label),), "", is_program=True)
    with exit_block(m, label, function), catching(m, scope):
        run_function_body(m, function, frame)
        if m.state is not None:
            forget_locals(m, frame)
