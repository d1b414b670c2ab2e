"""Probes what a runtime makes of ONNX's operators, on the cases that come with onnx.

    python -m graph_program.verification.probe openvino tract webgpu

Each case is a model of one operator with inputs and outputs; those of control flow and of learned models are our own.
It is asked in the opset that `export` writes, or else in the one that its operator is of, in a process, or a page,
that a runtime may end; floats may differ by the rounding of what the runtime computes in.  What is found goes into
`targets/probed/<runtime>.json`.  Where no runtime is named, those are asked that have such a file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from graph_program.backends.onnx.versions import OPSET
from graph_program.targets.known import NEW
from graph_program.targets.support import PROBED
from graph_program.targets.verdicts import ELSEWHERE, PARTLY, REFUSED, RIGHT, WRONG
from graph_program.verification.casts import cast_models
from graph_program.verification.forms import form_models
from graph_program.verification.learned import ROWS, learned_models, recurrent_models
from graph_program.verification.runtimes import RUNTIMES, plain
from graph_program.verification.together import verdicts_of_many
from graph_program.verification.worker import write

PLAIN = frozenset("biufU")
"""Kinds of arrays that cross to another process."""
TYPES = tuple(map(np.dtype, ("float32", "float64", "int64", "int32", "uint8", "bool")))
"""Element types that programs have."""
MOST = frozenset(("float32", "int32"))
"""Those that the cases of onnx are in."""
KNOWN = " constant"
"""At the end of the names of cases whose sizes, axes and the like are constants."""
PROCESSES = 8
"""At most so many ask at once."""
FEW = 3
"""So many cases of an operator are asked in other types."""


@dataclass(frozen=True)
class Case:
    """One operator on some inputs; none where it is a form."""

    name: str
    operator: str
    dtype: str
    model: onnx.ModelProto
    inputs: dict[str, Any]
    outputs: dict[str, Any]


def cases(in_all_types: bool = True) -> Iterator[Case]:
    """The cases of onnx that can be asked: of standard operators, on arrays, in the opset of exports if it has them.

    `in_all_types`: some of them in other types than onnx has them in, too.
    """
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings(action="ignore"):
        found = load_model_tests(kind="node")
    count: dict[str, int] = {}
    for case in found:
        made = None if "_expanded" in case.name else _case(case)
        if made is not None:
            yield made
            yield from with_constants(made)
            count[made.operator] = count.get(made.operator, 0) + 1
            if in_all_types and made.dtype in MOST and count[made.operator] <= FEW:
                for other in in_other_types(made):
                    yield other
                    yield from with_constants(other)


def control_cases() -> Iterator[Case]:
    """A loop and a branch on arrays; those of onnx are about sequences."""
    for dtype in (np.dtype("float32"), np.dtype("float64"), np.dtype("int64")):
        element = onnx.helper.np_dtype_to_tensor_dtype(dtype)
        x = np.array([1, 2, 3], dtype)
        yield Case(f"loop {dtype}", "Loop", "int64", _loop(element), {"x": x, "n": np.array(3)}, {"y": x * 4})
        yield Case(f"if {dtype}", "If", "bool", _branch(element), {"x": x, "test": np.array(True)}, {"y": x * 2})


def cast_cases() -> Iterator[Case]:
    """Casts from each type to each other one, under names of their own: what a cast is to counts, too."""
    for operator, dtype, model, inputs, outputs in cast_models():
        yield Case(f"{operator} of {dtype}", operator, dtype, model, inputs, outputs)


def form_cases(floats: str) -> Iterator[Case]:
    """Ways to use operators."""
    for name, model, inputs, outputs in form_models(floats):
        yield Case(name, "", "", model, inputs, outputs)


def learned_cases() -> Iterator[Case]:
    """Operators of learned models; the outputs are those of onnxruntime."""
    for name, model, inputs in (*learned_models(), *recurrent_models()):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case.onnx"
            onnx.save(model, path)
            yield Case(name, name, ROWS.dtype.name, model, inputs, plain(path)(inputs))


def _loop(element: int) -> onnx.ModelProto:
    """y = x; n times: y = y + x."""
    value, test = onnx.helper.make_tensor_value_info, onnx.TensorProto.BOOL
    state = [value("i", onnx.TensorProto.INT64, []), value("go", test, []), value("a", element, [3])]
    nodes = [onnx.helper.make_node("Add", ["a", "x"], ["b"]), onnx.helper.make_node("Identity", ["go"], ["on"])]
    body = onnx.helper.make_graph(
        nodes, "body", state, [value("on", onnx.TensorProto.BOOL, []), value("b", element, [3])]
    )
    loop = onnx.helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)
    inputs = [value("x", element, [3]), value("n", onnx.TensorProto.INT64, [])]
    return _model([loop], inputs, value("y", element, [3]))


def _branch(element: int) -> onnx.ModelProto:
    """y = x + x if test else x * x."""
    value = onnx.helper.make_tensor_value_info
    sides = {
        side: onnx.helper.make_graph(
            [onnx.helper.make_node(operator, ["x", "x"], [side])], side, [], [value(side, element, [3])]
        )
        for side, operator in (("then_branch", "Add"), ("else_branch", "Mul"))
    }
    branch = onnx.helper.make_node("If", ["test"], ["y"], **sides)
    return _model(
        [branch], [value("x", element, [3]), value("test", onnx.TensorProto.BOOL, [])], value("y", element, [3])
    )


def _model(nodes: Sequence[onnx.NodeProto], inputs: Sequence[Any], output: Any) -> onnx.ModelProto:
    graph = onnx.helper.make_graph(nodes, "g", inputs, [output])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=10)


def with_constants(case: Case) -> Iterator[Case]:
    """A case whose sizes, axes and the like are constants of the model, as in most files, where it has such inputs.

    So are operands of the first one's type beside them.
    """
    node = case.model.graph.node[-1]
    schema = _schema(case.model)
    same = _of_type(node.input, schema.inputs, schema.inputs[0].type_str) if schema.inputs else set()
    others = set(node.input) if node.op_type in NEW else set(node.input[1:])
    if (others if node.op_type in NEW else others - same).isdisjoint(case.inputs) or len(case.model.graph.node) > 1:
        return
    constants = {name: array for name, array in case.inputs.items() if name in others}
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    kept = [value for value in case.model.graph.input if value.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in constants.items())
    inputs = {name: array for name, array in case.inputs.items() if name not in constants}
    yield replace(case, name=f"{case.name}{KNOWN}", model=model, inputs=inputs)


def in_other_types(case: Case) -> Iterator[Case]:
    """A case in the other types that its operator takes; the outputs are those of onnxruntime, as the file has it."""
    node = case.model.graph.node[-1]
    schema = _schema(case.model)
    variable = schema.inputs[0].type_str
    allowed = next((set(c.allowed_type_strs) for c in schema.type_constraints if c.type_param_str == variable), set())
    for dtype in TYPES:
        if dtype.name == case.dtype:
            continue
        element = onnx.helper.np_dtype_to_tensor_dtype(dtype)
        if f"tensor({onnx.TensorProto.DataType.Name(element).lower()})" not in allowed:
            continue
        model, inputs = onnx.ModelProto(), dict(case.inputs)
        model.CopyFrom(case.model)
        changed = _of_type(node.input, schema.inputs, variable) | _of_type(node.output, schema.outputs, variable)
        for port in (*model.graph.input, *model.graph.output):
            if port.name in changed:
                port.type.tensor_type.elem_type = element
        for name in inputs.keys() & changed:
            inputs[name] = inputs[name].astype(dtype)
        with suppress(Exception), tempfile.TemporaryDirectory() as folder:  # onnxruntime has no kernel for it
            path = Path(folder) / "case.onnx"
            onnx.save(model, path)
            yield Case(f"{case.name} {dtype}", case.operator, dtype.name, model, inputs, plain(path)(inputs))


def _schema(model: onnx.ModelProto) -> onnx.defs.OpSchema:
    """What ONNX says of the operator of a case."""
    return onnx.defs.get_schema(model.graph.node[-1].op_type, model.opset_import[0].version)


def _of_type(names: Sequence[str], formal: Sequence[Any], variable: str) -> set[str]:
    """The inputs or outputs whose type is one variable of the operator; the last formal one may stand for many."""
    types = [formal[min(i, len(formal) - 1)].type_str for i in range(len(names))]
    return {name for name, type_ in zip(names, types, strict=True) if name and type_ == variable}


def _case(case: Any) -> Case | None:
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    if len(model.opset_import) != 1 or model.opset_import[0].domain or not case.data_sets or not model.graph.node:
        return None
    if onnx.defs.has(case.model.graph.node[-1].op_type, OPSET, ""):  # a newer one is asked in its own opset
        model.opset_import[0].version = OPSET
    model.ir_version = min(model.ir_version, 10)
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError, RuntimeError):
        return None  # of a newer version of the operator
    given, expected = case.data_sets[0]
    ports = [[value.name for value in values] for values in (model.graph.input, model.graph.output)]
    inputs, outputs = (_arrays(names, values) for names, values in zip(ports, (given, expected), strict=True))
    if inputs is None or outputs is None:
        return None
    node = model.graph.node[-1]
    first = next((inputs[name] for name in node.input if name in inputs), None)
    return Case(case.name, node.op_type, "" if first is None else first.dtype.name, model, inputs, outputs)


def _arrays(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any] | None:
    """Inputs or outputs by name; None where one is no array, or of elements that NumPy does not have."""
    made = [np.asarray(v) if isinstance(v, np.ndarray | np.generic) else None for v in values]
    if len(names) != len(made) or any(array is None or array.dtype.kind not in PLAIN for array in made):
        return None
    return dict(zip(names, made, strict=True))


def probe(runtime: str, asked: Sequence[Case]) -> dict[str, Any]:
    """What a runtime makes of some cases, as it is written down."""
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(asked):
            keep(case, Path(folder), number)
        verdicts = _verdicts(runtime, Path(folder), len(asked))
    pairs = [*zip(asked, verdicts, strict=True)]
    known = [case.name for case in asked if case.name.endswith(KNOWN)]
    given = {name.removesuffix(KNOWN) for name in known}
    forms = {case.name: verdict for case, verdict in pairs if not case.operator}
    asks = RUNTIMES[runtime]
    told = {"runtime": runtime, "version": asks.version, "portable": asks.portable, "closed": asks.closed}
    return told | {
        "opset": OPSET,
        "operators": _by_operator(pair for pair in pairs if pair[0].operator),
        "known": _by_operator(pair for pair in pairs if pair[0].name.endswith(KNOWN)),
        "given": _by_operator(pair for pair in pairs if pair[0].name in given),
        "forms": {name: RIGHT if verdict == ELSEWHERE else verdict for name, verdict in forms.items()},
    }


def keep(case: Case, folder: Path, number: int) -> None:
    """Write a case into a folder, as `asked` reads it."""
    onnx.save(case.model, folder / f"{number}.onnx")
    write(folder / f"{number}.inputs.npz", case.inputs)
    write(folder / f"{number}.outputs.npz", case.outputs)
    names = {"inputs": list(case.inputs), "outputs": list(case.outputs)}
    (folder / f"{number}.json").write_text(json.dumps(names), encoding="utf-8")


def _by_operator(pairs: Iterable[tuple[Case, str]]) -> dict[str, dict[str, str]]:
    """The verdicts of cases by operator and element type."""
    found: dict[str, dict[str, list[str]]] = {}
    for case, verdict in pairs:
        found.setdefault(case.operator, {}).setdefault(case.dtype, []).append(verdict)
    return {
        operator: {dtype: together(verdicts) for dtype, verdicts in sorted(by_dtype.items())}
        for operator, by_dtype in sorted(found.items())
    }


def _verdicts(runtime: str, folder: Path, count: int) -> list[str]:
    """What becomes of each case: in several processes, each of which takes one of so many."""
    if RUNTIMES[runtime].many is not None:
        return verdicts_of_many(RUNTIMES[runtime], folder, count)
    processes = min(os.cpu_count() or 1, PROCESSES)
    with ThreadPoolExecutor(processes) as pool:
        parts = pool.map(lambda start: _asked(runtime, folder, range(start, count, processes)), range(processes))
        found = {number: verdict for part in parts for number, verdict in part.items()}
    return [found[i] for i in range(count)]


def _asked(runtime: str, folder: Path, numbers: Sequence[int]) -> dict[int, str]:
    """Some of them; a process that is ended goes on with the next one."""
    found: dict[int, str] = {}
    while len(found) < len(numbers):
        left = " ".join(str(i) for i in numbers if i not in found)
        command = [sys.executable, "-W", "ignore", "-m", "graph_program.verification.asked", runtime, str(folder)]
        done = subprocess.run(command, input=left, capture_output=True, text=True, check=False)
        lines = [line.split(maxsplit=2) for line in done.stdout.splitlines() if line.startswith("case ")]
        if not lines:
            raise RuntimeError(f"{runtime} was asked nothing:\n{done.stderr[-2000:]}")
        found |= {int(line[1]): line[2] if len(line) > 2 else REFUSED for line in lines}
    return found


def together(verdicts: Sequence[str]) -> str:
    """One word for several cases: what one of them needs the CPU for does so as a whole."""
    if {*verdicts} == {RIGHT, ELSEWHERE}:
        return ELSEWHERE
    if all(verdict == verdicts[0] for verdict in verdicts):
        return verdicts[0]
    return WRONG if {*verdicts}.isdisjoint((RIGHT, ELSEWHERE)) else PARTLY


def main(runtimes: Sequence[str]) -> int:
    """Probe runtimes, and write down what is found."""
    named = runtimes or [path.stem for path in sorted(PROBED.glob("*.json"))]
    missing = {runtime: RUNTIMES[runtime].missing() for runtime in named}
    for runtime in filter(missing.get, named):
        print(f"{runtime}: {missing[runtime]}")
    there = [runtime for runtime in named if not missing[runtime]]
    asked = [*cases(), *control_cases(), *cast_cases(), *learned_cases()] if there else []
    for runtime in there:
        found = probe(runtime, [*asked, *form_cases(RUNTIMES[runtime].floats)])
        PROBED.mkdir(exist_ok=True)
        (PROBED / f"{runtime}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"{runtime} {found['version']}: {len(asked)} cases of {len(found['operators'])} operators")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
