"""The text of the file that exported programs with host code need: `standalone`, and parts of other modules."""

from __future__ import annotations

import inspect
from pathlib import Path

from graph_program.backends.host import (
    errors,
    exchange,
    handlers,
    handover,
    object_table,
    operators,
    packing,
    results,
    segment_driver,
    standalone,
    steps,
    watching,
    writing,
)
from graph_program.backends.onnxruntime import session
from graph_program.extract.ir import host
from graph_program.extract.ir import results as kinds
from graph_program.extract.types import dims

PARTS = (
    packing.Place,
    packing.Packing,
    packing.travels,
    handover.Handover,
    object_table.Objects,
    object_table.ObjectTable,
    host.Lifetimes,
    exchange.Steps,
    exchange.Exchange,
    exchange._unused,
    exchange.share,
    exchange.of_call,
    session.inference_session,
    operators.Output,
    operators.library,
    operators.register_operators,
    operators.safely,
    operators.operate,
    operators.begin,
    operators.wait,
    operators.failed,
    operators.send,
    operators.receive,
    operators.run_in_step,
    operators.interruptible,
    results._element_class,
    results.complex_array,
    results.narrowed,
    results.python_value,
    results.argument_value,
    results.build_record,
    results.lent,
    kinds.OutputResult,
    kinds.ObjectResult,
    kinds.CapturedResult,
    kinds.ConstantResult,
    kinds.TupleResult,
    kinds.ListResult,
    kinds.DictResult,
    kinds.RecordResult,
    kinds.RaggedResult,
    kinds.RowsResult,
    kinds.ClassedResult,
    kinds.ListedResult,
    kinds.OptionalResult,
    kinds.ChoiceResult,
    kinds.TableResult,
    kinds.PickedResult,
    results.Tables,
    results.build_list,
    results._element,
    results._numbers,
    results.split_rows,
    handlers.catching,
    handlers.as_before,
    handlers.inner,
    handlers.beyond,
    handlers.with_fields,
    handlers.enter,
    steps.told_value,
    watching.contents,
    watching.as_given,
    watching._outermost,
    watching.changed,
    watching.lend,
    watching.inner_parts,
    watching.look_again,
    watching.is_held,
    watching.reference_counts,
    watching.as_copied,
    watching.require_unchanged,
    writing.require_writable,
    dims.broadcast_sizes,
)
"""What the file has of other modules, in an order in which it can be defined."""
OWN = {"refuse_overlap": writing, "refuse_repeats": writing, "refuse_same": writing, "raised": errors}
"""What it has instead of functions of this name in other modules."""


def runtime_text() -> str:
    """The file."""
    text = Path(standalone.__file__).read_text(encoding="utf-8")
    _, _, code = text.partition("from __future__")
    head = '"""What exported programs with host code need at run time; written by graph-program."""\n\nfrom __future__'
    return head + code.rstrip() + "\n" + "".join(f"\n\n{inspect.getsource(part).rstrip()}\n" for part in PARTS)


def driver_text() -> str:
    """The driver of segments, which is a file of its own."""
    text = Path(segment_driver.__file__).read_text(encoding="utf-8")
    parts = (object_table.Objects, object_table.ObjectTable, session.inference_session)
    own = "from graph_program."
    head, _, code = text.partition(own)
    while own in code:
        _, _, code = code.partition(own)
    _, _, code = code.partition("\n")
    return f"{head.rstrip()}\n\n\n" + "\n\n\n".join(inspect.getsource(part).rstrip() for part in parts) + f"\n{code}"


def runtime_name(value: object) -> str | None:
    """The name of one of our functions or classes in the file, if it is there."""
    part = next((p for p in PARTS if p is value), None)
    if part is not None:
        return part.__name__
    name = getattr(value, "__name__", "")
    return name if name in OWN and getattr(OWN[name], name) is value else None


__all__ = ["driver_text", "runtime_name", "runtime_text"]
