"""Fill the generated parts of the documentation from the sources.

`python docs/generate.py` rewrites them, `python docs/generate.py --check` only says what is out of date.
A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`; NAME is a key of `PARTS` or `MEASURED`.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import linecache
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT), str(DOCS)]

import checked_program  # noqa: E402
import devices_page  # noqa: E402
import error_catalogue  # noqa: E402 (found by the path above)
import rooms_page  # noqa: E402
import targets_page  # noqa: E402
from markdown_tables import table  # noqa: E402

MARKED = re.compile(r"(<!-- generated: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
LAYER = re.compile(r"^ *(\w+) {2,}(\S.*)$", re.MULTILINE)
"""A line of a list in a docstring: a name, and what it holds."""
NEUTRAL = {"casting", "order", "subok", "like", "device", "kind"}
"""NumPy's parameters that say how, not what; they are accepted and left out of the list."""
REFUSED_ATTRIBUTES = {"base"}
"""Attributes of arrays that are known only in order to say why they are refused."""


# ---------------------------------------------------------------- passes


def passes() -> str:
    """Every pass, in the order in which they are first run, with the first line of its file."""
    from graph_program.extract.transform import FOR_COMPILERS, PASSES

    found = {item.name: importlib.import_module(item.run.__module__) for item in (*PASSES, *FOR_COMPILERS)}
    rows = ([f"`{name}`", (inspect.getdoc(module) or "").partition("\n")[0]] for name, module in found.items())
    return table(["pass", "what it does"], rows)


# ---------------------------------------------------------------- operations


def primitives() -> str:
    """Every operation of the graph, by the file that declares it."""
    from graph_program.tensor_api import ops
    from graph_program.tensor_api.opdef import OPS

    listed: dict[str, list[list[str]]] = defaultdict(list)
    owners = owners_of(Path(ops.__file__).parent)
    for op in OPS.values():
        attrs = ", ".join(op.attrs)
        row = [f"`{op.name}`", f"`{op.signature}`", attrs and f"`{attrs}`", op.doc, becomes(op.name)]
        listed[owners(op)].append(row)
    parts = []
    for module in sorted(listed):
        doc = inspect.getdoc(importlib.import_module(f"{ops.__name__}.{module}")) or ""
        parts.append(f"### {module}\n\n{doc}\n\n")
        parts.append(table(["name", "signature", "static", "computes", "ONNX"], listed[module]) + "\n")
    return "".join(parts).rstrip("\n") + "\n"


def becomes(name: str) -> str:
    """The ONNX operators of an operation on arrays of unknown sizes, of float32 where it takes that."""
    from graph_program.backends.onnx.emit import emit, to_proto
    from graph_program.command_line.commands.demo import all_nodes
    from graph_program.tensor_api.opdef import OPS
    from tests.ops.onnx_run import Trial, program_of
    from tests.ops.rows import ROWS

    program, _ = program_of([Trial(name, *tried(ROWS[name], OPS[name]))])
    counted = Counter(node.op_type for node in all_nodes(to_proto(emit(program)).graph.node))
    return ", ".join(op if n == 1 else f"{op} ({n})" for op, n in counted.items() if op != "Identity")


def tried(row: Any, op: Any) -> tuple[Any, str, Any]:
    """A case of an operation's tests, of the most usual element type that it takes, and its result.

    One with axes, if there are such, for an operation along no axis is no node.
    """
    for dtype in map(np.dtype, ("float32", "float64", "int64", "bool")):
        cases = list(row.cases(dtype)) if dtype in row.dtypes else []
        for case in sorted(cases, key=lambda case: not case.attrs.get("axes")):
            with contextlib.suppress(TypeError), np.errstate(all="ignore"):
                return case, "symbolic", np.asarray(op.reference(*case.operands, **case.attrs))
    raise LookupError(op.name)


