"""Writing to arrays and objects that others may share.

    row = x[i]            # a view: the relation to x is exact
    row += 1              # x := set_index(x, row, i); any other view of x is read again when used
    y = a if c else b     # y is a or b
    y[0] = 1              # a := y if y is a else a; and so b
    y = a[1:] if c else b # a part of a, or b
    y[0] = 1              # refused while a or b can still be seen

A write renames the array's contents.  Where the relation between two arrays is exact (a `View`), the
write reaches the base and, lazily, every other view of it.  Which array a value merged from several paths
is, is asked at run time (`identities`).  Where that cannot be told, the write is refused if one of the
others may still be read, naming both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError, Label, Loc
from graph_program.extract.ir.paths import Path, path_text
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.arrays import layout
from graph_program.extract.stage.machine.checks.lengths import structure_error
from graph_program.extract.stage.machine.decisions import CHOICES, EVERYWHERE, LAYOUTS, NUMBERS, TAKEN_APART, UNROLLED
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import elements, tables
from graph_program.extract.stage.machine.memory.captured_arrays import captured_object
from graph_program.extract.stage.machine.memory.reachable import visible
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.operations import known_and_truth
from graph_program.extract.stage.paths.joins import identities, key_order
from graph_program.extract.stage.values.choices import is_object
from graph_program.extract.stage.values.column_data import NO_MEMORY, Growing
from graph_program.extract.stage.values.inside import holds_itself
from graph_program.extract.stage.values.questions import is_ref_to
from graph_program.extract.stage.values.sharing import may_have_been, may_share, root
from graph_program.extract.stage.values.values import Ref, Tensor, Value


def require_writable(m: Machine, tensor: Tensor, text: str = "assignment destination is read-only") -> None:
    """Raise what NumPy raises at a write to a view that it does not let be written."""
    while tensor.view is not None:
        if tensor.view.read_only:
            m.raise_(ValueError, (text,))
        tensor = tensor.view.base


def write(m: Machine, tensor: Tensor, contents: Tensor) -> None:
    """Give an array new contents, as NumPy's assignment into it does."""
    m.writes += 1
    base = root(tensor)
    sharers = before_write(m, base)
    _write_through(m, tensor, m.contents(contents))
    for sharer in sharers:
        identities.share(m, base, sharer)
    if base.element is not None:
        entries.note_change(m, base)
        entries.write_back(m, base.element)


def store(m: Machine, ref: Ref, new: Any) -> None:
    """Give an object contents, after `before_write`."""
    if isinstance(new, dict):
        new = key_order.written(m.live.heap[ref], new)
    if ref.element is None:
        m.live.heap[ref] = new
        return
    before = elements.held_in(m, ref)
    m.live.heap[ref] = new
    if holds_itself(m.live.heap, ref):
        raise tables.otherwise(m, ref, _element_written(m, None, tables.name_of(ref.cls)))
    entries.note_change(m, ref)
    entries.write_back(m, ref.element, elements.held_in(m, ref) != before)


def _write_through(m: Machine, tensor: Tensor, contents: Operand) -> None:
    state = m.live
    view = tensor.view
    if view is None:
        state.written[tensor] = layout.kept_layout(m, tensor, contents)
        return
    if view.write is None:
        raise m.error(
            "GP352",
            "this array is a view that cannot be written through",
            hint="write to the array it was made from, or make a .copy()",
        )
    new = Tensor(contents, tensor.type, m.loc)
    base = view.write(view.base, new)
    _write_through(m, view.base, m.contents(base))
    state.written[tensor] = contents
    state.synced[tensor] = m.contents(view.base)


def before_write(m: Machine, target: Tensor | Ref) -> list[Tensor]:
    """Refuse a write that others may see in a way that is not exactly known.

    Returns
    -------
    list of Tensor
        Arrays that the written one may be, as numbers will tell.
    """
    try:
        return _sharers(m, target)
    except (GraphProgramError, Needed) as refusal:
        if isinstance(refusal, Needed) and refusal.decision not in (LAYOUTS, NUMBERS, UNROLLED, TAKEN_APART):
            raise
        raise tables.otherwise(m, target, entries.columns_instead(m, target, refusal)) from None


def _sharers(m: Machine, target: Tensor | Ref) -> list[Tensor]:
    """The arrays that a written one may be; refused where a write may be seen in another way."""
    owners = [target, *(() if target.element is None else elements.holders(target.element))]
    error = host_entries.stale(m, target, owners)
    if error is not None:
        raise error
    for held_, place in m.host.kept:
        if any(may_have_been(held_, one) for one in owners):
            raise _kept_by_host(m, target, place)
    if target.element is not None:
        name = entries.sharer(m, target, target.element)
        if name is not None:
            holder = target.element.holder
            name = next((tables.name_of(cls) for cls, table in m.rows.tables.items() if table is holder), name)
            contents = m.live.heap.get(holder)
            raise _element_written(m, contents if isinstance(contents, Growing) else None, name)
        return []
    if m.is_captured(target):
        raise _captured_written(m, target)
    for _, captured in m.outside.captured.values():
        if may_share(captured, target):
            raise _captured_written(m, captured)
    sharers: list[Tensor] = []
    for name, other in visible(m):
        if not is_object(other):
            continue
        owner = root(other)
        if owner is target or not may_share(owner, target):
            continue
        _refuse_element(m, target, owner, name)
        told = identities.are_told(target, owner) and not m.is_captured(owner)
        if told and m.decided[NUMBERS]:
            assert isinstance(owner, Tensor)
            sharers += [] if owner in sharers else [owner]
            continue
        error = _may_change(m, target, owner, name, other.loc)
        unknown = _layouts((target, owner)) - m.decided[LAYOUTS].keys()
        if unknown:
            raise Needed(LAYOUTS, unknown, error)
        raise Needed(NUMBERS, [EVERYWHERE], error) if told else choices_needed(m, (target, owner), error)
    return sharers


