"""The refusal of what a target does not take, or gets wrong, at the line that needs it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import onnx
from onnx import helper, inliner, shape_inference

from graph_program.backends.models.walks import inner_graphs
from graph_program.backends.onnx.avoided import (
    CONSTANT_SIDE,
    OPEN_SIDES,
    OTHER_SIDES,
    QUANTIZED_SOFTMAX,
    REMAINDERS,
    ROUND_SIZES,
    TWO_BRANCHES,
)
from graph_program.backends.onnx.messages import source_of
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.extract.ir.graph import Node as GraphNode
from graph_program.targets.known import MEASURES, Known
from graph_program.targets.support import REFUSED, RIGHT, WRONG, Support
from graph_program.targets.verdicts import ELSEWHERE, LISTED

RECURRENT, LENGTHS = frozenset({"GRU", "LSTM", "RNN"}), 4
"""Layers, and the place among their inputs of how long each sequence is."""
OTHERWISE = "write this line with other operations, or export it for another target"
IN_A_RUN = "whose sizes, places or weights only a run knows"
KNOWN_BEFORE = "write it with numbers that are constants, or sizes of arguments, or export it for another target"
IN_FLOAT32 = "compute in 32 bits: `float='float32'`"
WITHOUT_CHECKS = (
    "`checks='none'` leaves out checks of operations, which are branches and end loops, though none that you `raise` "
    "from; else write this line with others"
)
FLOATS = frozenset(["float16", "float32", "float64"])
SET = {
    "openvino": "where the processor has bfloat16, OpenVINO computes floats in it unless it is compiled with "
    '{"INFERENCE_PRECISION_HINT": "f32"}',
    "cuda": 'onnxruntime multiplies float32 in TF32 on CUDA unless that is given {"use_tf32": "0"}',
}
"""What whoever runs a file has to say, as a runtime's own choice are fewer bits."""
SAID = {REFUSED: "does not take", WRONG: "gets wrong"}
FORMS = {
    TWO_BRANCHES: "two branches side by side that a run decides",
    CONSTANT_SIDE: "a branch whose first side gives what is known before a run",
    OPEN_SIDES: "a branch, or a loop, that reads an array whose sizes only a run knows",
    ROUND_SIZES: "the size, in a round, of an array of which only the round knows it",
    QUANTIZED_SOFTMAX: "the softmax of a quantized array, which is quantized, too",
    REMAINDERS: "the remainder of a whole number that goes from round to round, and a constant",
    OTHER_SIDES: "a branch whose sides give arrays of other sizes, or of sizes that are not known to be equal",
}
"""Those that cannot be written in other words."""
OF_BRANCHES = frozenset([CONSTANT_SIDE, OPEN_SIDES, OTHER_SIDES, TWO_BRANCHES])
"""Those that checks may be."""


class Refused(NamedTuple):
    """Something that a target does not run, or runs wrongly.

    Attributes
    ----------
    node : onnx.NodeProto or None
        The operation; None where it is the program as a whole.
    text, hint : str
    loc : Loc, optional
        Where it is known without the operation.
    """

    node: onnx.NodeProto | None
    text: str
    hint: str = OTHERWISE
    loc: Loc | None = None


def require_taken(
    model: onnx.ModelProto, support: Support, nodes: Iterable[GraphNode], loc: Loc, has_checks: bool = True
) -> None:
    """Refuse a model with what a target does not run, or runs wrongly.

    Parameters
    ----------
    model : onnx.ModelProto
    support : Support
        Of the target.
    nodes : iterable of Node
        The program's, for the places in the source.
    loc : Loc
        The program's own place.
    has_checks : bool
        Whether the model has checks, which may be left out.

    Raises
    ------
    ExportError
        GP547, at the first line that needs such an operator, or such a form.
    """
    made = [*nodes]
    places = {node.loc.where: node.loc for node in made}
    whole = _without_functions(model)
    parts = (_as_a_whole(whole, support), _not_taken(whole, support), _growing(made, support))
    found = next((refused for part in parts for refused in part), None)
    if found is not None:
        place = found.loc or (loc if found.node is None else places.get(source_of(found.node), loc))
        hint = OTHERWISE if found.hint == WITHOUT_CHECKS and not has_checks else found.hint
        raise ExportError(Diagnostic("GP547", f"{found.text}, {support.source}", place, hint=hint))