def shape_language() -> str:
    """The grammar of shapes, types and signatures, and the parts of shapes that attributes determine."""
    from graph_program.extract.types.notation import shape_language as language
    from graph_program.extract.types.solving.computed_shapes import FUNCTIONS

    grammar = (inspect.getdoc(language) or "").split("\n\n")[1]
    rows = [[f"`*{name}(...)`", (inspect.getdoc(function) or "").rstrip(".")] for name, function in FUNCTIONS.items()]
    return f"```text\n{inspect.cleandoc(grammar)}\n```\n\n{table(['computed', 'stands for'], rows)}"


def owners_of(folder: Path) -> Callable[[Any], str]:
    """Which file names an operation, as a literal."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}

    def owner(op: Any) -> str:
        return min(stem for stem, text in texts.items() if f'"{op.name}"' in text)

    return owner


def numpy_names() -> str:
    """The functions, methods and attributes that have a graph form, with the arguments they take."""
    importlib.import_module("graph_program.extract.stage.program.evaluate")
    from graph_program.extract.stage.machine.registry import ATTRIBUTES, FUNCTIONS, METHODS
    from graph_program.extract.stage.numpy.make.grids import ITEMS

    told = {full_name(f, lowering): lowering for f, lowering in FUNCTIONS.items() if is_told(lowering)}
    functions = {name: lowering for name, lowering in told.items() if not name.startswith("graph_program.extract.")}
    parts = []
    for title, prefix in (("NumPy", "np."), ("math", "math."), ("Python", "")):
        listed = {name: functions[name] for name in functions if name.startswith(prefix)}
        functions = {name: functions[name] for name in functions if name not in listed}
        parts += [f"### {title}\n\n", calls(listed), "\n"]
    parts += ["### Array methods\n\n", calls({f"x.{name}": lowering for name, lowering in METHODS.items()})]
    attributes = ", ".join(f"`x.{name}`" for name in sorted(ATTRIBUTES.keys() - REFUSED_ATTRIBUTES))
    parts += ["\n### Array attributes\n\n", attributes, "\n"]
    items = ", ".join(f"`np.{name}[...]`" for name in sorted(ITEMS))
    return "".join([*parts, "\n### NumPy objects that take subscripts\n\n", items, "\n"])


def nn_names() -> str:
    """The functions and layers of `nn`, with their arguments."""
    from graph_program.tensor_api import nn

    values = {name: getattr(nn, name) for name in nn.__all__}
    classes = {name: value for name, value in values.items() if inspect.isclass(value)}
    parts = []
    for title, listed in (("Functions", {n: v for n, v in values.items() if n not in classes}), ("Layers", classes)):
        parts.append(f"### {title}\n\n")
        parts += [f"- `nn.{name}{untyped(listed[name])}`\n" for name in sorted(listed)]
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


class Literal(str):
    """A default as it is written."""

    __repr__ = str.__str__


def untyped(function: Any, without: str = "") -> str:
    """The parameters of a function with their defaults; what they take is said in words elsewhere."""
    shown = []
    for parameter in inspect.signature(function).parameters.values():
        default = parameter.default
        if default is ...:
            parameter = parameter.replace(default=Literal("..."))
        elif inspect.isclass(default) and default is not inspect.Parameter.empty:
            parameter = parameter.replace(default=Literal(f"np.{default.__name__}"))
        shown.append(parameter.replace(annotation=inspect.Parameter.empty))
    return str(inspect.Signature([parameter for parameter in shown if parameter.name != without]))


STANDARD = ("elementwise", "creation", "manipulation", "searching", "reductions", "linear", "linalg", "fft")
"""Modules of the Array API namespace, in the order of the page."""


def array_api() -> str:
    """The functions of the Array API standard, with their signatures."""
    parts = []
    for name in STANDARD:
        module = importlib.import_module(f"graph_program.tensor_api.array_api.{name}")
        prefix = f"xp.{name}" if name in ("linalg", "fft") else "xp"
        given = [(f, getattr(module, f)) for f in module.__all__]
        rows = [[f"`{prefix}.{f}{untyped(value, without='device')}`", _first_line(value)] for f, value in given]
        parts.append(f"### {(_first_line(module)).rstrip('.')}\n\n{table(['function', 'gives'], rows)}\n")
    return "".join(parts).rstrip("\n") + "\n"


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def is_told(lowering: Any) -> bool:
    """Some functions are known only in order to say why they are refused; those take anything.

    Special methods are part of the language, and what fused operators mean is no name that programs use.  What is
    known once a program has named it, as bfloat16 is, has a page of its own.
    """
    if lowering.run.__module__.endswith(".fused_operations") or lowering.name == "ml_dtypes.bfloat16":
        return False
    kinds = [parameter.kind for parameter in list(lowering.signature.parameters.values())[1:]]
    refused = kinds == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]
    return not refused and not lowering.name.startswith("__")


NUMPY_MODULES = ("linalg", "fft", "lib.stride_tricks")
"""Modules of NumPy that users name."""


def full_name(function: Any, lowering: Any) -> str:
    """`np.sum`, `math.sqrt`, `len`."""
    name = getattr(function, "__name__", lowering.name)
    owner = getattr(function, "__self__", None)
    if inspect.isclass(owner):  # a class method, which has no module
        name, function = f"{owner.__name__}.{name}", owner
    module = (getattr(function, "__module__", None) or "numpy").removeprefix("_")
    if module == "builtins":
        return str(name)
    package, _, rest = module.partition(".")
    if package == "numpy":
        module = f"np.{rest}" if rest in NUMPY_MODULES else "np"
    return f"{module}.{name}"


def calls(lowerings: dict[str, Any]) -> str:
    """One line per function: its name with its parameters."""
    lines = []
    for name in sorted(lowerings):
        parameters = list(lowerings[name].signature.parameters.values())[1:]
        if name.startswith("x."):
            parameters = parameters[1:]
        shown = ", ".join(parameter_text(parameter) for parameter in parameters if parameter.name not in NEUTRAL)
        lines.append(f"- `{name}({shown})`\n")
    return "".join(lines)


def parameter_text(parameter: inspect.Parameter) -> str:
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is inspect.Parameter.empty:
        return f"{star}{parameter.name}"
    return f"{parameter.name}={getattr(parameter.default, 'value', None)!r}"


# ---------------------------------------------------------------- program text, API


def unsupported() -> str:
    """The constructs that the language refuses, with what to write instead."""
    from graph_program.extract.source.unsupported import CONSTRUCTS

    rows = {(construct.code, construct.message, construct.hint) for construct in CONSTRUCTS.values()}
    return table(["code", "refused", "instead"], ([f"`{c}`", m, h] for c, m, h in sorted(rows)))


EXAMPLE = """import numpy as np
from graph_program import graph_program, Float32, Tensor

