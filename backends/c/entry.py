"""The C function that Python calls a program through: it reads the arguments, makes the results, and gives a tuple.

    GP_EXPORT gp_object *gp_entry(gp_object *gp_self, gp_object *const *gp_given, intptr_t gp_count) {
        ...
        gp_array *gp_array_0 = gp_input(gp_given[0], gp_types[0], 1, &gp_kept[0]);
        if (!gp_array_0) goto gp_end;
        const int64_t n = gp_array_0->sizes[0];
        ...
        status = smooth(n, (const double *)gp_array_0->data, gp_number_1, (double *)gp_array_2->data);

Numbers are given as Python's; a result that there is none of, behind an error, is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.backends.c import host_steps, new_arrays, short_runs
from graph_program.backends.c.c_types import local_type
from graph_program.backends.c.emit import NO_MEMORY, CSource, Parameter
from graph_program.backends.c.input_tests import input_test
from graph_program.backends.c.pauses import INTERRUPTED, PAUSE, SUPPORT
from graph_program.backends.c.python_api import DECLARATIONS
from graph_program.extract.ir.graph import GraphProgram, Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.rules.facts import SizeTest

BIND, ENTRY = "gp_bind", "gp_entry"
"""The functions of the library: what tells it of Python, and what is called."""

HEADERS = ("stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "string.h", "time.h")
INCLUDES = "#define _POSIX_C_SOURCE 199309L\n" + "".join(f"#include <{name}>\n" for name in HEADERS)

COMMON = """
#if defined(_WIN32)
#define GP_EXPORT __declspec(dllexport)
#else
#define GP_EXPORT __attribute__((visibility("default")))
#endif

static gp_python gp_py;
static intptr_t gp_header;

static gp_array *gp_fields(gp_object *array) { return (gp_array *)((char *)array + gp_header); }

static gp_object *gp_class(gp_object *given) { return *(gp_object **)((char *)given + gp_header - sizeof given); }

static bool gp_is_array(gp_object *given, gp_object *dtype, int rank) {
    if (gp_class(given) != gp_py.ndarray) return false;
    const gp_array *array = gp_fields(given);
    return array->dtype == dtype && array->rank == rank;
}

/* An argument as it is, or a copy whose elements are one after the other. */
static gp_array *gp_input(gp_object *given, gp_object *dtype, int rank, gp_object **kept) {
    const int contiguous_and_aligned = 0x101;
    if (gp_is_array(given, dtype, rank) &&
        (gp_fields(given)->flags & contiguous_and_aligned) == contiguous_and_aligned)
        return gp_fields(given);
    *kept = gp_py.call(gp_py.contiguous, given, dtype, NULL);
    if (!*kept) return NULL;
    gp_array *array = gp_fields(*kept);
    if (array->rank == rank) return array;
    gp_py.as_double(gp_py.none); /* a TypeError; who calls gives no other rank */
    return NULL;
}

/* A new array. */
static gp_array *gp_output(gp_object *dtype, int rank, const int64_t *sizes, gp_object **kept) {
    gp_object *shape = gp_py.tuple(rank);
    if (!shape) return NULL;
    for (int axis = 0; axis < rank; axis++) {
        gp_object *size = gp_py.from_int(sizes[axis]);
        if (!size || gp_py.put(shape, axis, size)) {
            gp_py.drop(shape);
            return NULL;
        }
    }
    *kept = gp_py.call(gp_py.empty, shape, dtype, NULL);
    gp_py.drop(shape);
    return *kept ? gp_fields(*kept) : NULL;
}

/* Have NumPy sort elements in place, or say the order of them; whether it has. */
static bool gp_numpy_sort(
    gp_object *dtype, bool wants_order, const void *from, size_t element, int64_t *order, int64_t size
) {
    const int thread = gp_py.enter();
    gp_object *given = NULL, *sorted = NULL;
    gp_array *array = gp_output(dtype, 1, &size, &given);
    if (array) {
        memcpy(array->data, from, element * (size_t)size);
        sorted = gp_py.call(wants_order ? gp_py.argsort : gp_py.sort, given, NULL);
    }
    if (sorted && wants_order) memcpy(order, gp_fields(sorted)->data, sizeof *order * (size_t)size);
    if (sorted && !wants_order) memcpy((void *)from, array->data, element * (size_t)size);
    if (!sorted) gp_py.clear();
    gp_py.drop(sorted);
    gp_py.drop(given);
    gp_py.exit(thread);
    return sorted;
}

