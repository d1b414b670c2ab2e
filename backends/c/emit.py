"""A program as a C file and its header.

    int scale(int64_t n, const double *x, double k, double *y);

Arguments come first: an array is a pointer behind those of its sizes that no argument before it has.  Results follow: a
number is written to a pointer; an array whose sizes are those of arguments is written to the caller's memory, another
one is given in memory that the caller frees, with its sizes.  The function gives 0, the number of an error, or -1 where
there is no memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.backends.c import new_arrays, rules, support
from graph_program.backends.c.arena import in_workspace, merged
from graph_program.backends.c.arrays import Place, in_memory
from graph_program.backends.c.c_names import function_name, identifier
from graph_program.backends.c.c_source import CSource, Parameter
from graph_program.backends.c.c_types import BYTES, kept_type, local_type
from graph_program.backends.c.comments import in_comment
from graph_program.backends.c.early_ends import with_early_ends
from graph_program.backends.c.ends import DONE, returning
from graph_program.backends.c.expression import UNARY, Expr, infix, less, plus, product, times
from graph_program.backends.c.function import Function, Varies
from graph_program.backends.c.memory_texts import BLOCKS, memory
from graph_program.backends.c.pauses import INTERRUPTED, JUMP, PAUSE, VARIABLES
from graph_program.backends.c.room import elements
from graph_program.backends.c.unused import names_in, without_unused
from graph_program.backends.c.weights import ALIGNMENT, Weight, constant, data, structure
from graph_program.extract.ir.error_numbers import possible_errors
from graph_program.extract.ir.errors import message_pieces
from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.carried_ranges import carried_ranges
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.dims.polynomials import Symbol

assert rules  # fills the tables

NO_MEMORY = -1


def emit(
    program: GraphProgram,
    constants: Mapping[str, np.ndarray[Any, Any]] | None = None,
    *,
    stem: str = "",
    alone: bool = False,
    doubles: bool = True,
    interruptible: bool = False,
    in_process: bool = False,
    beside: bool = False,
    into_python: bool = False,
) -> CSource:
    """Write a program in C.

    Parameters
    ----------
    program : GraphProgram
        Without host code.
    constants : mapping of str to ndarray, optional
        Inputs that are constants of the file.
    stem : str
        The name of the files without the end; the function's by default.
    alone : bool
        Take no memory where all sizes are known: the caller gives what is needed.
    doubles : bool
        Keep sums of float32 in double; without, a program of float32 has none.
    interruptible : bool
        Have loops look between their rounds whether they are to end, which needs `pauses.SUPPORT`.
    in_process : bool
        End where NumPy has no memory for an array, also for one that is computed where it is read.
    beside : bool
        Take the constants from a structure that the caller gives; see `weights`.
    into_python : bool
        Give what else the caller would free in arrays of NumPy's; see `new_arrays`.

    Raises
    ------
    UnsupportedError
        GP601 for an operation that has no form in C.
    """
    varying: frozenset[tuple[str, int]] = frozenset()

    def written(has_workspace: bool) -> CSource:
        nonlocal varying
        while True:
            emitter = _Emitter(program, constants or {}, stem, has_workspace, doubles, beside)
            emitter.fn.interruptible, emitter.fn.varying = interruptible and not has_workspace, varying
            emitter.fn.in_process, emitter.into_python = in_process, into_python
            try:
                return emitter.source()
            except Varies as found:
                assert found.place not in varying
                varying |= {found.place}

    if alone:
        made = written(has_workspace=True)
        if not made.takes_memory:
            return made
    return written(has_workspace=False)


class _Emitter:
    def __init__(
        self,
        program: GraphProgram,
        constants: Mapping[str, np.ndarray[Any, Any]],
        stem: str = "",
        has_workspace: bool = False,
        doubles: bool = True,
        beside: bool = False,
    ):
        self.program, self.doubles, self.beside = program, doubles, beside
        self.into_python = False
        self.weights: list[Weight] = []
        self.body = with_early_ends(program)
        """What is written; its results are those of the program, by their numbers."""
        self.constants = constants
        self.name = function_name(program.name)
        self.stem = stem or self.name
        self.fn = Function(self.body, [self.name, f"{self.name}_error", f"{self.name}_workspace"], has_workspace)
        for graph in (program.graph, self.body.graph):
            for value, found in carried_ranges(graph).items():
                self.fn.ranges.keep(value, found)
        self.parameters: list[Parameter] = []
        self.sizes: dict[Dim, Expr] = {}
        self.results = self.body.graph.outputs[: len(program.output_names)]
        self.given: dict[int, list[Expr]] = {}
        """Of results in the caller's memory, by number, the sizes."""
        self.handed: set[str] = set()
        """Arrays that grow and are a result's, which the caller frees; another result is a copy."""
        self.names: list[str] = []
        self.fields: dict[str, tuple[str, int]] = {}
        """The fields of the workspace, with C types and sizes."""

    def source(self) -> CSource:
        fn, graph = self.fn, self.body.graph
        captured = [v for v in graph.inputs if self.beside and v.name in self.constants and v.type.rank]
        for value in graph.inputs:
            if value not in captured:
                self._input(value)
        for number, value in enumerate(self.results):
            self._result(number, value)
        if captured:
            self._weights(captured)
        arguments = self._error_arguments()
        fn.error_fields = {
            place: name
            for name, value in _fields(arguments)
            for place, other in enumerate(self.program.graph.outputs)
            if other is value
        }
        if _fields(arguments):
            self.parameters.append(Parameter("error", f"{self.name}_error *", "error", is_result=True))
        fn.run(graph)
        self._end(arguments)
        if not self.has_status:  # what could fail was decided on the way
            arguments, self.parameters = [], [p for p in self.parameters if p.role != "error"]
        fn.lines = merged(without_unused(fn.lines), [p.name for p in self.parameters if p.role in ("size", "number")])
        if fn.workspace:
            fn.lines, self.fields = in_workspace(fn.lines, fn.workspace)
        if not self.doubles:
            fn.lines = [re.sub(r"\bdouble\b", "float", line) for line in fn.lines]
        if self.fields:
            self.parameters.append(Parameter("workspace", f"{self.name}_workspace *", "workspace"))
        head = f"int {self.name}({', '.join(map(str, self.parameters)) or 'void'})"
        sizes = {self.program.graph.outputs[number]: shape for number, shape in self.given.items()}
        fields = [(name, local_type(value.type.dtype), value) for name, value in _fields(arguments)]
        takes = fn.takes_memory or bool(fn.blocks) or any(p.role == "made" for p in self.parameters)
        texts = self._text(head), self._header(head, arguments)
        told = [(number, self._told(number)) for number in self._possible()] if self.has_status else []
        size = self._workspace_size()
        made = CSource(self.name, *texts, self.parameters, sizes, fields, takes, f"{head};", self.stem, size, told)
        return replace(made, dtypes=fn.dtypes, weights=data(self.weights), lacks_memory=self._may_lack_memory())

    # ------------------------------------------------------------ parameters

    def _input(self, value: Value) -> None:
        if value.name in self.constants:
            self.fn.values[value] = self.fn.constant(value, np.ascontiguousarray(self.constants[value.name]))
            return
        if not value.type.rank:
            name = self.fn.names.fresh(identifier(value.name))
            self.parameters.append(Parameter(name, local_type(value.type.dtype), "number", value))
            self.fn.values[value] = Expr(name)
            return
        shape = [self._input_size(value, axis) for axis in range(value.type.rank)]
        name = self.fn.names.fresh(identifier(value.name))
        self.parameters.append(Parameter(name, f"const {kept_type(value.type.dtype)} *", "array", value))
        self.fn.values[value] = in_memory(Place(name, frozenset([name]), own=False), value.type.dtype, shape)

    def _weights(self, captured: list[Value]) -> None:
        """What is captured is in a structure that the caller gives."""
        name = self.fn.names.fresh("weights")
        self.parameters.append(Parameter(name, f"const {self.name}_weights *", "weights"))
        for value in captured:
            array, own = np.ascontiguousarray(self.constants[value.name]), self.fn.fresh(value.name)
            weight = Weight(own, kept_type(array.dtype), array)
            self.weights += [weight] if array.size else []
            self.fn.line(f"const {weight.c_type} *{own} = {f'{name}->{own}' if array.size else 'NULL'};")
            place = Place(own, frozenset([own]), own=False)
            self.fn.values[value] = in_memory(place, array.dtype, [Expr(str(size)) for size in array.shape])

    def _input_size(self, value: Value, axis: int) -> Expr:
        size = value.type.shape[axis]
        if size.constant is not None:
            return Expr(str(size.constant))
        if size not in self.sizes:
            wanted = str(size) if isinstance(size.atom, Symbol) else f"{value.name}_{axis}"
            name = self.fn.names.fresh(identifier(wanted))
            self.parameters.append(Parameter(name, "int64_t", "size", value, axis))
            self.sizes[size] = Expr(name)
        return self.sizes[size]

    def _result(self, number: int, value: Value) -> None:
        dtype, told = value.type.dtype, self.program.graph.outputs[number]
        name = self.fn.names.fresh(identifier(self.program.output_names[number]))
        self.names.append(name)
        if not value.type.rank:
            self.parameters.append(Parameter(name, f"{local_type(dtype)} *", "number", told, is_result=True))
            return
        shape = [self._known_size(size) for size in value.type.shape]
        if all(size is not None for size in shape):
            self.given[number] = [size for size in shape if size is not None]
            self.parameters.append(Parameter(name, f"{kept_type(dtype)} *", "array", told, is_result=True))
            self._destine(value, Place(name, frozenset([name])))
            return
        if self.into_python:
            self.parameters.append(Parameter(name, "gp_object **", "made", told, is_result=True))
            self.fn.new_arrays.update((found, name) for found in self._becoming(value))
            return
        self.parameters.append(Parameter(name, f"{kept_type(dtype)} **", "made", told, is_result=True))
        for axis, size in enumerate(value.type.shape):
            if size.constant is None:
                own = self.fn.names.fresh(f"{name}_{'nmpqrs'[axis]}")
                self.parameters.append(Parameter(own, "int64_t *", "size", told, axis, is_result=True))

    def _known_size(self, size: Dim) -> Expr | None:
        """A size by those of the arguments."""
        if size.constant is not None:
            return Expr(str(size.constant))
        if size in self.sizes:
            return self.sizes[size]
        total = Expr("0")
        for monomial, factor in sorted(size.terms, key=lambda term: term[1] < 0):
            atoms = [self.sizes.get(symbol(a.name)) if isinstance(a, Symbol) else None for a in monomial]
            if any(atom is None for atom in atoms):
                return None
            term = times(product(a for a in atoms if a is not None), Expr(str(abs(factor))))
            total = less(total, term) if factor < 0 else plus(total, term)
        return total

    def _destine(self, value: Value, place: Place) -> None:
        """What becomes a result is made in the caller's memory, if it has its size on all paths."""
        self.fn.destined.update((found, place) for found in self._becoming(value))

    def _becoming(self, value: Value) -> list[Value]:
        """The values whose memory becomes a result's, of its size; none that becomes another one's."""
        makers = self.body.graph.makers()
        found: list[Value] = []
        work = [value]
        while work:
            one = work.pop()
            is_taken = one in found or one in self.fn.destined or one in self.fn.new_arrays
            if is_taken or one in self.body.graph.inputs or one.type.shape != value.type.shape:
                continue
            found.append(one)
            node = makers.get(one)
            work += _becomes(node, one) if node is not None else []
        return found

    def _error_arguments(self) -> list[Value]:
        """What messages have in them."""
        used = sorted({number for numbers in self.program.error_args for number in numbers})
        return list(dict.fromkeys(self.program.graph.outputs[number] for number in used))

    # ------------------------------------------------------------ the end of the function

    def _end(self, arguments: list[Value]) -> None:
        fn, program = self.fn, self.program
        status = "0"
        if program.errors:
            number = fn.number(self.body.graph.outputs[len(program.output_names)])
            status = number.text
            if status != "0":
                fn.line(f"status = (int){number.within(1)};")
        only_then = status != "0" and not program.keeps_writes
        with fn.apart() as lines:
            fn.indent += int(only_then)
            self._give_all()
            fn.indent -= int(only_then)
        if lines and only_then:
            fn.line("if (!status) {")
            fn.lines += lines
            fn.line("}")
        else:
            fn.lines += lines
        self.ends_early = any(line.endswith(DONE) for line in fn.lines)
        self.has_status = status != "0" or self.ends_early
        if _fields(arguments) and self.has_status:
            self._tell(arguments, status)

    def _give_all(self) -> None:
        """Give the results, each before the memory is written to that it is in or is computed from."""
        left = dict(enumerate(self.results))
        while left:
            ready = next((number for number in left if not self._readers(number, left)), None)
            if ready is not None:
                self._give(ready, left.pop(ready))
                continue
            for other in self._readers(next(iter(left)), left):
                self.fn.values[left[other]] = self.fn.materialized(self.fn.array(left[other]), None, "kept")

    def _readers(self, number: int, left: Mapping[int, Value]) -> list[int]:
        """The other results that are still to be read from the memory of one."""
        name = self.names[number] if number in self.given else ""
        return [
            other for other, value in left.items() if value is not left[number] and name in self.fn.values[value].reads
        ]

    def _give(self, number: int, value: Value) -> None:
        fn, name = self.fn, self.names[number]
        if not value.type.rank:
            fn.line(f"*{name} = {fn.number(value).text};")
            return
        array = fn.array(value)
        if number in self.given:
            fn.fill(Place(name, frozenset([name])), array)
            return
        if self.into_python:
            new_arrays.give(fn, name, f"{value.name}_given", array)
            return
        if array.place is not None and array.place.block and array.place.block not in self.handed:
            self.handed.add(array.place.block)
            fn.line(f"*{name} = {array.place.name};")
            fn.line(f"{array.place.block}.data = NULL;")
        else:
            copy = fn.fresh(f"{value.name}_given")
            c_type = kept_type(value.type.dtype)
            size = infix("+", array.size, Expr("1")) if not array.size.text.isdigit() else array.size
            if not array.size.text.isdigit():
                most = f"SIZE_MAX / 2 / sizeof({c_type})"
                fn.line(f"if ((uint64_t){elements(array.shape).within(UNARY)} > {most}) goto no_memory;")
            fn.line(f"{c_type} *{copy} = malloc(sizeof({c_type}) * (size_t)({size.text}));")
            fn.line(f"if (!{copy}) goto no_memory;")
            fn.fill(Place(copy, frozenset([copy])), array)
            fn.line(f"*{name} = {copy};")
        told = self.program.graph.outputs[number]
        sizes = [p for p in self.parameters if p.is_result and p.role == "size" and p.value is told]
        for parameter in sizes:
            fn.line(f"*{parameter.name} = {array.shape[parameter.axis].text};")

    def _tell(self, arguments: list[Value], status: str) -> None:
        fn = self.fn
        if status == "0":
            fn.line("if (error) error->number = 0;")
            return
        outputs = dict(zip(self.program.graph.outputs, self.body.graph.outputs, strict=True))
        with fn.block("if (error)"):
            fn.line("error->number = status;")
            for name, value in _fields(arguments):
                fn.line(f"error->{name} = {fn.number(outputs[value]).text};")

    def _told(self, number: int) -> str:
        """What an error says, with the fields for what is filled in."""
        info = self.program.errors[number - 1]
        outputs, arguments = self.program.graph.outputs, self._error_arguments()
        names = {value: name for name, value in _fields(arguments)}
        wanted = [names.get(outputs[place], "...") for place in self.program.error_args[number - 1]]
        pieces = (p if isinstance(p, str) else _filled(wanted[p[0]], *p[1:]) for p in message_pieces(info))
        return f"{info.exception.__name__}: {''.join(pieces)} (line {info.loc.line})"

    def _possible(self) -> list[int]:
        """The numbers of the errors that a call may end with."""
        found = {id(info) for info in possible_errors(self.program)}
        return [number for number, info in enumerate(self.program.errors, 1) if id(info) in found]

    def _workspace_size(self) -> int:
        return (sum(BYTES[c_type] * size for c_type, size in self.fields.values()) + 7) // 8 * 8

    # ------------------------------------------------------------ the files

    def _text(self, head: str) -> str:
        fn = self.fn
        has_arena, has_blocks = fn.takes_memory, bool(fn.blocks)
        mallocs = has_arena or has_blocks or any(p.role == "made" for p in self.parameters)
        parts = [f'#include "{self.stem}.h"\n']
        functions = support.called(fn.lines)
        system = [*(["stdlib.h"] if mallocs else []), *fn.headers, *support.headers(functions)]
        mentioned = {name for line in fn.lines for name in names_in(line)}
        constants = [constant(name, a) for name, a in fn.constants.items() if name in mentioned]
        if any("NAN" in text or "INFINITY" in text for text in (*fn.lines, *constants)):
            system.append("math.h")
        parts.append("\n".join(f"#include <{name}>" for name in sorted(set(system))))
        parts += [support.vector_functions(fn.lines), *support.preludes(fn.lines)]
        parts += [memory(fn.in_process, fn.lines)] if has_arena else []
        parts += [BLOCKS] if has_blocks else []
        parts += [support.text_of(name) for name in support.closure(functions)]
        parts += [ALIGNMENT] if any("GP_ALIGNED" in text for text in constants) else []
        parts += constants
        parts.append(self._function(head, mentioned))
        return "\n".join(part.strip("\n") + "\n" for part in parts if part.strip())

    def _function(self, head: str, mentioned: set[str]) -> str:
        fn = self.fn
        lines = [f"{head} {{"]
        jumps = self._may_lack_memory()
        ends = any(JUMP in line for line in fn.lines)
        lines += [f"    {line}" for line in VARIABLES] if any(PAUSE in line for line in fn.lines) else []
        returns = self.ends_early and not (fn.takes_memory or fn.blocks or jumps or ends)
        has_status = any(line.lstrip().startswith("status = ") for line in returning(fn.lines) if returns)
        if (self.has_status and (has_status or not returns)) or jumps or ends:
            lines.append("    int status = 0;")
        if fn.takes_memory:
            lines.append("    gp_memory memory = {0};")
        lines += [f"    gp_block {block} = {{NULL, 0}};" for block in fn.blocks]
        lines += [f"    (void){p.name};" for p in self.parameters if p.name not in mentioned]
        lines += returning(fn.lines) if returns else fn.lines
        frees = [f"    free({block}.data);" for block in fn.blocks]
        frees += ["    gp_release_all(&memory);"] if fn.takes_memory else []
        marks = [("no_memory", NO_MEMORY)] * jumps + [("interrupted", INTERRUPTED)] * ends
        for mark, number in marks:
            lines += ["    goto done;", f"{mark}:", f"    status = {number};"]
        lines += ["done:"] if marks or (self.ends_early and not returns) else []
        lines += frees
        told = (self.has_status and (has_status or not returns)) or marks
        lines.append("    return status;" if told else "    return 0;")
        return "\n".join([*lines, "}"])

    def _may_lack_memory(self) -> bool:
        return any("goto no_memory" in line for line in self.fn.lines)

    def _header(self, head: str, arguments: list[Value]) -> str:
        guard = f"{identifier(self.stem).upper()}_H"
        lines = [f"#ifndef {guard}", f"#define {guard}", "", "#include <stdbool.h>", "#include <stddef.h>"]
        lines += ["#include <stdint.h>", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
        if self.program.errors and self.has_status:
            said = f" * What is in braces is a field of {self.name}_error, formatted as in an f-string."
            lines += ["/*", *([said] if _fields(arguments) else [])]
            lines += [f" * {number}: {in_comment(self._told(number))}" for number in self._possible()]
            lines += [" */", ""]
        if _fields(arguments):
            lines += ["typedef struct {", "    int number;"]
            lines += [f"    {local_type(value.type.dtype)} {name};" for name, value in _fields(arguments)]
            lines += [f"}} {self.name}_error;", ""]
        if self.weights:
            lines += structure(f"{self.name}_weights", self.weights)
        if self.fields:
            lines += [
                "/* Memory for one call at a time; its contents mean nothing between calls. */",
                "typedef struct {",
            ]
            lines += [f"    {c_type} {name}[{size}];" for name, (c_type, size) in self.fields.items()]
            lines += [f"}} {self.name}_workspace;", ""]
        return "\n".join([*lines, f"{head};", "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def _filled(name: str, conversion: str, form: str) -> str:
    """A value that is formatted, as in an f-string: it is whoever shows the text that fills it in."""
    return f"{{{name}{conversion and f'!{conversion}'}{form and f':{form}'}}}"


def _fields(arguments: list[Value]) -> list[tuple[str, Value]]:
    """The numbers among what messages have in them, with names."""
    return [(f"value_{number}", value) for number, value in enumerate(arguments) if not value.type.rank]


def _becomes(node: Node, value: Value) -> list[Value]:
    """The values whose memory becomes that of a node's output."""
    place = node.outputs.index(value)
    if node.op == "loop":
        return [node.regions[0].inputs[place + 1], node.inputs[place + 2]]
    if node.op == "if":
        return [region.outputs[place] for region in node.regions]
    return node.inputs[:1] if node.op in ("set_index", "set_slice", "scatter_nd", "scatter_add") else []


__all__ = ["NO_MEMORY", "CSource", "Parameter", "emit"]
