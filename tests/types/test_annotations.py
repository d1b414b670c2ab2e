"""Annotations and argument values to specs: what is accepted, generalised, and refused in which words."""

from __future__ import annotations

import contextlib
import copy
import enum
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Bool, Float, Float32, Int, Int64, Shaped

import graph_program
from graph_program.extract.arguments.argument_specs import spec_from_annotation, spec_from_value, specs_from_call
from graph_program.extract.diagnostics import CallError, GraphProgramError, UnsupportedError
from graph_program.extract.ir.specs import (
    ArgSpec,
    DictSpec,
    ListSpec,
    RecordSpec,
    RowsSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
)
from graph_program.extract.types.notation.annotation_reading import parse_annotation
from graph_program.extract.types.notation.annotations import UnionAnnotation, entry_text
from graph_program.extract.types.notation.dims_strings import GRAMMAR, AnnotationSyntaxError, read_dims
from graph_program.extract.types.notation.evaluated_annotations import function_annotations
from graph_program.tensor_api.static import Static

Array = np.ndarray


@dataclass
class Layer:
    w: Float32[Array, "n m"]
    scale: float


class Pair(NamedTuple):
    first: int
    second: Float32[Array, "k"]


@dataclass
class Tree:
    children: list[Tree]
    value: Float32[Array, ""]


class Color(enum.IntEnum):
    RED = 1


def text(spec: ArgSpec | None) -> str:
    """A spec in short, for comparison."""
    match spec:
        case TensorSpec(t):
            return str(t)
        case StaticSpec():
            return f"static {spec.value!r}"
        case TupleSpec(elts, cls):
            return f"{cls.__name__ if cls else ''}({', '.join(map(text, elts))})"
        case ListSpec(elts):
            return f"[{', '.join(map(text, elts))}]"
        case RowsSpec(element):
            return f"list[{text(element)}]"
        case DictSpec(items):
            return f"{{{', '.join(f'{k!r}: {text(s)}' for k, s in items)}}}"
        case RecordSpec(cls, fields):
            return f"{cls.__name__}({', '.join(f'{k}={text(s)}' for k, s in fields)})"
    return "open"


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (Float32[Array, "batch 784"], "float32 [batch, 784]"),
        (Int64[Array, ""], "int64 []"),
        (Bool[Array, "n"], "bool [n]"),
        (Float32[Array, "n+1 2*n _ rows=4 max(n,m) #k n//2"], "float32 [n+1, 2*n, x_2, 4, max(m,n), x_5, n//2]"),
        (Float[Array, "n"], "open"),
        (Int[Array, ""], "open"),
        (Shaped[Array, "n"], "open"),
        (Float32[Array, "*batch n"], "open"),
        (Float32[Array, "... n"], "open"),
        (Float32[Float32[Array, "n"], "m"], "float32 [m, n]"),
        (Array, "open"),
        (npt.NDArray[np.float32], "open"),
        (Array[tuple[int, int], np.dtype[np.float32]], "float32 [x_0, x_1]"),
        (np.float32, "np.float32"),
        (np.floating, "open"),
        (int, "int"),
        (float, "float"),
        (bool, "bool"),
        (None, "static None"),
        (Literal["relu"], "static 'relu'"),
        (str, "open"),
        (Static[int], "open"),
        (tuple[int, Float32[Array, "n"]], "(int, float32 [n])"),
        (tuple[int, ...], "open"),
        (list[int], "list[int]"),
        (dict[str, int], "open"),
        (int | None, "open"),
        (Callable[[int], int], "open"),
        (Pair, "Pair(int, float32 [k])"),
        (Layer, "Layer(w=float32 [n, m], scale=float)"),
        (Tree, "open"),
        (object, "open"),
        (Float32[Array, "{unknown}"], "float32 [x_0]"),
    ],
)
def test_spec_from_annotation(annotation: Any, expected: str) -> None:
    assert text(spec_from_annotation(annotation, "x")) == expected