def operators_not_taken(model: onnx.ModelProto, support: Support) -> frozenset[str]:
    """The operators of a model that a target does not run, or runs wrongly, each of them where one of it is so."""
    refused = _not_taken(_without_functions(model), support)
    return frozenset(found.node.op_type for found in refused if found.node is not None and not found.node.domain)


def told_of(support: Support, model: onnx.ModelProto) -> tuple[str, ...]:
    """What a target was found to take, and which operators of a model are done by the CPU in its place."""
    how = "as its documentation says; it was not probed" if support.document else "as it was probed"
    found = [*typed_nodes(_without_functions(model))]
    pairs = {(node.op_type, dtype) for node, dtype in found if node.input and not node.domain}
    others = sorted({operator for operator, dtype in pairs if support.verdict(operator, dtype) == ELSEWHERE})
    names = {size for value in model.graph.input for size in _sizes(value)}
    told = [f"{support.runtime} ({support.version}), {how}"]
    if others:
        told.append(f"on the CPU: {', '.join(others)}")
    if support.runtime in SET and any(dtype in FLOATS for _, dtype in found):
        told.append(SET[support.runtime])
    if support.needs_elements and not all(map(str.isdecimal, names)):
        told.append(f"not for arrays without elements, with which {support.runtime} ends, or gives something else")
    return tuple(told)


def _without_functions(model: onnx.ModelProto) -> onnx.ModelProto:
    """A model with the nodes of its functions in the places of their calls, where they have types."""
    return inliner.inline_local_functions(model) if model.functions else model


def _as_a_whole(model: onnx.ModelProto, support: Support) -> Iterator[Refused]:
    """What a target does not take of any program: versions of operators, and open sizes."""
    opset = next((entry.version for entry in model.opset_import if not entry.domain), None)
    ends = support.limits.opsets
    if ends and opset is not None and not ends[0] <= opset <= ends[1]:
        nearest = min(max(opset, ends[0]), ends[1])
        text = f"{support.runtime} takes operators of opset {ends[0]} to {ends[1]}, not of {opset}"
        yield Refused(None, text, f"write `opset={nearest}`")
    if support.limits.fixed_sizes:
        for value in model.graph.input:
            names = [size for size in _sizes(value) if not size.isdecimal()]
            if names:
                text = (
                    f"{support.runtime} takes arrays of known sizes only, and `{value.name}` has {' and '.join(names)}"
                )
                sizes = ", ".join(f"{name!r}: 128" for name in dict.fromkeys(names))
                yield Refused(None, text, f"give the sizes that there are to be, as in `dims={{{sizes}}}`")


def _growing(nodes: Iterable[GraphNode], support: Support) -> Iterator[Refused]:
    """Loops that carry what has another size behind a round."""
    for node in nodes if support.limits.same_sizes else ():
        if node.op == "loop":
            (body,) = node.regions
            for begin, end in zip(body.inputs[1:], body.outputs[1:], strict=True):
                if begin.type.shape != end.type.shape:
                    text = f"{support.runtime} does not take loops that carry an array whose size changes"
                    yield Refused(None, text, loc=node.loc)


def _not_taken(model: onnx.ModelProto, support: Support) -> Iterator[Refused]:
    """The nodes that a target does not take, each with what is said of it."""
    inferred = shape_inference.infer_shapes(model, data_prop=True)
    known = Known(inferred, support.known)
    ranks = dict(_ranks(inferred.graph)) if support.document else {}
    for node, dtype in typed_nodes(inferred):
        if not (support.limits.fixed_sizes and known.all_known(node.output)):
            yield from _refused(node, dtype, support, known)
            words = support.limits.beyond(node, known, ranks) if not node.domain else ()
            yield from (Refused(node, f"{support.runtime} does not take ONNX's {node.op_type}{said}") for said in words)
    avoided = support.avoided.forms
    found = (
        ((node, CONSTANT_SIDE) for node, _ in typed_nodes(inferred) if _is_known_first(node, known)),
        _side_by_side(inferred.graph, known),
        _of_open_sizes(inferred, known),
        _of_other_sizes(inferred),
        _in_rounds(inferred, known),
        _quantized_softmax(inferred),
    )
    for node, form in (pair for pairs in found for pair in pairs) if avoided else ():
        if form in avoided:
            hint = WITHOUT_CHECKS if form in OF_BRANCHES else OTHERWISE
            yield Refused(node, f"{support.runtime} {SAID[support.forms[form]]} {FORMS[form]}", hint)


