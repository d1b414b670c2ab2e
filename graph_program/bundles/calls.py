"""A call of a model as it is written in Python, C++, JavaScript and Rust, with its own names, types and sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST = 6
"""An array of more elements is filled with its first one."""
CPP: dict[np.dtype[Any], str] = {
    np.dtype(np.bool_): "bool",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    **{np.dtype(f"{sign}int{bits}"): f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""Types of elements in C++; of others there is no text of a call."""
RUST = {dtype: str(dtype.name).replace("uint", "u").replace("int", "i").replace("float", "f") for dtype in CPP}
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
"""In texts of JavaScript, C++ and Rust."""
BIG = ("int64", "uint64")
"""Types whose numbers are BigInts in JavaScript."""
Arrays = Mapping[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Ports:
    """What a call of a model has to do with.

    Attributes
    ----------
    inputs : mapping of str to array
        As an example has them.
    outputs : mapping of str to dtype
        Their element types; None of what is no array.
    error : str
        The output that tells errors; empty where there is none.
    beside : sequence of str
        Files with arrays of the model.
    """

    inputs: Arrays
    outputs: Mapping[str, np.dtype[Any] | None]
    error: str
    beside: Sequence[str] = ()

    @property
    def has_text(self) -> bool:
        """Whether every language has the types of the inputs and results."""
        types = (*(array.dtype for array in self.inputs.values()), *(self.outputs[name] for name in self.results))
        return all(dtype in CPP for dtype in types)

    @property
    def results(self) -> list[str]:
        """The outputs that mean something where there is no error; behind it stand arguments of messages."""
        names = list(self.outputs)
        return names[: names.index(self.error)] if self.error in names else names


def identifier(name: str) -> str:
    """A name for a variable."""
    text = "".join(c if c.isalnum() else "_" for c in name)
    return f"_{text}" if text[:1].isdigit() else text


def python(model: str, ports: Ports) -> str:
    """With onnxruntime and NumPy alone."""
    inputs = ", ".join(f"{name!r}: example[{name!r}]" for name in ports.inputs)
    lines = [
        "import numpy as np",
        "import onnxruntime",
        "",
        f'session = onnxruntime.InferenceSession("{model}")',
        'example = np.load("example.npz")',
        f"outputs = dict(zip([o.name for o in session.get_outputs()], session.run(None, {{{inputs}}})))",
    ]
    if ports.error:
        lines += [f"if outputs[{ports.error!r}]:", f'    raise RuntimeError(f"error {{outputs[{ports.error!r}]}}")']
    return "\n".join([*lines, f"print({', '.join(f'outputs[{name!r}]' for name in ports.results)})"])


def javascript(model: str, ports: Ports) -> str:
    """With onnxruntime-node, or with onnxruntime-web in a browser."""
    inputs = (f"  {_quoted(n)}: new ort.Tensor({_tensor(a)})," for n, a in ports.inputs.items())
    shown = ", ".join(f"outputs[{_quoted(name)}].data" for name in ports.results)
    lines = [
        f'const ort = require("onnxruntime-node"); // or onnxruntime-web{_fetched(ports.beside)}',
        "",
        "(async () => {",
        f'  const session = await ort.InferenceSession.create("{model}");',
        "  const outputs = await session.run({",
        *(f"  {line}" for line in inputs),
        "  });",
    ]
    if ports.error:
        told = f"outputs[{_quoted(ports.error)}].data[0]"
        lines.append(f"  if ({told} !== 0n) throw new Error(`error ${{{told}}}`); // nothing else means anything")
    return "\n".join([*lines, f"  console.log({shown});", "})();"])


def _fetched(beside: Sequence[str]) -> str:
    """How a browser, which has no folder to look into, comes to the files beside a model."""
    if not beside:
        return ""
    files = ", ".join(f"{{ path: {_quoted(name)}, data: {_quoted(name)} }}" for name in beside)
    return f", with create(..., {{ externalData: [{files}] }})"


def _quoted(name: str) -> str:
    """A text of JavaScript and of Rust."""
    return _text(name, lambda sign: f"\\u{{{ord(sign):x}}}")


def _quoted_in_cpp(name: str) -> str:
    return _text(name, lambda sign: "".join(f"\\{byte:03o}" for byte in sign.encode()))


def _text(name: str, escaped: Callable[[str], str]) -> str:
    """A text on one line, whatever a model's names have in them."""
    return '"' + "".join(ESCAPES.get(c) or (c if c.isprintable() else escaped(c)) for c in name) + '"'


def _tensor(array: np.ndarray[Any, Any]) -> str:
    """The arguments of a tensor."""
    suffix = "n" if array.dtype.name in BIG else ""
    values = [_number(v, "NaN", "Infinity") + suffix for v in _few(array)]
    listed = f"[{', '.join(values)}]" if array.size <= MOST else f"Array({array.size}).fill({values[0]})"
    return f'"{array.dtype.name}", {listed}, [{", ".join(map(str, array.shape))}]'


def cpp(model: str, ports: Ports) -> str:
    """With the C++ API of onnxruntime."""
    lines = [
        "#include <onnxruntime_cxx_api.h>",
        "",
        "#include <cmath>",
        "#include <cstdint>",
        "#include <cstdio>",
        "#include <vector>",
        "",
        "int main() {",
        "  Ort::Env env;",
        f'  Ort::Session session(env, "{model}", Ort::SessionOptions{{}});  // L"{model}" on Windows',
        "  auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);",
    ]
    given = []
    for name, array in ports.inputs.items():
        variable, type_ = identifier(name), CPP[array.dtype]
        element = "uint8_t" if type_ == "bool" else type_  # of which a vector has an array
        lines.append(f"  std::vector<{element}> {variable}{_filled(array, element)};")
        lines.append(f"  std::vector<int64_t> {variable}_shape{{{', '.join(map(str, array.shape))}}};")
        data = f"reinterpret_cast<bool*>({variable}.data())" if type_ == "bool" else f"{variable}.data()"
        given.append(
            f"Ort::Value::CreateTensor<{type_}>(memory, {data}, {variable}.size(), "
            f"{variable}_shape.data(), {variable}_shape.size())"
        )
    told = [*ports.results, *([ports.error] if ports.error else [])]
    lines += [
        f"  const char* in[] = {{{', '.join(map(_quoted_in_cpp, ports.inputs))}}};",
        f"  const char* out[] = {{{', '.join(map(_quoted_in_cpp, told))}}};",
        "  Ort::Value inputs[] = {",
        *(f"      {one}," for one in given),
        "  };",
        f"  auto outputs = session.Run(Ort::RunOptions{{}}, in, inputs, {len(given)}, out, {len(told)});",
    ]
    if ports.error:
        last = len(told) - 1
        lines.append(f"  if (*outputs[{last}].GetTensorData<int64_t>() != 0) return 1;  // nothing else means anything")
    lines += [
        f'  std::printf("%s: %zu elements\\n", out[{i}], outputs[{i}].GetTensorTypeAndShapeInfo().GetElementCount());'
        for i in range(len(ports.results))
    ]
    return "\n".join([*lines, "}"])


def _filled(array: np.ndarray[Any, Any], element: str) -> str:
    values = [_number(v, "NAN", "INFINITY") for v in _few(array)]
    many = array.size > MOST
    return f"({array.size}, {values[0]})" if many else f"{{{', '.join(f'{element}({v})' for v in values)}}}"


def rust(model: str, ports: Ports) -> str:
    """With the crate ort."""
    lines = ["use ort::{inputs, session::Session, value::Tensor};", "", "fn main() -> ort::Result<()> {"]
    lines.append(f'    let mut session = Session::builder()?.commit_from_file("{model}")?;')
    given = []
    for name, array in ports.inputs.items():
        values = [_rust_number(v, array.dtype) for v in _few(array)]
        filled = f"vec![{values[0]}; {array.size}]" if array.size > MOST else f"vec![{', '.join(values)}]"
        shape = f"vec![{', '.join(f'{size}i64' for size in array.shape)}]" if array.ndim else "Vec::<i64>::new()"
        given.append(f"        {_quoted(name)} => Tensor::<{RUST[array.dtype]}>::from_array(({shape}, {filled}))?,")
    lines += ["    let outputs = session.run(inputs![", *given, "    ])?;"]
    if ports.error:
        told = f"outputs[{_quoted(ports.error)}].try_extract_tensor::<i64>()?.1[0]"
        lines.append(f'    assert_eq!({told}, 0, "nothing else means anything");')
    lines += [f'    println!("{{:?}}", outputs[{_quoted(name)}].shape());' for name in ports.results]
    return "\n".join([*lines, "    Ok(())", "}"])


def _rust_number(value: Any, dtype: np.dtype[Any]) -> str:
    type_ = RUST[dtype]
    if dtype.kind == "b":
        return _number(value, "", "")
    number = _number(value, f"{type_}::NAN", f"{type_}::INFINITY")
    return number if "::" in number else f"{number}{'' if '.' in number or 'e' in number else '_'}{type_}"


def _few(array: np.ndarray[Any, Any]) -> list[Any]:
    """The elements that are shown of an array."""
    return list(array.ravel()[: MOST if array.size <= MOST else 1])


def _number(value: Any, nan: str, infinity: str) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if value != value:
        return nan
    if value in (np.inf, -np.inf):
        return infinity if value > 0 else f"-{infinity}"
    return repr(value.item())


__all__ = ["Ports", "cpp", "identifier", "javascript", "python", "rust"]
