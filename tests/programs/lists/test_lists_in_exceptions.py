"""Lists of computed length in the texts and among the arguments of exceptions, in calls and in exported models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.host.test_host_export import FORMS, export, module_at
from tests.programs.plain import check

GIVEN = (np.array([1.0, 2.0]), np.array([-1.0, 2.0, -3.5]), np.array([np.nan, np.inf, 1.0, 1.0]), np.zeros(0))


class CycleError(ValueError):
    """Has a list among its arguments."""


def positions(x: Any) -> Any:
    bad = [i for i in range(len(x)) if not np.isfinite(x[i])]
    if bad:
        raise ValueError(f"bad samples at {bad}, {len(bad)} of {len(x)}")
    return x.sum()


def among_the_arguments(x: Any) -> Any:
    bad = [float(v) for v in x if v < 0]
    if bad:
        raise CycleError(f"{len(bad)} of {len(x)}", bad, (len(bad), bad))
    return x


def alone(x: Any) -> Any:
    bad = [v for v in x if v < 0]
    if bad:
        raise ValueError(bad)
    return x


def text_made_before(x: Any) -> Any:
    bad = tuple(i for i in range(len(x)) if x[i] < 0)
    text = f"at {bad!r:>12}"
    bad = ()
    if len(x) > 2:
        raise KeyError(text, bad)
    return bad


def list_changed_behind(x: Any) -> Any:
    seen: list[Any] = []
    for v in x:
        if v in seen:
            text = f"{v} twice in {seen}"
            seen.append(v)
            raise KeyError(text)
        seen.append(v)
    return len(seen)


def rows(x: Any) -> Any:
    negative = [row for row in x.reshape(-1, 1) if row[0] < 0]
    if negative:
        raise ValueError("rows", negative)
    return x


def caught(x: Any) -> Any:
    bad = [v for v in x if v < 0]
    try:
        if bad:
            raise ValueError(f"negative {bad}", bad)
    except ValueError as error:
        return str(error), len(error.args[1])
    return "fine", 0


def returned(x: Any) -> Any:
    return f"{[i for i in range(len(x)) if x[i] > 1]}"


@pytest.mark.parametrize(
    "function",
    [positions, among_the_arguments, alone, text_made_before, list_changed_behind, rows, caught, returned],
)
def test_as_python(function: Any) -> None:
    check(function, *((x,) for x in GIVEN))


def test_the_table_of_a_model_says_that_rows_are_a_list() -> None:
    session = onnxruntime.InferenceSession(graph_program(positions).model((GIVEN[0],)).SerializeToString())
    names = [output.name for output in session.get_outputs()]
    outputs = session.run(None, {"x": GIVEN[2]})
    table = json.loads(session.get_modelmeta().custom_metadata_map["errors"])
    error = table[int(outputs[names.index("error")]) - 1]
    first = next(piece for piece in error["message"] if isinstance(piece, dict))
    assert first["rows"] == "list"
    assert outputs[error["arguments"][first["argument"]]].tolist() == [0, 1]


@host_function
def seen(k: int) -> int:
    return k + 1


def beside_host_code(x: Any) -> Any:
    bad = [float(v) for v in x if v < 0]
    count = seen(len(bad))
    if count > 1:
        raise ValueError(f"{count}: {bad}", bad)
    return count


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
@pytest.mark.parametrize("form", FORMS)
def test_exported_with_host_code(form: str, tmp_path: Path) -> None:
    exported = module_at(export(graph_program(beside_host_code), tmp_path, form, (GIVEN[0],))).load()
    assert exported(GIVEN[0]) == 1
    with pytest.raises(ValueError, match="3: ") as found:
        exported(GIVEN[1])
    assert found.value.args == ("3: [-1.0, -3.5]", [-1.0, -3.5])


def test_lists_of_tuples_are_refused() -> None:
    def pairs(x: Any) -> Any:
        bad = [(i, v) for i, v in enumerate(x) if v < 0]
        if bad:
            raise ValueError(f"bad {bad}")
        return x

    with pytest.raises(GraphProgramError, match="GP442") as found:
        graph_program(pairs)(GIVEN[0])
    assert found.value.diagnostic.hint == "give its numbers one by one"
