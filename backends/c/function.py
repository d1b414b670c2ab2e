"""The writer of a C function: what the values of the graph are in C, and what memory may be written over.

A number becomes a local variable, or is written where it is read if that is in one place.  An array is memory, or
*pending*: an expression of its indices that is written where the array is read.  Before memory is written to, what is
pending and reads it is computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from typing import Any

import numpy as np

from graph_program.backends.c import wide_functions
from graph_program.backends.c.arrays import Array, Place, in_memory, position, without_steps
from graph_program.backends.c.c_names import RESERVED, identifier
from graph_program.backends.c.c_types import kept_type, local_type, stored
from graph_program.backends.c.comments import in_comment
from graph_program.backends.c.expression import EQUAL, ONE, Expr, choice, infix, is_simple, plus, product
from graph_program.backends.c.failing import FAIL, ending_side
from graph_program.backends.c.liveness import Liveness
from graph_program.backends.c.new_arrays import is_made_beforehand, made_beforehand
from graph_program.backends.c.no_form import refused
from graph_program.backends.c.over_operands import Room, operand_to_write_over, room
from graph_program.backends.c.readers import BROADCASTING, is_square, reads_once
from graph_program.backends.c.room import elements, require_room
from graph_program.backends.c.while_loops import LEAVE
from graph_program.extract.control.names import Names
from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.integer_ranges import Ranges

LONGEST = 72
"""An expression with more characters is a variable of its own."""
ON_STACK = 1024
"""So many bytes of a size known beforehand may be a local array."""
LONG = 5
"""A loop of fewer rounds is no work for vectors."""
APART = "GP_APART"
"""What is said of a loop whose rounds write elements that no other round reads or writes."""
INDICES = ("i", "j", "k", "l")
Rule = Callable[["Function", Node], "Array | Expr | None"]
RULES: dict[str, Rule] = {}
"""How each operation is written; filled by `rules`."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register how operations are written."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


class Varies(Exception):
    """A carried array may have another size at the end of a round; the function is written once more, knowing that.

    Types say which sizes are equal.  Where C has two variables for one size, as it is computed in two ways, memory is
    not trusted to that: the array grows where it has to.
    """

    def __init__(self, parameter: str, axis: int):
        super().__init__(f"{parameter} varies along axis {axis}")
        self.place = parameter, axis