static int64_t gp_as_int(gp_object *given) { return gp_py.as_int(given); }

static uint64_t gp_as_unsigned(gp_object *given) {
    gp_object *number = gp_py.index(given);
    if (!number) return (uint64_t)-1;
    const uint64_t found = gp_py.as_unsigned(number);
    gp_py.drop(number);
    return found;
}

/* Put a new object into the result; whether there is one. */
static bool gp_give(gp_object *result, intptr_t place, gp_object *made) {
    return made && !gp_py.put(result, place, made);
}

static bool gp_give_none(gp_object *result, intptr_t place) {
    gp_py.keep(gp_py.none);
    return !gp_py.put(result, place, gp_py.none);
}
"""


@dataclass(frozen=True)
class Entry:
    """A program with the function that Python calls.

    Attributes
    ----------
    source : CSource
    dtypes : list of dtype
        The element types to bind.
    tests : bool
        Whether the function tests its arguments where it is given one more.
    """

    source: CSource
    dtypes: list[np.dtype[Any]]
    tests: bool


def with_entry(program: GraphProgram, source: CSource, size_tests: Sequence[SizeTest] = ()) -> Entry:
    """A program with the function that Python calls; `size_tests` are what a call asks of sizes."""
    entry = _Writer(program, source, size_tests)
    last = entry.text()
    types = f"static gp_object *gp_types[{len(entry.dtypes) or 1}];\n"
    support = SUPPORT if PAUSE in source.text else ""
    support += host_steps.SUPPORT if program.host else ""
    text = "\n".join([INCLUDES, DECLARATIONS + COMMON + new_arrays.TEXT + support, types, source.text, last])
    return Entry(replace(source, text=text), entry.dtypes, entry.test is not None)


class _Writer:
    def __init__(self, program: GraphProgram, source: CSource, size_tests: Sequence[SizeTest]):
        self.program, self.source = program, source
        self.dtypes: list[np.dtype[Any]] = list(source.dtypes)
        self.lines: list[str] = []
        self.kept = 0
        """How many objects are dropped at the end."""
        taken = {p.value for p in source.parameters if p.value is not None and not p.is_result}
        self.inputs = [value for value in program.graph.inputs if value in taken]
        self.test = input_test([value.type for value in self.inputs], size_tests, self._type)
        self.arguments: dict[Parameter, str] = {}
        """What the program is called with."""
        self.results = [p for p in source.parameters if p.is_result and p.role in ("number", "array", "made")]
        self.places: dict[Parameter, str] = {}
        """Where a result is, as an object for arrays."""

    def line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def text(self) -> str:
        self._test_inputs()
        for place, value in enumerate(self.inputs):
            self._input(place, value)
        for parameter in self.source.parameters:
            if parameter.is_result:
                self._result(parameter)
        body, self.lines = self.lines, []
        self._end()
        head = [
            f"GP_EXPORT void {BIND}(const gp_python *python, intptr_t header, gp_object **types) {{",
            "    gp_py = *python;",
            "    gp_header = header;",
            f"    memcpy(gp_types, types, {len(self.dtypes)} * sizeof *types);",
            "}",
            "",
            f"GP_EXPORT gp_object *{ENTRY}(gp_object *gp_self, gp_object *const *gp_given, intptr_t gp_count) {{",
            "    (void)gp_self, (void)gp_given, (void)gp_count;",
            "    (void)gp_as_int, (void)gp_as_unsigned, (void)gp_give_none;",
            "    (void)gp_input, (void)gp_output, (void)gp_new_array, (void)gp_numpy_sort, (void)gp_is_array;",
            "    gp_object *gp_result = NULL;",
            *([f"    gp_object *gp_kept[{self.kept}] = {{NULL}};"] if self.kept else []),
        ]
        return "\n".join([*head, *body, *self.lines, "}", ""])

    def _type(self, dtype: np.dtype[Any]) -> str:
        chars = [known.char for known in self.dtypes]  # two integers of 64 bits are equal, and not the same
        if dtype.char not in chars:
            self.dtypes.append(dtype)
            chars.append(dtype.char)
        return f"gp_types[{chars.index(dtype.char)}]"

    def _keep(self, count: int = 1) -> str:
        """The first of some places for objects that are dropped."""
        self.kept += count
        return f"gp_kept[{self.kept - count}]"

    # ------------------------------------------------------------ before the run

    def _test_inputs(self) -> None:
        """Where there is one more argument, it is given back if the others do not fit."""
        if self.test is None:
            return
        last = f"gp_given[{len(self.inputs)}]"
        self.line(f"if (gp_count > {len(self.inputs)} && !({self.test})) {{")
        self.line(f"    gp_py.keep({last});")
        self.line(f"    return {last};")
        self.line("}")

    def _input(self, place: int, value: Value) -> None:
        own = [p for p in self.source.parameters if p.value is value and not p.is_result]
        if not value.type.rank:
            self._number(place, value.type.dtype, own[0])
            return
        array, rank = f"gp_array_{place}", value.type.rank
        self.line(
            f"gp_array *{array} = gp_input(gp_given[{place}], {self._type(value.type.dtype)}, {rank}, &{self._keep()});"
        )
        self.line(f"if (!{array}) goto gp_end;")
        for parameter in own:
            if parameter.role == "size":
                self.line(f"const int64_t {parameter.name} = {array}->sizes[{parameter.axis}];")
                self.arguments[parameter] = parameter.name
            else:
                self.arguments[parameter] = f"({parameter.c_type}){array}->data"

    def _number(self, place: int, dtype: np.dtype[Any], parameter: Parameter) -> None:
        read, c_type = _READERS[dtype.kind if dtype.kind in _READERS else "f"]
        name = self.arguments[parameter] = f"gp_number_{place}"
        self.line(f"const {c_type} {name} = {read}(gp_given[{place}]);")
        self.line(f"if ({name} == ({c_type})-1 && gp_py.occurred()) goto gp_end;")
        if local_type(dtype) != c_type:
            self.arguments[parameter] = f"({local_type(dtype)}){name}"

    def _result(self, parameter: Parameter) -> None:
        value = parameter.value
        number = len(self.arguments)
        if parameter.role == "array":
            assert value is not None
            kept, array, type_ = self._keep(), f"gp_array_{number}", self._type(value.type.dtype)
            sizes = ", ".join(size.text for size in self.source.sizes[value]) or "0"
            self.line(f"const int64_t gp_sizes_{number}[] = {{{sizes}}};")
            self.line(f"gp_array *{array} = gp_output({type_}, {value.type.rank}, gp_sizes_{number}, &{kept});")
            self._require(array)
            self.arguments[parameter] = f"({parameter.c_type}){array}->data"
            self.places[parameter] = kept
            return
        if parameter.role == "made":
            self.places[parameter] = kept = self._keep(new_arrays.SLOTS)
            self.arguments[parameter] = f"&{kept}"
            return
        name = f"gp_told_{number}"
        self.line(f"{parameter.c_type.removesuffix('*').strip()} {name} = {_zero(parameter)};")
        self.arguments[parameter] = f"&{name}"
        self.places[parameter] = name

    # ------------------------------------------------------------ the run, and behind it

    def _end(self) -> None:
        given = ", ".join(self.arguments[p] for p in self.source.parameters)
        short = self._is_short()
        self.line(f"void *gp_thread = {f'{short} ? NULL : ' if short else ''}gp_py.leave();")
        self.line(f"const int gp_status = {self.source.name}({given});")
        self.line(f"{'if (gp_thread) ' if short else ''}gp_py.come_back(gp_thread);")
        self.line(f"if (gp_status == {INTERRUPTED}) goto gp_end;")
        self.line(f"if (gp_status == {NO_MEMORY}) {{")
        self.line("    gp_py.no_memory();")
        self.line("    goto gp_end;")
        self.line("}")
        outputs = self.program.graph.outputs
        tests = [self._give(place, outputs) for place in range(len(outputs))]
        self.line(f"gp_result = gp_py.tuple({len(outputs)});")
        self.line("if (!gp_result) goto gp_end;")
        for test in tests:
            if test:
                self.line(f"if (!({test})) goto gp_failed;")
        self.line("goto gp_end;")
        self.lines.append("gp_failed:")
        self.line("gp_py.drop(gp_result);")
        self.line("gp_result = NULL;")
        self.lines.append("gp_end:")
        if self.kept:
            self.line(f"for (int gp_i = 0; gp_i < {self.kept}; gp_i++) gp_py.drop(gp_kept[gp_i]);")
        self.line("return gp_result;")

    def _is_short(self) -> str:
        """The test whether arrays have few elements, where a program is through them in no time; empty elsewhere."""
        if not short_runs.may_be_short(self.program, self.source.text):
            return ""
        inputs = [
            [f"gp_array_{place}->sizes[{axis}]" for axis in range(value.type.rank)]
            for place, value in enumerate(self.inputs)
        ]
        results = [
            [f"gp_sizes_{number}[{axis}]" for axis in range(parameter.value.type.rank)]
            for number, parameter in enumerate(self.arguments)
            if parameter.role == "array" and parameter.is_result and parameter.value is not None
        ]
        counts = [" * ".join(sizes) for sizes in (*inputs, *results) if sizes]
        return f"{' + '.join(counts) or '0'} <= {short_runs.FEW}"

    def _give(self, place: int, outputs: list[Value]) -> str:
        """The expression that puts an output into the result, and is true if that is done."""
        if place < len(self.results):
            given = self._given(place, self.results[place])
            if not self.program.errors or self.program.keeps_writes:
                return given
            return f"gp_status ? gp_give_none(gp_result, {place}) : {given}"
        if place == len(self.program.output_names):
            return f"gp_give(gp_result, {place}, gp_py.from_int(gp_status))"
        value = outputs[place]
        told = next((p for p in self.source.parameters if p.role == "error"), None)
        field = next((name for name, _, own in self.source.error_fields if own is value), None)
        if told is not None and field is not None:
            made = _made(value.type.dtype, f"{self.places[told]}.{field}")
            return f"gp_status ? gp_give(gp_result, {place}, {made}) : gp_give_none(gp_result, {place})"
        return f"gp_give_none(gp_result, {place})"

    def _given(self, place: int, parameter: Parameter) -> str:
        value, name = parameter.value, self.places[parameter]
        assert value is not None
        if parameter.role == "number":
            return f"gp_give(gp_result, {place}, {_made(value.type.dtype, name)})"
        given = f"(gp_py.keep({name}), gp_give(gp_result, {place}, {name}))"
        return f"{name} ? {given} : gp_give_none(gp_result, {place})" if parameter.role == "made" else given

    def _require(self, array: str) -> None:
        """End where there is no memory for a result; where a run can be repeated, that says what Python says."""
        self.line(f"if (!{array}) {{")
        if not self.program.host:
            self.line("    gp_py.no_memory();")
        self.line("    goto gp_end;")
        self.line("}")


_READERS = {
    "b": ("gp_py.truth", "int"),
    "i": ("gp_as_int", "int64_t"),
    "u": ("gp_as_unsigned", "uint64_t"),
    "f": ("gp_py.as_double", "double"),
}
"""By the kind of element: what reads a number, and what it gives; -1 may be an error."""


def _made(dtype: np.dtype[Any], name: str) -> str:
    """A number as an object."""
    function = {"b": "from_bool", "i": "from_int", "u": "from_unsigned"}.get(dtype.kind, "from_double")
    return f"gp_py.{function}({name})"


def _zero(parameter: Parameter) -> str:
    return "{0}" if parameter.role == "error" else "0"


__all__ = ["BIND", "ENTRY", "Entry", "with_entry"]