def _refused(node: onnx.NodeProto, dtype: str | None, support: Support, known: Known) -> Iterator[Refused]:
    """An operator that is refused, or wrong, on elements of a type."""
    operator = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    verdict = support.verdict(operator, dtype, known.is_set(node))
    in_a_run = verdict in SAID and support.verdict(operator, dtype, True) not in SAID
    if support.is_unknown(operator):
        yield Refused(node, f"{support.runtime} is not known to take ONNX's {operator}")
    yield from (
        Refused(node, f"{support.runtime} {SAID[found]} ONNX's {words}")
        for words in (() if support.document else with_attributes(operator, node))
        if (found := support.verdict(words, dtype)) in SAID
    )
    if verdict in SAID:
        of = f" of {dtype}" if dtype and support.overall(operator) not in (verdict, None) else ""
        in_32_bits = dtype == "float64" and support.verdict(operator, "float32") in (RIGHT, LISTED)
        hint = IN_FLOAT32 if in_32_bits else WITHOUT_CHECKS if operator in ("If", "Loop") else OTHERWISE
        told = f"{support.runtime} {SAID[verdict]} ONNX's {operator}{of}"
        yield Refused(node, f"{told} {IN_A_RUN}", KNOWN_BEFORE) if in_a_run else Refused(node, told, hint)
    elif operator == "Cast":
        to = next(helper.tensor_dtype_to_np_dtype(a.i).name for a in node.attribute if a.name == "to")
        verdict = support.verdict(operator, to) if support.document else support.verdict(f"Cast to {to}", dtype)
        if verdict in SAID:
            of = "" if support.document else f" of {dtype}"
            hint = IN_FLOAT32 if "float64" in (dtype, to) else OTHERWISE
            yield Refused(node, f"{support.runtime} {SAID[verdict]} ONNX's Cast to {to}{of}", hint)


def with_attributes(operator: str, node: onnx.NodeProto) -> Iterator[str]:
    """The names under which an operator is probed with single attributes or inputs, as `Scaler with offset`."""
    if operator in RECURRENT and any(node.input[LENGTHS : LENGTHS + 1]):
        yield f"{operator} with sequence_lens"
    for attribute in node.attribute:
        yield f"{operator} with {attribute.name}"
        if attribute.type == attribute.STRING:
            yield f"{operator} with {attribute.name}={attribute.s.decode()}"


def _ranks(graph: onnx.GraphProto) -> Iterator[tuple[str, int]]:
    """The numbers of axes of values, where they are known."""
    for each in (graph, *inner_graphs(graph.node)):
        for value in (*each.input, *each.value_info, *each.output):
            if value.type.tensor_type.HasField("shape"):
                yield value.name, len(value.type.tensor_type.shape.dim)
        yield from ((array.name, len(array.dims)) for array in each.initializer)


Branches = list[list[onnx.NodeProto]]


def _branches(graph: onnx.GraphProto, known: Collection[str]) -> Branches:
    """The branches that a run decides, those of each graph together.

    A branch whose condition is known is the side that it decides for, in the outermost graph: what an inner graph
    reads of the ones around it is not known to be a constant there.
    """
    here: list[onnx.NodeProto] = []
    inner: Branches = []
    for node in graph.node:
        sides = [attribute.g for attribute in node.attribute if attribute.type == attribute.GRAPH]
        is_known = node.op_type == "If" and node.input[0] in known
        below = [_branches(side, known if is_known else ()) for side in sides]
        if is_known:
            here += sorted(below, key=lambda side: len(side[0]))[-1][0]
            inner += [each for side in below for each in side[1:]]
            continue
        inner += [each for side in below for each in side]
        if node.op_type == "If":
            here.append(node)
    return [here, *inner]