@graph_program
def newton_sqrt(a: Float32[Tensor, "n"]) -> Float32[Tensor, "n"]:
    x = a
    while np.max(np.abs(x * x - a)) > 1e-4:
        x = 0.5 * (x + a / x)
    return x
"""


def example_program(name: str = "newton_sqrt", text: str = EXAMPLE) -> Any:
    """An example as a program, its text known to `inspect`."""
    file = f"{name}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": name}
    exec(compile(text, file, "exec"), namespace)
    return namespace[name]


def pipeline() -> str:
    """The example after each stage; what runs it depends on the machine."""
    from graph_program.calls.explained import BACK_END

    return f"```text\n{example_program().explain().partition(BACK_END)[0].strip()}\n```\n"


def steps() -> str:
    """The steps of an extraction, in order."""
    from graph_program.extract.pipeline import STEPS

    rows = ([f"`{step.name}`", step.why, ", ".join(step.shows)] for step in STEPS)
    return table(["step", "why it stands there", "shown behind it"], rows)


def graph_steps() -> str:
    """What is done with a graph for each that runs it."""
    from graph_program.extract.graph_steps import FOR_A_COMPILER, FOR_A_RUNTIME

    both = {"a runtime": FOR_A_RUNTIME, "a compiler": FOR_A_COMPILER}
    return table(
        ["for", "step", "why it stands there"],
        ([reader, f"`{step.name}`", step.why] for reader, found in both.items() for step in found),
    )


def layers() -> str:
    """The layers of `extract`, as the package says, with the rooms of those that have some."""
    doc = inspect.getdoc(importlib.import_module("graph_program.extract")) or ""
    rows = []
    for name, holds in LAYER.findall(doc):
        text = inspect.getdoc(importlib.import_module(f"graph_program.extract.{name}")) or ""
        rooms = [path.parent.name for path in (ROOT / "extract" / name).glob("*/__init__.py")]
        order = [room for room, _ in LAYER.findall(text)]
        rooms.sort(key=lambda room: (order.index(room) if room in order else len(order), room))
        rows.append([f"`{name}`", holds, ", ".join(f"`{room}`" for room in rooms)])
    return table(["layer", "holds", "rooms"], rows)


def decisions() -> str:
    """The decision records, in order, with their titles."""
    rows = []
    for path in sorted((DOCS / "adr").glob("[0-9]*.md")):
        number, title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").split(". ", 1)
        rows.append([number, f"[{title}]({path.name})"])
    return table(["ADR", "decision"], rows)


WITHOUT_SPIKES = """import numpy as np
from graph_program import Float64, Tensor, graph_program

