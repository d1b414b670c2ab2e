"""What the solver knows: bindings of variables, pending relations, and a trail that can undo both.

Every binding keeps the `Origin` of the constraint that made it, so that a conflict can name two places.
Relations that cannot be decided yet wait in lists by variable and are looked at again when one of their
variables is bound; the work is near linear in the number of constraints.
"""

from __future__ import annotations

import itertools
import re
import string
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, Symbol, put_in, symbol
from graph_program.extract.types.notation.terms import (
    DTypeTerm,
    DTypeVar,
    Floating,
    Promoted,
    RankVar,
    Segment,
    ShapeTerm,
)

MAX_RANK = 64
"""NumPy's own limit; a rank that has to be larger grows without bound."""


@dataclass(frozen=True)
class Origin:
    """Where a constraint comes from: a place in the source, and what stands there (`x @ w`)."""

    loc: Loc
    text: str

    def __str__(self) -> str:
        return f"{self.loc}: {self.text}"


class ConstraintError(Exception):
    """Constraints that contradict each other.

    Attributes
    ----------
    message : str
        What does not fit.
    first : Origin
        The constraint that failed.
    second : Origin or None
        The constraint it contradicts, if that is another one.
    """

    def __init__(self, message: str, first: Origin, second: Origin | None = None):
        self.message = readable(message)
        super().__init__(self.message)
        self.first = first
        self.second = second


_FRESH = re.compile(r"\?([^\W\d]*)\d+")


def readable(text: str) -> str:
    """A text with the solver's names (`?d12`) replaced by such as a person would choose (`d`)."""
    names: dict[str, str] = {}
    used = set(re.findall(r"\w+", _FRESH.sub("", text)))
    for found in _FRESH.finditer(text):
        if found[0] not in names:
            hint = found[1] or "d"
            candidates = (f"{hint}{number or ''}" for number in itertools.count())
            names[found[0]] = name = next(c for c in candidates if c not in used)
            used.add(name)
    return _FRESH.sub(lambda found: names[found[0]], text)


class Relation(Protocol):
    """A constraint that may have to wait."""

    origin: Origin

    def step(self, store: Store) -> bool:
        """Learn what can be learnt; whether nothing more will ever be."""

    def waits_for(self, store: Store) -> Iterator[str]:
        """The keys of the variables whose binding may teach it more."""

    def text(self, store: Store) -> str:
        """What it says, in the shape language."""


def rank_key(name: str) -> str:
    """The key of a rank variable among those of dims."""
    return f"*{name}"


def dtype_key(name: str) -> str:
    """The key of an element type's variable."""
    return f":{name}"


def is_fresh(name: str) -> bool:
    """Whether the solver made this name; no program can write it."""
    return name.startswith("?")


def age(name: str) -> int:
    """How many names the solver had made before; 0 for a name that the user wrote."""
    digits = name[len(name.rstrip(string.digits)) :]
    return int(digits) if digits and is_fresh(name) else 0


def name_of(d: Dim) -> str | None:
    """The name of a dim that is just a symbol."""
    terms = d.terms
    if len(terms) == 1:
        ((monomial, coefficient),) = terms
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], Symbol):
            return monomial[0].name
    return None


