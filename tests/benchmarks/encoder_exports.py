"""An encoder of twelve layers as a file: how long the export takes and how large the file is, beside peers.

Each export runs in a process of its own, which imports what it needs first; the time is that of the first export there,
as nobody exports twice. It is done in two processes, of which the second counts: the first one writes the bytecode of
what is imported, as an installation does. All files take any number of tokens, and give the same within rounding.

    python -m tests.benchmarks encoder_exports
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.measure import aligned, three_digits

ROOT = Path(__file__).resolve().parents[2]
LAYERS, MODEL, INNER, TOKENS = 12, 256, 1024, 7
FEW_LAYERS = 2
COMMON = f"""
import json, sys, time
import numpy as np
from graph_program.samples.encoder import random_encoder
layers = [random_encoder({MODEL}, {INNER}, seed) for seed in range(int(sys.argv[2]))]
x = np.random.default_rng(0).standard_normal(({TOKENS}, {MODEL})).astype(np.float32)
path = sys.argv[1]
"""
OURS = """
from graph_program import Float32, Tensor, graph_program
from graph_program.samples import encoder

def stack(x: Float32[Tensor, "tokens 256"]):
    for layer in layers:
        x = encoder.encode(x, layer)
    return x

start = time.perf_counter()
graph_program(stack).export(path, external_data=False{options})
"""
TORCH = """
import torch

class Layer(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        for name, value in vars(weights).items():
            setattr(self, name, torch.nn.Parameter(torch.from_numpy(value)))

    def heads(self, x):
        return x.reshape(x.shape[0], 4, -1).transpose(0, 1)

    def forward(self, x):
        y = torch.nn.functional.layer_norm(x, x.shape[-1:])
        q, k, v = (self.heads(y @ w) for w in (self.queries, self.keys, self.values))
        scores = torch.softmax((q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2), -1)
        x = x + (scores @ v).transpose(0, 1).reshape(x.shape) @ self.output
        inner = torch.nn.functional.layer_norm(x, x.shape[-1:]) @ self.wide
        return x + torch.nn.functional.gelu(inner, approximate="tanh") @ self.narrow

model = torch.nn.Sequential(*map(Layer, layers)).eval()
tokens = torch.export.Dim("tokens")
start = time.perf_counter()
torch.onnx.export(model, (torch.from_numpy(x),), path, dynamo=True, external_data=False, verbose=False,
                  dynamic_shapes=[{0: tokens}])
"""
JAX = """
import jax, jax.numpy as jnp, onnx
from jax2onnx import to_onnx

def heads(x):
    return x.reshape(x.shape[0], 4, -1).transpose(1, 0, 2)

def normalised(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)

def stack(x):
    for p in layers:
        y = normalised(x)
        q, k, v = (heads(y @ w) for w in (p.queries, p.keys, p.values))
        scores = jax.nn.softmax((q * q.shape[-1] ** -0.5) @ k.swapaxes(-1, -2), -1)
        x = x + (scores @ v).transpose(1, 0, 2).reshape(x.shape) @ p.output
        x = x + jax.nn.gelu(normalised(x) @ p.wide, approximate=True) @ p.narrow
    return x

start = time.perf_counter()
onnx.save(to_onnx(stack, [("tokens", 256)]), path)
"""
END = """
print(json.dumps({"seconds": time.perf_counter() - start}))
"""
WAYS = {
    "graph-program": (OURS.replace("{options}", ""), "graph_program"),
    "graph-program, not verified": (OURS.replace("{options}", ", verify=False"), "graph_program"),
    "torch.onnx.export (dynamo)": (TORCH, "torch"),
    "jax2onnx": (JAX, "jax2onnx"),
}
"""What each process runs, and the package that it needs."""


def tables(quick: bool, corpus: bool) -> list[str]:
    """A line for each way: seconds, megabytes, nodes, and how far the result is from NumPy's."""
    layers = FEW_LAYERS if quick else LAYERS
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for way, (code, package) in WAYS.items():
            if importlib.util.find_spec(package) is None:
                lines.append((way, "not installed", "", "", ""))
            else:
                lines.append((way, *_measured(code, Path(folder) / f"{len(lines)}.onnx", layers)))
    head = (f"an encoder of {layers} layers", "s", "MB", "nodes", "largest difference")
    return [aligned([head, *lines])]


def _measured(code: str, path: Path, layers: int) -> tuple[str, ...]:
    script = path.with_suffix(".py")
    script.write_text(COMMON + code + END, encoding="utf-8")
    command = [sys.executable, str(script), str(path), str(layers)]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(path.parent / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in ("bytecode", "counts"):
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode:
        return "fails", "", "", done.stderr.strip().splitlines()[-1]
    seconds = json.loads(done.stdout.strip().splitlines()[-1])["seconds"]
    return three_digits(seconds), three_digits(path.stat().st_size / 1e6), *_checked(path, layers)


def _checked(path: Path, layers: int) -> tuple[str, str]:
    """The nodes of a file, and the largest difference from what NumPy gives for another number of tokens."""
    import onnx
    import onnxruntime

    from graph_program.samples import encoder

    x: Any = np.random.default_rng(1).standard_normal((TOKENS + 4, MODEL)).astype(np.float32)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found = session.run(None, {session.get_inputs()[0].name: x})[0]
    for seed in range(layers):
        x = encoder.encode.python(x, encoder.random_encoder(MODEL, INNER, seed))
    return str(len(onnx.load(path).graph.node)), f"{np.abs(found - x).max():.0e}"