@graph_program
def without_spikes(x: Float64[Tensor, "n"], limit: float):
    if limit <= 0:
        raise ValueError(f"a limit of {limit}")
    y = x - np.mean(x)
    spikes = 0
    for i in range(1, len(y)):
        if abs(y[i] - y[i - 1]) > limit:
            y[i] = y[i - 1]
            spikes += 1
    while spikes > 100:
        spikes = spikes // 2
    return y, spikes
"""


def side_by_side() -> str:
    """A program in Python, as the graph that compilers get, and as C."""
    from graph_program.exports.for_model import extraction_for_model
    from graph_program.extract.ir.printer import print_graph

    program = example_program("without_spikes", WITHOUT_SPIKES)
    calls = program._ready()
    extraction = extraction_for_model(calls, None, calls.options.dims, static=(), reports=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "without_spikes.c")
        program.export(path, verify=False)
        header, code = (path.with_suffix(end).read_text(encoding="utf-8") for end in (".h", ".c"))
    graph = print_graph(extraction.native)
    return (
        f"`without_spikes.py`:\n\n```py\n{WITHOUT_SPIKES}```\n\nThe graph:\n\n```text\n{graph.strip()}\n```\n\n"
        f"`without_spikes.h`:\n\n```c\n{header}```\n\n`without_spikes.c`:\n\n```c\n{code}```\n"
    )


def api() -> str:
    """The public names with their docstrings."""
    import graph_program

    parts = []
    for name in sorted(graph_program.__all__, key=str.lower):
        value = getattr(graph_program, name)
        if not getattr(value, "__module__", "").startswith("graph_program"):
            continue
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            continue  # a form of annotation, which the text above describes
        kind = "class" if inspect.isclass(value) else "function"
        parts.append(f"### {name}\n\n```text\n{signature_text(name, value)}\n```\n\n")
        parts.append(f"{docstring(value, kind)}\n\n")
        for method in methods(value):
            text = signature_text(method.__name__, method).replace("(self, ", "(").replace("(self)", "()")
            parts.append(f"### {name}.{method.__name__}\n\n```text\n{text}\n```\n\n{docstring(method, 'method')}\n\n")
    return "".join(parts).rstrip("\n") + "\n"


def methods(value: Any) -> list[Any]:
    """The methods of a class that is no exception, as it defines them."""
    if not inspect.isclass(value) or issubclass(value, BaseException):
        return []
    return [m for name, m in vars(value).items() if not name.startswith("_") and inspect.isfunction(m)]


def signature_text(name: str, value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, BaseException):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        return f"class {name}({bases})"
    try:
        return f"{name}{inspect.signature(value)}"
    except (TypeError, ValueError):
        return name


def docstring(value: Any, kind: str) -> str:
    """The docstring as it is; NumPy's section underlines would read as headings, so it is kept literal."""
    text = inspect.getdoc(value) or f"A {kind} without description."
    first, _, rest = text.partition("\n")
    return f"{first}\n\n```text\n{rest.strip()}\n```" if rest.strip() else first