class Store:
    """Bindings and pending relations."""

    def __init__(self) -> None:
        self.dims: dict[str, tuple[Dim, Origin]] = {}
        self.ranks: dict[str, tuple[ShapeTerm, Origin]] = {}
        self.dtypes: dict[str, tuple[DTypeTerm, Origin]] = {}
        self.domains: dict[str, tuple[frozenset[Any], Origin | None]] = {}
        self.known: dict[Any, Any] = {}
        """Results of functions of terms, so that equal operands have one result."""
        self.finished: dict[Relation, bool] = {}
        self._watchers: dict[str, Any] = {}
        self._queue: deque[Relation] = deque()
        self._queued: set[Relation] = set()
        self._trail: list[tuple[dict[Any, Any], Any, Any]] = []
        self._depth = 0
        self._numbers = itertools.count(1)

    # ---------------------------------------------------------------- fresh names

    def fresh_name(self, hint: str) -> str:
        """A name that no program can write: `?d1`."""
        return f"?{hint}{next(self._numbers)}"

    def fresh_dim(self, hint: str = "d") -> Dim:
        """A new unknown dim."""
        return symbol(self.fresh_name(hint))

    # ---------------------------------------------------------------- changing, with a trail

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Set an entry so that it can be undone."""
        self._trail.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def _undo_to(self, mark: int) -> None:
        while len(self._trail) > mark:
            table, key, old = self._trail.pop()
            if old is _ABSENT:
                del table[key]
            else:
                table[key] = old
        self._queue.clear()
        self._queued.clear()

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Constraints that are all kept, with what follows from them, or none at all."""
        mark = len(self._trail)
        self._depth += 1
        try:
            yield
            self.propagate()
        except BaseException:
            self._undo_to(mark)
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self._trail.clear()

    @contextmanager
    def attempt(self) -> Iterator[Attempt]:
        """Like `atomic`, but a contradiction is swallowed; the attempt says whether it succeeded."""
        attempt = Attempt()
        try:
            with self.atomic():
                yield attempt
        except ConstraintError as error:
            attempt.error = error

    @contextmanager
    def hypothetical(self) -> Iterator[None]:
        """Constraints that are undone in any case."""
        mark = len(self._trail)
        self._depth += 1
        try:
            yield
        finally:
            self._undo_to(mark)
            self._depth -= 1

    # ---------------------------------------------------------------- bindings

    def bind_dim(self, name: str, value: Dim, origin: Origin) -> None:
        """Give a symbol its value, which does not contain it."""
        self.put(self.dims, name, (value, origin))
        self.wake(name)

    def bind_rank(self, name: str, value: ShapeTerm, origin: Origin) -> None:
        """Give a rank variable its dims, which do not contain it."""
        self.put(self.ranks, name, (value, origin))
        self.wake(rank_key(name))

    def bind_dtype(self, name: str, value: DTypeTerm, origin: Origin) -> None:
        """Give an element type's variable its value."""
        self.put(self.dtypes, name, (value, origin))
        self.wake(dtype_key(name))

    # ---------------------------------------------------------------- relations

    def post(self, relation: Relation) -> None:
        """Add a relation; it is looked at soon, and then whenever it may learn more."""
        self.put(self.finished, relation, False)
        self._queued.add(relation)
        self._queue.append(relation)

    def decide(self, relation: Relation) -> None:
        """Add a relation and look at it at once."""
        self._run(relation)

    def wake(self, key: str) -> None:
        """Have the relations that wait for a variable looked at again."""
        cell = self._watchers.get(key)
        if cell is None:
            return
        self.put(self._watchers, key, None)
        while cell is not None:
            relation, cell = cell
            if relation not in self._queued and not self.finished.get(relation):
                self._queued.add(relation)
                self._queue.append(relation)

    def propagate(self) -> None:
        """Look at woken relations until none is left."""
        while self._queue:
            relation = self._queue.popleft()
            self._queued.discard(relation)
            if not self.finished.get(relation):
                self._run(relation)

    def _run(self, relation: Relation) -> None:
        done = relation.step(self)
        if not done or relation in self.finished:
            self.put(self.finished, relation, done)
        if not done:
            for key in relation.waits_for(self):
                self.put(self._watchers, key, (relation, self._watchers.get(key)))

    def pending(self) -> Iterator[Relation]:
        """The relations that are not decided, in the order they were added."""
        return (relation for relation, done in self.finished.items() if not done)

    # ---------------------------------------------------------------- present knowledge

    def dim(self, d: Dim) -> Dim:
        """A dim with what is known put in; as it is where it then has no value."""
        name = name_of(d)
        if name is not None:
            return self._symbol(name) if name in self.dims else d
        if d.constant is not None:
            return d
        bound = {name: self._symbol(name) for name in d.symbols if name in self.dims}
        return put_in(d, bound) if bound else d

    def _symbol(self, name: str) -> Dim:
        value = self.dims[name][0]
        last = name_of(value)
        if (last is not None and last not in self.dims) or value.constant is not None:
            return value
        found: Dim = self._settled(self.dims, name, lambda v: [s for s in v.symbols if s in self.dims], put_in)
        return found

    def has_no_value(self, d: Dim) -> bool:
        """Whether a dim divides by zero, or broadcasts what does not fit, for what is known."""
        return any(name in self.dims for name in self.dim(d).symbols)

    def expand(self, shape: ShapeTerm) -> ShapeTerm:
        """A shape with known rank variables put in; its dims stay as they were written."""
        for segment in shape:
            if isinstance(segment, RankVar) and segment.name in self.ranks:
                break
        else:
            return shape
        expanded: list[Segment] = []
        for segment in shape:
            if isinstance(segment, RankVar) and segment.name in self.ranks:
                expanded += self._rank(segment.name)
            else:
                expanded.append(segment)
        return tuple(expanded)

    def _rank(self, name: str) -> ShapeTerm:
        found: ShapeTerm = self._settled(
            self.ranks,
            name,
            lambda v: [s.name for s in v if isinstance(s, RankVar) and s.name in self.ranks],
            _put_into_shape,
        )
        return found

    def _settled(
        self,
        table: dict[str, tuple[Any, Origin]],
        name: str,
        bound_in: Callable[[Any], list[str]],
        put_in: Callable[[Any, dict[str, Any]], Any],
    ) -> Any:
        """The value of a variable with all that is known put in, which is remembered (path compression)."""
        stack = [name]
        while stack:
            top = stack[-1]
            value, origin = table[top]
            names = bound_in(value)
            open_names = [n for n in names if bound_in(table[n][0])]
            if open_names:
                stack += open_names
                continue
            stack.pop()
            if names:
                # The last link says most about where the value comes from.
                origin = table[names[-1]][1]
                value = put_in(value, {n: table[n][0] for n in names})
                self.put(table, top, (value, origin))
        return table[name][0]

    def shape(self, shape: ShapeTerm) -> ShapeTerm:
        """A shape with all that is known put in."""
        expanded = self.expand(shape)
        return tuple([self.dim(s) if isinstance(s, Dim) else s for s in expanded])

    def dtype(self, dtype: DTypeTerm) -> DTypeTerm:
        """An element type with what is known put in."""
        if isinstance(dtype, DTypeVar):
            path = []
            while isinstance(dtype, DTypeVar) and dtype.name in self.dtypes:
                path.append(dtype.name)
                dtype, origin = self.dtypes[dtype.name]
            for name in path[:-1]:
                self.put(self.dtypes, name, (dtype, origin))
            return dtype
        if isinstance(dtype, Promoted):
            return Promoted(tuple(dict.fromkeys(map(self.dtype, dtype.of))))
        if isinstance(dtype, Floating):
            return Floating(self.dtype(dtype.of), dtype.wide)
        return dtype

    # ---------------------------------------------------------------- blame

    def blame(self, term: Dim | ShapeTerm | DTypeTerm, but: Origin) -> Origin | None:
        """The constraint that gave a term its value, if it is another one than `but`."""
        origins: list[Origin | None] = []
        if isinstance(term, Dim):
            origins = [self.dims[s][1] for s in sorted(term.symbols) if s in self.dims]
        elif isinstance(term, tuple):
            origins = [self.ranks[s.name][1] for s in term if isinstance(s, RankVar) and s.name in self.ranks]
            origins += [self.blame(s, but) for s in term if isinstance(s, Dim)]
        elif isinstance(term, DTypeVar):
            if term.name in self.dtypes:
                origins = [self.dtypes[term.name][1]]
            elif term.name in self.domains:
                origins = [self.domains[term.name][1]]
        elif not isinstance(term, np.dtype) and isinstance(term, Promoted):
            origins = [self.blame(t, but) for t in term.of]
        return next((o for o in origins if o is not None and o != but), None)


@dataclass
class Attempt:
    """Whether constraints made in `Solver.trial()` could be kept, and if not, why."""

    error: ConstraintError | None = None

    @property
    def succeeded(self) -> bool:
        return self.error is None

    def __bool__(self) -> bool:
        return self.succeeded


_ABSENT = object()


def _put_into_shape(value: ShapeTerm, known: dict[str, Any]) -> ShapeTerm:
    return tuple(
        part for s in value for part in (known[s.name] if isinstance(s, RankVar) and s.name in known else (s,))
    )
