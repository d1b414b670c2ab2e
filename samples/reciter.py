"""A transformer that recites: text is generated letter by letter, in one graph, until the model says that it ends.

Run with `python samples/reciter.py`.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Int64, Tensor, graph_program
from graph_program.tensor_api import nn

LETTERS = ".abcdefghijklmnopqrstuvwxyz ,"
"""The first one is the end."""
SIZE = 96


@dataclass
class Reciter:
    """One layer of a transformer, between a table of letters and a linear map to the letter that comes next."""

    embedding: nn.Embedding
    layer: nn.TransformerEncoderLayer
    head: nn.Linear


def positions(length: Any) -> Any:
    """The waves that tell a transformer where a letter stands (Vaswani et al., 2017)."""
    angles = np.arange(length)[:, np.newaxis] / 10000 ** (np.arange(0, SIZE, 2) / SIZE)
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=1).astype(np.float32)


def features(model: Reciter, letters: Any) -> Any:
    """A vector for each letter, which depends on it and on those before it."""
    n = letters.shape[0]
    x = model.embedding(letters) + positions(n)
    later = ~np.tri(n, dtype=np.bool_)
    return model.layer(x[np.newaxis], later)[0]


@graph_program
def recite(model: Reciter, start: Int64[Tensor, "letters"], most: int) -> Any:
    """The letters that follow, the likeliest one each time: at most so many, or until the end."""
    letters = start
    for _ in range(most):
        likeliest = np.argmax(model.head(features(model, letters)[-1]))
        if likeliest == 0:
            break
        letters = np.append(letters, likeliest)
    return letters


def encoded(text: str) -> Any:
    return np.array([LETTERS.index(letter) for letter in text], np.int64)


def decoded(letters: Any) -> str:
    return "".join(LETTERS[i] for i in letters)


def taught(text: str, seed: int = 0) -> Reciter:
    """A model that knows one text by heart: only its head is fitted, by least squares, to random features."""
    rng = np.random.default_rng(seed)
    embedding = nn.Embedding(len(LETTERS), SIZE, seed=rng)
    layer = nn.TransformerEncoderLayer(SIZE, 4, 2 * SIZE, batch_first=True, norm_first=True, seed=rng)
    model = Reciter(embedding, layer, nn.Linear(SIZE, len(LETTERS), seed=rng))
    inputs = features(model, encoded(text))
    wanted = nn.one_hot(encoded(text[1:] + LETTERS[0]), len(LETTERS)).astype(np.float32)
    columns = np.concatenate((inputs, np.ones((len(text), 1), np.float32)), axis=1)
    found = np.linalg.lstsq(columns, wanted)[0].astype(np.float32)
    nn.load(model.head, {"weight": found[:-1].T, "bias": found[-1]})
    return model


PROVERB = "a stitch in time saves nine, and a graph with loops saves many more"


def main() -> None:
    model = taught(PROVERB)
    print(decoded(recite(model, encoded("a st"), 100)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reciter.safetensors"
        nn.save(model, path)
        other = taught("something else")
        nn.load(other, path)
    print(decoded(recite(other, encoded("a st"), 24)))


if __name__ == "__main__":
    main()