def functions(module: str) -> Callable[[], str]:
    """The functions of a module, each with the parameters it takes and its docstring."""

    def listed() -> str:
        found = importlib.import_module(module)
        names = sorted(found.__all__, key=str.lower)
        return "\n".join(described(name, getattr(found, name)) for name in names)

    return listed


def described(name: str, function: Any) -> str:
    return f"### {name}\n\n```text\n{name}{untyped(function)}\n```\n\n{docstring(function, 'function')}\n"


PARTS: dict[str, Callable[[], str]] = {
    "array-api": array_api,
    "api": api,
    "checking": checked_program.checking,
    "control": functions("graph_program.tensor_api.control"),
    "decisions": decisions,
    "errors": error_catalogue.errors,
    "graph-steps": graph_steps,
    "layers": layers,
    "nn-names": nn_names,
    "passes": passes,
    "numpy-names": numpy_names,
    "pipeline": pipeline,
    "primitives": primitives,
    "random": functions("graph_program.tensor_api.random"),
    "targets": lambda: table(*targets_page.operators()),
    "targets-documented": lambda: table(*targets_page.documented()),
    "targets-documents": lambda: table(*targets_page.documents()),
    "targets-forms": lambda: table(*targets_page.forms()),
    "targets-limits": lambda: table(*targets_page.limits()),
    "targets-sized": lambda: table(*targets_page.sized()),
    "rooms": lambda: table(["room", "what it holds", "start with"], rooms_page.rooms()),
    "rooms-answers": lambda: table(["function", "what it is", "answers"], rooms_page.generic_functions()),
    "rooms-forms": lambda: table(["operation", "operand", "asked of each of"], rooms_page.forms()),
    "rooms-decisions": lambda: table(
        ["decision", "what its subject is then", "makes open again"], rooms_page.decisions()
    ),
    "rooms-entries": lambda: table(["declared", "given", "what it does"], rooms_page.declared()),
    "shape-language": shape_language,
    "side-by-side": side_by_side,
    "steps": steps,
    "unsupported": unsupported,
}


MEASURED: dict[str, Callable[[str], str]] = {"devices": devices_page.devices}
"""Parts that need tools, given the text that there is: it stays where they are not there."""
FILES: dict[Path, Callable[[], str]] = {ROOT / "graph_program" / "errors.toml": error_catalogue.packaged_catalogue}
"""What is generated as a whole."""


def filled(text: str) -> str:
    """A page's text with its generated parts made anew."""
    return MARKED.sub(lambda match: f"{match[1]}{_made(match[2], match[3])}{match[4]}", text)


def _made(name: str, before: str) -> str:
    return MEASURED[name](before) if name in MEASURED else PARTS[name]()


def main(argv: list[str]) -> int:
    stale = []
    for path in [*sorted(DOCS.rglob("*.md")), *FILES]:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = FILES[path]() if path in FILES else filled(before)
        if before != after:
            stale.append(path.relative_to(ROOT).as_posix())
            if "--check" not in argv:
                path.write_text(after, encoding="utf-8")
    for name in stale:
        print(f"{name}: {'out of date, run `make docs`' if '--check' in argv else 'updated'}")
    return int(bool(stale) and "--check" in argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