def f4(*shape: int) -> np.ndarray:
    return np.zeros(shape, "f4")


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        (f4(2, 3), None, "float32 [x_0, x_1]"),
        (f4(2, 3), Float32[Array, "n 3"], "float32 [n, 3]"),
        (f4(2, 3), Float[Array, "*s 3"], "float32 [s_0, 3]"),
        (f4(2, 3), Float[Array, "... n"], "float32 [x_0, n]"),
        (np.zeros(3, "i8"), Int[Array, "_"], "int64 [x_0]"),
        (f4(2), f4, "float32 [x_0]"),
        (np.float32(1), float, "np.float32"),
        (np.float64(1), Float[Array, ""], "np.float64"),
        (np.bool_(True), None, "np.bool"),
        (1, float, "int"),
        (1.5, None, "float"),
        (True, None, "bool"),
        (1, Static[int], "static 1"),
        (Color.RED, None, "static <Color.RED: 1>"),
        ("relu", str, "static 'relu'"),
        (None, int | None, "static None"),
        (3, int | None, "int"),
        (f4(2), Float32[Array, "n"] | None, "float32 [n]"),
        (1.0, Float32[Array, ""] | float, "float"),
        (abs, None, "static <built-in function abs>"),
        (np.dtype("f4"), None, "static dtype('float32')"),
        ((1, f4(2)), tuple[int, Float32[Array, "n"]], "(int, float32 [n])"),
        ([f4(2), f4(3)], None, "[float32 [x.0_0], float32 [x.1_0]]"),
        ([f4(3), f4(3)], list[Float32[Array, "n"]], "list[float32 [n]]"),
        ({"w": f4(2), "b": 1}, None, "{'w': float32 [x.w_0], 'b': int}"),
        (Pair(1, f4(2)), None, "Pair(int, float32 [k])"),
        (Layer(f4(2, 3), 1), None, "Layer(w=float32 [n, m], scale=int)"),
        (Tree([Tree([], f4())], f4()), None, "Tree(children=[Tree(children=[], value=float32 [])], value=float32 [])"),
    ],
)
def test_spec_from_value(value: Any, annotation: Any, expected: str) -> None:
    assert text(spec_from_value(value, annotation, "x")) == expected


@pytest.mark.parametrize(
    ("value", "annotation", "code", "message"),
    [
        (np.zeros(3), Float32[Array, "n"], "GP401", "expected float32 [n], got an array of float64"),
        (1.5, Float32[Array, ""], "GP401", "expected float32 [], got a Python float"),
        ([1.5], Float32[Array, "n"], "GP401", "expected float32 [n], got a Python list"),
        (None, Float32[Array, "n"], "GP401", "expected float32 [n], got None"),
        (f4(3, 4), Float32[Array, "n"], "GP402", "expected float32 [n], got 2 dimensions: (3, 4)"),
        (f4(3), Float32[Array, "*s n m"], "GP402", "expected float32 [*s, n, m], got 1 dimensions: (3,)"),
        (f4(3, 4), Float32[Array, "n 5"], "GP403", "expected float32 [n, 5] with n=3, got (3, 4)"),
        (f4(3, 4), Float32[Array, "n n"], "GP403", "expected float32 [n, n] with n=3, got (3, 4)"),
        (f4(3), Float32[Array, "2*n"], "GP403", "expected float32 [2*n], got (3,): no size n gives 2*n = 3"),
        ((1,), tuple[int, int], "GP402", "expected 2 elements, got 1"),
    ],
)
def test_what_an_annotation_does_not_allow(value: Any, annotation: Any, code: str, message: str) -> None:
    with pytest.raises(CallError) as caught:
        spec_from_value(value, annotation, "x")
    assert caught.value.code == code
    assert caught.value.diagnostic.message == f"parameter x: {message}"


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (np.zeros(2, object), "x"),
        (np.zeros(2, "U3"), "x"),
        (np.zeros(2, "M8[s]"), "x"),
        (np.zeros(2, np.clongdouble), "x"),
        (np.zeros(2, ">f4"), "x"),
        (np.ma.zeros(2), "x"),
        (np.clongdouble(1), "x"),
        (2**63, "x"),
        ([{"a": bytearray(1)}], "x[0]['a']"),
        (Layer(np.clongdouble(1), 1), "x.w"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_an_argument(value: Any, place: str) -> None:
    with pytest.raises(UnsupportedError, match="GP404") as caught:
        spec_from_value(value, None, "x")
    assert caught.value.diagnostic.message.startswith(f"parameter {place}: ")


def test_names_agree_across_a_call() -> None:
    n, shifted, batch = Float32[Array, "n"], Float32[Array, "n+1"], Float32[Array, "*b"]
    assert len(specs_from_call([("a", f4(3), n), ("b", f4(4), shifted)])) == 2
    with pytest.raises(CallError, match=r"parameter b: expected float32 \[n\] with n=3 \(from a\), got \(4,\)"):
        specs_from_call([("a", f4(3), n), ("b", f4(4), n)])
    with pytest.raises(CallError, match=r"parameter b: \*b stands for 2 dimensions, but for 1 in a"):
        specs_from_call([("a", f4(3), batch), ("b", f4(3, 4), batch)])


def test_annotations_written_as_text_are_evaluated() -> None:
    size = Float32[Array, "n"]

    def program(x: size, y: Missing, z: Layer) -> int:  # type: ignore[name-defined,valid-type]
        return 1 if size else 0

    found = function_annotations(program)
    assert found == {"x": size, "y": "Missing", "z": Layer, "return": int}
    assert parse_annotation(found["y"]) is None


def entries(text: str) -> str:
    """The entries of a dims string, in the shape language."""
    return ", ".join(map(entry_text, read_dims(text)))


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        ("", ""),
        ("  n   4 ", "n, 4"),
        ("_ _n ?n #n #4 {size}", "_, _, _, _, _, _"),
        ("*s n", "*s, n"),
        ("... n", "..., n"),
        ("*_s n", "..., n"),
        ("#*s n", "..., n"),
        ("rows=4 cols=n+1", "4, n+1"),
        ("2*n+1 n//2 max(n,m) (n-1)*2", "2*n+1, n//2, max(m,n), 2*n-2"),
        ("größe", "größe"),
    ],
)
def test_dims_strings(dims: str, expected: str) -> None:
    assert entries(dims) == expected