def _kept_by_host(m: Machine, target: Tensor | Ref, place: Loc) -> GraphProgramError:
    what = tables.described(m, target)
    return host_entries.refused_write(
        m,
        place,
        "GP585",
        f"this {what} is written after it has gone into a dict on the host, which has a copy",
        hint="put a copy of it there, or the finished one",
    )


@known_and_truth.choices_needed.given
def choices_needed(m: Machine, values: Iterable[Value], error: GraphProgramError) -> Exception:
    places, pending, seen = set[Loc](), list(values), set[int]()
    while pending:
        value = pending.pop()
        if id(value) not in seen:
            seen.add(id(value))
            places |= {value.loc} if value.join >= 0 else set()
            pending += value.sources
            if value.view is not None:
                pending.append(value.view.base)
    return error if places <= m.decided[CHOICES].keys() else Needed(CHOICES, places, error)


def _captured_written(m: Machine, target: Tensor) -> Exception:
    error = m.error(
        "GP335",
        f"this program writes to the captured array '{path_text(target.path)}', which it does not own",
        hint="pass it as a parameter (it is then updated when the call returns), or work on a .copy()",
    )
    return entries.refused_write(m, captured_object(m, target), error)


def _refuse_element(m: Machine, target: Tensor | Ref, owner: Tensor | Ref, name: str) -> None:
    """Refuse a write to what is in a list of computed length, or comes out of one."""
    lists = (c for c in m.live.heap.values() if isinstance(c, Growing))
    listed = next((c for c in lists if owner in (c.arrays, c.objects)), None)
    taken_out = any(is_ref_to(s, object) for s in target.sources)
    if listed is None and taken_out and owner.element is None and name.isidentifier():
        raise _chosen_written(m, target, name)
    if listed is not None or taken_out:
        raise _element_written(m, listed, name)
    if any(isinstance(s, Tensor) and s.type is NO_MEMORY for s in target.sources) and name.isidentifier():
        raise m.error(
            "GP440",
            f"this array comes out of a list of computed length, which has copies: in NumPy it is part of '{name}'",
            hint="write to the array itself, `for row in x: row += 1` or `x[i] += 1`, or put copies in the list",
        )


def _may_change(m: Machine, target: Tensor | Ref, owner: Tensor | Ref, name: str, loc: Loc) -> GraphProgramError:
    if name.startswith("iterated"):
        name = "the array that this loop goes over"
    what = "array" if target.is_array else "object"
    return m.error(
        "GP351",
        f"this write may or may not change '{name}': whether both are the same {what} depends on {why(target, owner)}",
        labels=(Label(loc, f"'{name}' comes from here"),),
        hint=f"{_advice(target, owner)}write to a .copy(), or do not use '{name}' afterwards",
    )


def _advice(target: Tensor | Ref, owner: Tensor | Ref) -> str:
    """What would make the relation of two arrays known: arguments whose layouts are, and are no help."""
    paths = sorted(map(path_text, _layouts((target, owner))))
    return f"pass {', '.join(map(repr, paths))} as np.ascontiguousarray makes it, " if paths else ""


def _layouts(values: Iterable[Value]) -> frozenset[Path]:
    """The arguments whose layouts may tell whether arrays are views of others."""
    found: frozenset[Path] = frozenset()
    pending, seen = list(values), set[int]()
    while pending:
        value = pending.pop()
        if id(value) not in seen:
            seen.add(id(value))
            found |= value.depends
            pending += value.sources
    return found


def _chosen_written(m: Machine, target: Tensor | Ref, name: str) -> Exception:
    """The refusal of a write to an object that was chosen from others by a list of computed length."""
    what = tables.described(m, target)
    return m.error(
        "GP440",
        f"this {what} comes out of a list of computed length, which may have put it there from '{name}'",
        hint="choose it without such a list: `for item in items: if ...: item.x = ...`, "
        "or `min(items, key=...)` with a key that puts the others last",
    )


def _element_written(m: Machine, contents: Growing | None, name: str) -> Exception:
    """The refusal of a write to what is in a list of computed length, which keeps its elements apart."""
    message = f"this write may change what is in the list '{name}', whose length is computed"
    hint = "put a copy in the list, or take a copy out of it; another may be put in its place: `items[i] = ...`"
    if tables.is_name(name):
        message = f"this write may change what is in another {name.strip('<>')} as well"
        hint = "give each object its own: put a copy in it, or another in its place: `item.x = item.x + 1`"
    elif not name.isidentifier():
        message = "this write may change what is in the list that this goes over, whose length is computed"
    return structure_error(m, [] if contents is None else [contents], "GP440", message, hint)


def why(target: Tensor | Ref, owner: Tensor | Ref) -> str:
    """What decides at run time whether two arrays or objects share memory."""
    younger = target if target.born > owner.born else owner
    return "the layout of the array that was reshaped" if younger.join < 0 else "the path taken"


@entries.view_contents.given
def view_contents(m: Machine, tensor: Tensor) -> Operand:
    """The present contents of a view: read again where its base has been written since."""
    state, view = m.live, tensor.view
    assert view is not None
    now = m.contents(view.base)
    if state.synced.get(tensor, view.seen) != now:
        fresh = view.read(view.base)
        state.written[tensor] = m.contents(fresh)
        state.synced[tensor] = now
    return state.written.get(tensor, tensor.operand)