class Function:
    """The lines of a function, and what they have defined so far.

    Parameters
    ----------
    program : GraphProgram
    taken : iterable of str
        Names that are used already.
    has_workspace : bool
        Whether arrays of known sizes are in memory that the caller gives.
    """

    def __init__(self, program: GraphProgram, taken: Iterable[str] = (), has_workspace: bool = False):
        self.program = program
        self.names = Names([*RESERVED, *INDICES, *taken])
        self.values: dict[Value, Array | Expr] = {}
        self.liveness = Liveness(program.graph)
        self.ranges = Ranges(lambda value: value.type.shape, only_read=True)
        self.headers: set[str] = set()
        self.constants: dict[str, np.ndarray[Any, Any]] = {}
        self.blocks: list[str] = []
        """Variables of arrays that grow."""
        self.takes_memory = False
        self.workspace: dict[str, tuple[str, int]] | None = {} if has_workspace else None
        """The arrays in memory that the caller gives, with their C types and sizes; None where memory is taken."""
        self.lines: list[str] = []
        self.indent = 1
        self.graphs: list[Graph] = [program.graph]
        self.branches = 0
        """How many branches of the innermost loop are open: what they make has to outlive them."""
        self.pending: dict[Value, int] = {}
        """Values without a variable that read memory, with the number of graphs that were open when they were made."""
        self.destined: dict[Value, Place] = {}
        """Results of which the caller gives the memory, and what becomes them."""
        self.new_arrays: dict[Value, str] = {}
        """What becomes a result that is a new array of NumPy's, and the parameter with its slots."""
        self.begun: dict[str, tuple[str, tuple[str, ...]]] = {}
        """Of such parameters the memory that was made beforehand, and its sizes."""
        self.rooms: dict[str, Room] = {}
        """The memory that was taken for arrays, by the names of the pointers that are declared where lines go now."""
        self.placeholders: set[Value] = set()
        """Values that nobody reads."""
        self.unsized: set[Value] = set()
        """Arrays that may be such a value, without elements whatever their type says."""
        self.varying: frozenset[tuple[str, int]] = frozenset()
        """Axes of carried arrays that are not seen to keep their size, though their types say so; see `Varies`."""
        self.unless_missing: dict[str, str] = {}
        """The variables of sizes that are others, but where an array is missing."""
        self.given_sizes = frozenset[str]().union(*(s.symbols for v in program.graph.inputs for s in v.type.shape))
        """The symbols that mean one size wherever they stand."""
        self.dtypes: list[np.dtype[Any]] = []
        """Element types that Python is asked for."""
        self.error_fields: dict[int, str] = {}
        """By the number of an output of the graph, where the caller reads what a message has in it."""
        self.interruptible = False
        """Whether loops look between their rounds if they are to end."""
        self.in_process = False
        """Whether what NumPy has no memory for is an error, as it is in Python."""
        self.spread: set[Value] = set()
        """Arrays that are larger than the memory that they take in NumPy, too."""
        self._claimed: set[str] = set()
        self._counters: list[str] = []
        self._sizes: list[dict[str, Expr]] = [{}]
        """The variables of sizes by what they are, in the blocks that are open."""
        self._said = UNKNOWN

    # ------------------------------------------------------------ lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text if text else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines in braces."""
        self.line(f"{head} {{")
        self.indent += 1
        with self._scope():
            yield
        self.indent -= 1
        self.line("}")

    @contextmanager
    def apart(self) -> Iterator[list[str]]:
        """Lines that are put somewhere later."""
        kept, self.lines = self.lines, []
        with self._scope():
            yield self.lines
        self.lines = kept

    @contextmanager
    def _scope(self) -> Iterator[None]:
        """Lines whose variables are not there behind them."""
        self._sizes.append({})
        rooms = len(self.rooms)
        yield
        while len(self.rooms) > rooms:
            self.rooms.popitem()
        self._sizes.pop()

    def place_of(self, loc: Loc) -> None:
        """Say from which line of the source the following comes."""
        if loc != UNKNOWN and (loc.file, loc.line) != (self._said.file, self._said.line):
            self.line(f"/* {in_comment(PurePath(loc.file).name)}:{loc.line} */")
            self._said = loc

    # ------------------------------------------------------------ names and helpers

    def fresh(self, name: str) -> str:
        """A variable, named after a value of the graph."""
        base = re.sub(r"\.\d+(_\d+)*$|_\d+$", "", name) if not re.fullmatch(r"t\.\d.*", name) else "t"
        text = re.sub(r"\W+", "_", base, flags=re.ASCII).strip("_") or "t"
        return self.names.fresh(f"v{text}" if text[0].isdigit() else identifier(text))

    def dtype(self, dtype: np.dtype[Any]) -> str:
        """An element type as Python's object."""
        if dtype not in self.dtypes:
            self.dtypes.append(dtype)
        return f"gp_types[{self.dtypes.index(dtype)}]"

    def include(self, header: str) -> None:
        """Have the file include a header."""
        self.headers.add(header)

    def call(self, name: str, *operands: Expr) -> Expr:
        """A call of a function of `support`."""
        text = ", ".join(operand.text for operand in operands)
        return Expr(f"{name}({text})", 0, frozenset().union(*(o.reads for o in operands)))

    def variable(self, c_type: str, name: str, value: Expr) -> Expr:
        """A new local variable that does not change."""
        variable = self.fresh(name)
        self.line(f"const {c_type} {variable} = {value.text};")
        return Expr(variable)

    def size(self, value: Expr, name: str = "size") -> Expr:
        """A size or a position that is used several times."""
        if is_simple(value):
            return value
        known = next((sizes[value.text] for sizes in self._sizes if value.text in sizes), None)
        if known is None:
            known = self.variable("int64_t", name, value)
            if not value.reads:
                self._sizes[-1][value.text] = known
        return known

    def broadcast(self, shapes: Sequence[Sequence[Expr]]) -> list[Expr]:
        """The shape that shapes broadcast to."""
        rank = max(map(len, shapes), default=0)
        found: list[Expr] = []
        for back in range(rank, 0, -1):
            sizes = [shape[-back] for shape in shapes if len(shape) >= back]
            total = sizes[0]
            for own in sizes[1:]:
                if own.text != total.text and own.text != "1":
                    total = own if total.text == "1" else choice(infix("==", total, ONE), own, total)
            found.append(self.size(total))
        return found

    # ------------------------------------------------------------ values

    def number(self, value: Value) -> Expr:
        """A number of the graph."""
        found = self.values[value]
        if isinstance(found, Array):
            return found.at(())
        return found

    def array(self, value: Value) -> Array:
        """An array of the graph."""
        found = self.values[value]
        if isinstance(found, Expr):
            number = found
            return Array(value.type.dtype, (), lambda at: number, lambda at: number, number.reads)
        return found

    def run(self, graph: Graph) -> None:
        """Write the nodes of a graph."""
        with ExitStack() as known:
            for node in graph.nodes:
                self._run(node)
                side = ending_side(node)
                if side is not None:  # whoever comes here has gone through the other one
                    known.enter_context(self.ranges.where(node.inputs[0], side != 0))

    def _run(self, node: Node) -> None:
        self.ranges.note(node)
        if not any(map(self.is_read, node.outputs)) and node.op not in ("if", "loop", FAIL, LEAVE):
            return
        found = RULES.get(node.op)
        if found is None:
            raise refused(node)
        made = found(self, node)
        if made is not None:
            if isinstance(made, Array):
                require_room(self, node, made)
            self.define(node.outputs[0], made, node)

    def is_read(self, value: Value) -> bool:
        return value in self.liveness.uses

    def define(self, value: Value, made: Array | Expr, node: Node | None = None) -> None:
        """Say what a value is; what is read more than once gets a variable, or memory."""
        if isinstance(made, Array) and not value.type.rank:
            made = made.at(())
        if isinstance(made, Array):
            if made.place is None and made.work and not self.is_read_once(value):
                self.place_of(node.loc if node else UNKNOWN)
                over = operand_to_write_over(self, node, made) if node and node.op in BROADCASTING else None
                made = self.materialized(made, value, over=over)
        elif not self._stays(value, made):
            self.place_of(node.loc if node else UNKNOWN)
            made = self.variable(local_type(value.type.dtype), value.name, made)
        self.values[value] = made
        if made.reads and not (isinstance(made, Array) and made.place is not None):
            self.pending[value] = len(self.graphs)

    def _stays(self, value: Value, made: Expr) -> bool:
        """Whether a number is written where it is read."""
        if is_simple(made):
            return True
        uses = self.liveness.uses.get(value, [])
        return len(uses) == 1 and len(made.text) <= LONGEST and self._is_close(value, uses[0][1])

    def is_read_once(self, value: Value) -> bool:
        """Whether the one place that reads an array, but for its size, reads each element once."""
        uses = [use for use in self.liveness.uses.get(value, []) if use[0] is None or use[0].op != "dim"]
        reader, graph = uses[0] if uses else (None, None)
        if graph is None or (len(uses) > 1 and not (is_square(reader) and all(other is reader for other, _ in uses))):
            return False
        if reader is None or not self._is_close(value, graph):
            return reader is None and graph is self.program.graph
        return reads_once(reader, value)

    def _is_close(self, value: Value, graph: Graph) -> bool:
        """Whether a graph is where a value is defined, or a branch of it."""
        return graph is self.graphs[-1]

    # ------------------------------------------------------------ memory

    def allocate(self, dtype: np.dtype[Any], shape: Sequence[Expr], name: str, value: Value | None = None) -> Place:
        """New memory for an array."""
        place = self._taken(dtype, shape, name, value)
        self.rooms[place.name] = room(place, dtype, shape)
        return place

    def _taken(self, dtype: np.dtype[Any], shape: Sequence[Expr], name: str, value: Value | None) -> Place:
        given = self.destined.get(value) if value is not None else None
        if given is not None and given.name not in self._claimed:
            self._claimed.add(given.name)
            return given
        if value is not None and is_made_beforehand(self, value):
            return made_beforehand(self, dtype, shape, name, value)
        size, c_type = product(shape), kept_type(dtype)
        variable = self.fresh(name)
        bytes_ = int(size.text) * dtype.itemsize if size.text.isdigit() else None
        if bytes_ is not None and bytes_ <= ON_STACK and not self.branches:
            self.line(f"{c_type} {variable}[{max(int(size.text), 1)}];")
            if not bytes_:
                self.line(f"(void){variable};")
        elif bytes_ is not None and self.workspace is not None:
            self.workspace[variable] = c_type, max(int(size.text), 1)
            self.line(f"{c_type} *{variable} = workspace->{variable};")
        else:
            self.takes_memory = True
            self.line(f"{c_type} *{variable} = gp_take(&memory, sizeof({c_type}), {elements(shape).text});")
            self.line(f"if (!{variable}) goto no_memory;")
        return Place(variable, frozenset([variable]))

    def materialized(
        self, array: Array, value: Value | None = None, name: str = "", over: Place | None = None
    ) -> Array:
        """An array in memory of its own, or over another one."""
        place = over or self.allocate(array.dtype, array.shape, name or (value.name if value else "t"), value)
        self.fill(place, array)
        return in_memory(place, array.dtype, array.shape)

    def stored(self, value: Value) -> Array:
        """An array of the graph that is in memory."""
        found = self.array(value)
        if found.place is None:
            found = self.materialized(found, value)
            self.values[value] = found
            self.pending.pop(value, None)
        return found

    def fill(self, place: Place, array: Array, offset: Expr | None = None) -> None:
        """Write the elements of an array to memory, one after the other."""

        def write(at: Expr, element: Expr) -> None:
            where = at if offset is None else plus(offset, at)
            self.line(f"{place.name}[{where.text}] = {stored(array.dtype, element).text};")

        if array.place is not None and offset is None:
            self._copy(place, array)
        elif array.flat is not None:
            if offset is None and wide_functions.is_filled(self, place, array):
                return
            with self.count(array.size, APART) as at:
                write(at, array.flat(at))
        else:
            with self.twice(), self.indices(array.shape, APART) as indices:
                write(position(indices, array.shape), array.at(indices))

    @contextmanager
    def twice(self) -> Iterator[None]:
        """Loops that are written a second time for operands that do not broadcast, where some may.

        A step that is 0 or 1 keeps compilers from vectors.  What is for others to compile has them once.
        """
        with self.apart() as lines:
            yield
        apart = without_steps(lines) if self.interruptible else None
        if apart is None:
            self.lines += lines
            return
        sizes, plain = apart
        self.line(f"if ({' && '.join(f'{size} != 1' for size in sizes)}) {{")
        self.lines += [f"    {line}" for line in plain]
        self.line("} else {")
        self.lines += [f"    {line}" for line in lines]
        self.line("}")

    def store(self, array: Array, at: Sequence[Expr], value: Expr) -> None:
        """Write one element of an array that is in memory."""
        assert array.place is not None
        where = position(at, array.shape)
        self.line(f"{array.place.name}[{where.text}] = {stored(array.dtype, value).text};")

    def constant(self, value: Value, array: np.ndarray[Any, Any]) -> Array:
        """An array of the file's own."""
        name = self.fresh(value.name)
        self.constants[name] = array
        shape = [Expr(str(size)) for size in array.shape]
        return in_memory(Place(name, frozenset([name]), own=False), array.dtype, shape)

    def _copy(self, place: Place, array: Array) -> None:
        assert array.place is not None
        if array.place.name == place.name:
            return
        self.include("string.h")
        size = f"sizeof *{place.name} * (size_t)" + (
            array.size.text if array.size.level == 0 else f"({array.size.text})"
        )
        tests = [] if array.size.text.isdigit() else [f"{array.size.within(EQUAL)} > 0"]
        if place.name in array.place.memory:
            tests.append(f"{array.place.name} != {place.name}")
        head = f"if ({' && '.join(tests)}) " if tests else ""
        if array.size.text != "0":
            self.line(f"{head}memcpy({place.name}, {array.place.name}, {size});")

    @contextmanager
    def count(self, size: Expr, said: str = "") -> Iterator[Expr]:
        """A loop over 0, 1, ... below a size, with what compilers are told of it; none where that is 1."""
        if size.text == "1":
            yield Expr("0")
            return
        if said and not (size.text.isdigit() and int(size.text) < LONG):
            self.line(said)
        with self.counter() as name, self.block(f"for (int64_t {name} = 0; {name} < {size.within(6)}; {name}++)"):
            yield Expr(name)

    @contextmanager
    def counter(self) -> Iterator[str]:
        """The name of a loop's counter, free again behind the loop."""
        name = next((name for name in INDICES if name not in self._counters), "") or self.fresh("i")
        self._counters.append(name)
        yield name
        self._counters.remove(name)

    def counter_named(self, name: str) -> str:
        """A loop's counter with the name of the source; "" where there is none.  It is free again when it is freed."""
        if name in INDICES and name not in self._counters:
            self._counters.append(name)
            return name
        return self.fresh(name) if name else ""

    def free_counter(self, name: str) -> None:
        """Say that a loop has ended."""
        if name in self._counters:
            self._counters.remove(name)

    @contextmanager
    def indices(self, shape: Sequence[Expr], said: str = "") -> Iterator[list[Expr]]:
        """Loops over all indices of a shape, with what compilers are told of the innermost one."""
        found: list[Expr] = []
        if not shape:
            yield found
            return
        is_last = all(size.text == "1" for size in shape[1:])
        with self.count(shape[0], said if is_last else "") as first, self.indices(shape[1:], said) as rest:
            yield [first, *rest]

    def may_write(self, value: Value, node: Node, inside: frozenset[Value] = frozenset()) -> bool:
        """Whether a node may write to the memory of an operand: nobody reads it behind the node."""
        array = self.values[value]
        if not isinstance(array, Array) or array.place is None or not array.place.own:
            return False
        live = self.liveness.behind(node) | inside
        if value in live:
            return False
        memory = array.place.memory
        for other in live:
            found = self.values.get(other)
            if isinstance(found, Array) and found.place is not None and found.reads & memory:
                return False
        self.settle(memory, live)
        return True

    def settle(self, memory: frozenset[str], live: Iterable[Value]) -> None:
        """Compute what is pending and reads memory that is written to."""
        for value in [value for value in self.pending if value in live]:
            found = self.values[value]
            if not found.reads & memory:
                continue
            if self.pending[value] != len(self.graphs):
                raise AssertionError(f"{value} is pending outside of where its memory is written to")
            self.values[value] = self._settled(value, found)
            del self.pending[value]

    def _settled(self, value: Value, found: Array | Expr) -> Array | Expr:
        if isinstance(found, Array):
            return self.materialized(found, value)
        return self.variable(local_type(value.type.dtype), value.name, found)


__all__ = ["APART", "RULES", "Function", "Varies", "rule"]