def _is_known_first(node: onnx.NodeProto, known: Known) -> bool:
    first = (attribute.g for attribute in node.attribute if node.op_type == "If" and attribute.name == "then_branch")
    return any(not known.values.isdisjoint(value.name for value in side.output) for side in first)


def _side_by_side(graph: onnx.GraphProto, known: Known) -> Iterator[tuple[onnx.NodeProto, str]]:
    for together in _branches(graph, known.values):
        for node in together[1:]:
            yield node, TWO_BRANCHES


def _of_open_sizes(model: onnx.ModelProto, known: Known) -> Iterator[tuple[onnx.NodeProto, str]]:
    for node, _ in typed_nodes(model):
        sides = [attribute.g for attribute in node.attribute if attribute.type == attribute.GRAPH]
        own = {value.name for side in sides for value in side.input}
        made = own | {output for side in sides for inner in side.node for output in inner.output}
        read = {name for side in sides for inner in side.node for name in inner.input}
        if not known.open_sizes.isdisjoint(read - made):
            yield node, OPEN_SIDES


def _of_other_sizes(model: onnx.ModelProto) -> Iterator[tuple[onnx.NodeProto, str]]:
    for node, _ in typed_nodes(model):
        sides = [attribute.g.output for attribute in node.attribute if node.op_type == "If"]
        if any(len({*map(_sizes, pair)}) > 1 or "?" in _sizes(pair[0]) for pair in zip(*sides, strict=True)):
            yield node, OTHER_SIDES


def _in_rounds(model: onnx.ModelProto, known: Known) -> Iterator[tuple[onnx.NodeProto, str]]:
    """Of what a `Scan` does in its rounds."""
    for scan, _ in typed_nodes(model):
        if scan.op_type != "Scan":
            continue
        given = {attribute.name: attribute for attribute in scan.attribute}
        body = given["body"].g
        carried = {value.name for value in body.input[: len(scan.input) - given["num_scan_inputs"].i]}
        for node in (node for graph in (body, *inner_graphs(body.node)) for node in graph.node):
            if node.op_type in MEASURES and node.input[0] in known.open_sizes:
                yield node, ROUND_SIZES
            if carried.isdisjoint(node.input):
                continue
            carried |= set(node.output)
            is_whole = node.op_type == "Mod" and not any(a.name == "fmod" and a.i for a in node.attribute)
            if is_whole and known.all_known(node.input[1:]):
                yield node, REMAINDERS


def _quantized_softmax(model: onnx.ModelProto) -> Iterator[tuple[onnx.NodeProto, str]]:
    for graph in (model.graph, *inner_graphs(model.graph.node)):
        made = {node.output[0]: node.op_type for node in graph.node if node.output}
        read = {node.input[0] for node in graph.node if node.op_type == "QuantizeLinear"}
        for node in graph.node:
            if node.op_type == "Softmax" and made.get(node.input[0]) == "DequantizeLinear" and node.output[0] in read:
                yield node, QUANTIZED_SOFTMAX


def _sizes(value: onnx.ValueInfoProto) -> tuple[str, ...]:
    """The sizes of a value, "?" for what is not known."""
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return ("?",)
    return tuple(d.dim_param or (str(d.dim_value) if d.HasField("dim_value") else "?") for d in tensor.shape.dim)


def typed_nodes(model: onnx.ModelProto) -> Iterator[tuple[onnx.NodeProto, str | None]]:
    """The nodes of a model and of its inner graphs, with the element types of their first inputs."""
    yield from _typed(shape_inference.infer_shapes(model).graph, {})


def _typed(graph: onnx.GraphProto, around: Mapping[str, str]) -> Iterator[tuple[onnx.NodeProto, str | None]]:
    types = dict(around)
    for value in (*graph.input, *graph.value_info, *graph.output):
        if value.type.tensor_type.elem_type:
            types[value.name] = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type).name
    for array in graph.initializer:
        types[array.name] = helper.tensor_dtype_to_np_dtype(array.data_type).name
    for node in graph.node:
        yield node, types.get(node.input[0]) if node.input else ""
        for attribute in node.attribute:
            if attribute.type == attribute.GRAPH:
                yield from _typed(attribute.g, types)


__all__ = ["operators_not_taken", "require_taken", "told_of", "typed_nodes"]