@pytest.mark.parametrize(
    ("dims", "wrong", "instead"),
    [
        ("n + 1", "n + 1", '"n+1"'),
        ("n +1 4", "n +1", '"n+1 4"'),
        ("4 n* 2", "n* 2", '"4 n*2"'),
        ("max(n, m)", "max(n, m)", '"max(n,m)"'),
        ("n = 4", "n = 4", '"n=4"'),
        ("batch<=8", "batch<=8", 'dims={"batch": (0, 8)}'),
        ("4 > n", "4 > n", 'dims={"n": (0, 3)}'),
        ("n==4 m", "n==4", 'dims={"n": 4}'),
        ("*a n *b", "*b", 'Shaped[Tensor, "float32 [*a, n, *b]"]'),
        ("... *b", "*b", "Shaped"),
        ("n, 4", ",", '"n 4"'),
        ("[n, 4]", "[n, 4]", '"n 4"'),
        ("float32 [n, 2*m]", "float32 [n, 2*m]", '"n 2*m"'),
        ("n *", "*", '"n *s"'),
        ("**s", "**s", '"*s"'),
        ("*4", "*4", '"*s"'),
        ("...s", "...s", '"*s"'),
        ("n #", "#", '"n _"'),
        ("n=", "n=", '"n"'),
        ("=4", "=4", '"4"'),
        ("n 2m", "2m", '"n 2*m"'),
        ("n/2", "n/2", '"n//2"'),
        ("n**2", "n**2", '"n*n"'),
        ("-1", "-1", '"_"'),
        ("__", "__", '"_"'),
        ("len(x)", "len(x)", ""),
        ("n.m", "n.m", '"n_m"'),
        ("n m!", "m!", ""),
        ("n+", "n+", ""),
        ("n//0", "n//0", ""),
        ("m (n", "(n", ""),
    ],
)
def test_dims_strings_that_are_refused(dims: str, wrong: str, instead: str) -> None:
    with pytest.raises(AnnotationSyntaxError) as caught:
        read_dims(dims)
    error = caught.value
    assert dims[error.start : error.end] == wrong
    assert instead in error.hint
    assert GRAMMAR in error.hint


