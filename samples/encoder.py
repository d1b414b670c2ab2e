"""A transformer encoder whose shapes are hardly written down: they follow from the weights.

Run with `python samples/encoder.py`.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float32, Static, Tensor, graph_program


@dataclass
class Encoder:
    """The parameters of one layer (Vaswani et al., 2017; normalised before each block)."""

    queries: Float32[Tensor, "model model"]
    keys: Float32[Tensor, "model model"]
    values: Float32[Tensor, "model model"]
    output: Float32[Tensor, "model model"]
    wide: Float32[Tensor, "model inner"]
    narrow: Float32[Tensor, "inner model"]


def normalised(x: Any) -> Any:
    """Layer normalisation over the last axis."""
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + np.float32(1e-5))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(x: Any) -> Any:
    """Hendrycks and Gimpel's activation, by its tanh approximation."""
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ np.swapaxes(k, -1, -2)
    return softmax(scores) @ v


def heads_of(x: Any, heads: int) -> Any:
    """[tokens, model] as [heads, tokens, model // heads]."""
    tokens, model = x.shape
    return np.transpose(x.reshape(tokens, heads, model // heads), (1, 0, 2))


@graph_program
def encode(x: Float32[Tensor, "tokens _"], p: Encoder, heads: Static[int] = 4) -> Any:
    """One layer over tokens of any number."""
    y = normalised(x)
    scale = np.float32((p.queries.shape[0] // heads) ** -0.5)
    parts = [heads_of(y @ w, heads) for w in (p.queries, p.keys, p.values)]
    mixed = attention(parts[0] * scale, parts[1], parts[2])
    x = x + np.transpose(mixed, (1, 0, 2)).reshape(x.shape) @ p.output
    return x + gelu(normalised(x) @ p.wide) @ p.narrow


def random_encoder(model: int, inner: int, seed: int = 0) -> Encoder:
    """A layer with random weights."""
    random = np.random.default_rng(seed)

    def weights(rows: int, columns: int) -> Any:
        return random.standard_normal((rows, columns)).astype(np.float32) / np.float32(np.sqrt(rows))

    queries, keys, values, output = (weights(model, model) for _ in range(4))
    return Encoder(queries, keys, values, output, weights(model, inner), weights(inner, model))


def main() -> None:
    parameters, result = encode.signature.split(" -> ")
    print(f"{parameters}\n-> {result}")
    layer = random_encoder(model=32, inner=64)
    random = np.random.default_rng(1)
    session = exported()
    for tokens in (3, 11):
        x = random.standard_normal((tokens, 32)).astype(np.float32)
        weights = {f"p.{name}": value for name, value in vars(layer).items()}
        (found,) = session.run(["result"], {"x": x, **weights})
        error = np.abs(found - encode.python(x, layer)).max()
        print(f"{tokens} tokens: {found.shape}, within {error:.0e} of NumPy")


def exported() -> Any:
    """The program as a file for 1 to 512 tokens, loaded by onnxruntime."""
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "encoder.onnx"
        encode.export(path, dims={"tokens": (1, 512)})
        return onnxruntime.InferenceSession(path)


if __name__ == "__main__":
    main()