@settings(max_examples=300)
@given(st.text(st.sampled_from(" n4m+-*/%,()[]<>=#_.?{}!5*"), max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_dims(text)
    except AnnotationSyntaxError as error:
        assert 0 <= error.start <= error.end <= len(text)
    else:
        assert len(found) == len(text.split())


@settings(max_examples=300)
@given(st.text(st.sampled_from(" tn4+*/,[]<=_.&|@"), max_size=14))
def test_any_text_of_the_shape_language_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(AnnotationSyntaxError):
        parse_annotation(graph_program.Shaped[text])


SHAPED = [
    ("float32 [n, 4]", "float32 [n, 4]"),
    ("float32[]", "float32 []"),
    ("t [*a, n, *b]", "t [*a, n, *b]"),
    ("s @ [n]", None),
    ("float [2*n + 1, _]", "float [2*n+1, _]"),
    ("int [*_, n]", "int [..., n]"),
    ("uint [n]", "uint [n]"),
    ("number [n]", "number [n]"),
    ("t s @ [n]", "t [*s, n]"),
    ("float32 [*a & *b]", None),
    ("t | u [n]", None),
    ("float32 [n 4]", None),
    ("complex64 [n]", "complex64 [n]"),
    ("complex256 [n]", None),
    ("float32 [*s, n, *]", None),
]


@pytest.mark.parametrize(("shape", "expected"), SHAPED)
def test_the_shape_language(shape: str, expected: str | None) -> None:
    for annotation in (graph_program.Shaped[shape], graph_program.Shaped[Array, shape]):
        if expected is None:
            with pytest.raises(AnnotationSyntaxError):
                parse_annotation(annotation)
        else:
            assert str(parse_annotation(annotation)) == expected
            optional = parse_annotation(annotation | None)
            assert isinstance(optional, UnionAnnotation)
            assert str(optional.options[0]) == expected


def shaped(text: str) -> Any:
    return graph_program.Shaped[text]


MIDDLE = shaped("float32 [*a, n, *b]")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([(f4(3), MIDDLE)], ["float32 [n]"]),
        ([(f4(2, 3, 4), MIDDLE), (f4(2), shaped("t [*a]"))], ["float32 [a_0, n, b_0]", "float32 [a_0]"]),
        ([(f4(2, 3, 4), MIDDLE), (f4(4, 1), Float32[Array, "*b k"])], ["float32 [a_0, n, b_0]", "float32 [b_0, k]"]),
        ([(f4(2, 3, 2, 3), shaped("t [*a, *a]"))], ["float32 [a_0, a_1, a_0, a_1]"]),
        ([(f4(2), shaped("t [n]")), (f4(2), shaped("t [n]"))], ["float32 [n]", "float32 [n]"]),
        (
            [([f4(2), f4(3)], shaped("t [n, *]")), (f4(2), shaped("t [n]"))],
            ["[float32 [p0.0_0], float32 [p0.1_0]]", "float32 [2]"],
        ),
        ([(f4(2, 3), shaped("t [n, *]"))], ["float32 [p0_0, p0_1]"]),
    ],
)
def test_parts_of_unknown_length(arguments: list[tuple[Any, Any]], expected: list[str]) -> None:
    specs = specs_from_call([(f"p{i}", value, note) for i, (value, note) in enumerate(arguments)])
    assert list(map(text, specs)) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([(f4(2, 3), MIDDLE)], r"p0: \(2, 3\) can be split as float32 \[\*a, n, \*b\] in several ways"),
        ([(f4(), MIDDLE)], r"p0: expected float32 \[\*a, n, \*b\], got 0 dimensions"),
        ([(f4(2, 3), MIDDLE), (f4(5), shaped("t [*a]"))], r"p0: expected float32 \[a_0, n\] with a_0=5 \(from p1\)"),
        ([(f4(2, 3, 2), shaped("t [*a, *a]"))], "p0: expected t"),
        ([(f4(2), shaped("t [n]")), (np.zeros(2), shaped("t [n]"))], r"p1: .* with t=float32 \(from p0\), got"),
        ([([f4(2)] * 3, shaped("t [n, *]")), (f4(2), shaped("t [n]"))], r"p1: .* with n=3 \(from p0\)"),
    ],
)
def test_what_parts_of_unknown_length_do_not_allow(arguments: list[tuple[Any, Any]], message: str) -> None:
    with pytest.raises(CallError, match=message):
        specs_from_call([(f"p{i}", value, note) for i, (value, note) in enumerate(arguments)])


@dataclass
class Unreadable:
    w: graph_program.Float32[Array, "2n m"]


def takes_unreadable(p: list[Unreadable]) -> int:
    return len(p)


def test_the_place_of_a_field_that_cannot_be_read() -> None:
    with pytest.raises(GraphProgramError, match="a product without") as caught:
        graph_program.graph_program(takes_unreadable)([])
    loc = caught.value.loc
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert lines[loc.line - 1][loc.column - 1 : loc.end_column - 1] == "2n"
    assert [label.text for label in caught.value.diagnostic.labels] == ["used here"]


def test_exported_names_are_jaxtypings() -> None:
    assert graph_program.Float32[Array, "n"].__name__ == Float32[Array, "n"].__name__
    assert graph_program.Float.dtypes == Float.dtypes
    assert pickle.loads(pickle.dumps(graph_program.Float)).dtypes == Float.dtypes
    assert not hasattr(copy.copy(graph_program.Float), "unknown")
    assert isinstance(f4(2), graph_program.Float32[Array, "n"])


def test_jaxtyping_is_not_imported() -> None:
    code = "import sys, graph_program.extract.arguments.argument_specs; print('jaxtyping' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
