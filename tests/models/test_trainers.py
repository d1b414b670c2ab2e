"""Models as those who train them export them: PyTorch, scikit-learn, XGBoost, LightGBM; and Silero's voice detector."""

from __future__ import annotations

import importlib.resources
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, load, load_onnx
from tests.fuzz.check import by_numpy, other_program
from tests.models.agreement import agree, refusal

RNG = np.random.default_rng(1)
FEATURES = RNG.normal(size=(80, 4)).astype(np.float32)
LABELS = (FEATURES[:, 0] + FEATURES[:, 1] ** 2 > 0.5).astype(np.int64)
RAW = RNG.normal(size=(6, 5)).astype(np.float32)


def features(raw: Any) -> Any:
    """Four features of a row of five numbers, written by hand."""
    mean, spread = raw.mean(axis=1), raw.std(axis=1) + np.float32(0.1)
    return np.stack([(raw[:, 0] - mean) / spread, raw.max(axis=1), mean, spread], axis=1)


def behind_features(model: Any, folder: Path) -> None:
    """A classifier with features before and a decision behind."""

    def program(raw: Any) -> Any:
        label, scores = model(features(raw))
        best = scores.max(axis=1)
        for k in range(raw.shape[0]):
            if best[k] < 0.6:
                label[k] = -1
        return label, best

    agree(program, (RAW,), (RAW[:1],), folder=folder)


def classifier(model: Any, folder: Path, **options: Any) -> Any:
    """A model of scikit-learn's kind as a file, loaded."""
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    initial = [("x", skl2onnx.common.data_types.FloatTensorType([None, 4]))]
    path = folder / "classifier.onnx"
    made = skl2onnx.convert_sklearn(model, initial_types=initial, options={id(model): {"zipmap": False}}, **options)
    path.write_bytes(made.SerializeToString())
    return load_onnx(path)


@pytest.mark.parametrize("kind", ["forest", "logistic", "pipeline", "network"])
def test_scikit_learn(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    made = {
        "forest": RandomForestClassifier(5, max_depth=3, random_state=0),
        "logistic": LogisticRegression(),
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
        "network": MLPClassifier((5,), max_iter=20, random_state=0),
    }[kind]
    with warnings.catch_warnings(action="ignore"):
        model = classifier(made.fit(FEATURES, LABELS), tmp_path)
    assert [port.dtype.name for port in model.outputs] == ["int64", "float32"]
    np.testing.assert_array_equal(model(FEATURES)[0], made.predict(FEATURES))
    behind_features(model, tmp_path)


def test_maps_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(FEATURES, LABELS)
    path = tmp_path / "maps.onnx"
    path.write_bytes(skl2onnx.to_onnx(model, FEATURES[:1]).SerializeToString())
    error = refusal(lambda: load_onnx(path))
    assert error.code == "GP613" and "zipmap" in error.diagnostic.hint


def test_xgboost(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    onnxmltools = pytest.importorskip("onnxmltools", reason="onnxmltools is not installed")
    from onnxmltools.convert.common.data_types import FloatTensorType

    trees = xgboost.XGBClassifier(n_estimators=5, max_depth=2).fit(FEATURES, LABELS)
    made = onnxmltools.convert_xgboost(trees, initial_types=[("x", FloatTensorType([None, 4]))])
    (tmp_path / "trees.onnx").write_bytes(made.SerializeToString())
    model = load_onnx(tmp_path / "trees.onnx")
    np.testing.assert_allclose(model(FEATURES)[1], trees.predict_proba(FEATURES), rtol=1e-5)
    behind_features(model, tmp_path)


def test_lightgbm(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    onnxmltools = pytest.importorskip("onnxmltools", reason="onnxmltools is not installed")
    from onnxmltools.convert.common.data_types import FloatTensorType

    trees = lightgbm.LGBMClassifier(n_estimators=5, num_leaves=4, verbose=-1).fit(FEATURES, LABELS)
    made = onnxmltools.convert_lightgbm(trees, initial_types=[("x", FloatTensorType([None, 4]))], zipmap=False)
    (tmp_path / "trees.onnx").write_bytes(made.SerializeToString())
    model = load_onnx(tmp_path / "trees.onnx")
    with warnings.catch_warnings(action="ignore"):
        np.testing.assert_allclose(model(FEATURES)[1], trees.predict_proba(FEATURES), rtol=1e-5)
    behind_features(model, tmp_path)


@pytest.mark.parametrize("dynamo", [True, False])
def test_pytorch(tmp_path: Path, dynamo: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")

    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv1d(1, 3, 3, padding=1)
            self.norm = torch.nn.BatchNorm1d(3)
            self.cell = torch.nn.GRU(3, 4, batch_first=True)
            self.head = torch.nn.Linear(4, 2)

        def forward(self, x: Any, state: Any) -> Any:
            h = torch.relu(self.norm(self.conv(x[:, None, :]))).transpose(1, 2)
            out, state = self.cell(h, state)
            return torch.softmax(self.head(out[:, -1]), dim=-1), state

    torch.manual_seed(0)
    net, path = Net().eval(), tmp_path / "net.onnx"
    example = torch.randn(2, 6), torch.zeros(1, 2, 4)
    names: dict[str, Any] = {"input_names": ["x", "state"], "output_names": ["p", "next"]}
    batch = {"x": {0: "batch"}, "state": {1: "batch"}}
    try:
        with warnings.catch_warnings(action="ignore"):
            if dynamo:
                dim = torch.export.Dim("batch", min=1)
                shapes = {"x": {0: dim}, "state": {1: dim}}
                torch.onnx.export(net, example, path, dynamo=True, dynamic_shapes=shapes, verbose=False, **names)
            else:
                torch.onnx.export(net, example, path, dynamo=False, dynamic_axes=batch, **names)
    except ImportError as error:
        pytest.skip(f"torch.onnx.export needs more: {error}")
    model = load_onnx(path)
    with torch.no_grad():
        want = [tensor.numpy() for tensor in net(*example)]
    for found, expected in zip(model(*(tensor.numpy() for tensor in example)), want, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)

    def program(sound: Any) -> Any:
        state = np.zeros((1, sound.shape[0], 4), np.float32)
        total = np.zeros((sound.shape[0], 2), np.float32)
        for k in range(sound.shape[1] // 6):
            chunk = sound[:, 6 * k : 6 * (k + 1)]
            p, state = model(chunk - chunk.mean(axis=1, keepdims=True), state)
            total += p
        return total, state

    sound = RNG.normal(size=(2, 20)).astype(np.float32)
    agree(program, (sound,), (sound[:1],), folder=tmp_path)


@pytest.mark.parametrize("name", ["silero_vad.onnx", "silero_vad_16k_op15.onnx", "silero_vad_op18_ifless.onnx"])
def test_silero(tmp_path: Path, name: str) -> None:
    """The voice detector of `silero-vad`: branches inside of branches, and a state from chunk to chunk."""
    try:
        path = importlib.resources.files("silero_vad.data") / name
    except ModuleNotFoundError:
        pytest.skip("silero-vad is not installed")
    vad = load_onnx(str(path))

    def speech(audio: Any) -> Any:
        state = np.zeros((2, 1, 128), np.float32)
        context = np.zeros((1, 64), np.float32)
        probs, started, segments = [], -1, 0
        for k in range(audio.shape[0] // 512):
            chunk = audio[k * 512 : (k + 1) * 512].reshape(1, 512)
            p, state = vad(input=np.concatenate([context, chunk], axis=1), state=state, sr=16000)
            context = chunk[:, -64:]
            if p[0, 0] > 0.5 and started < 0:
                started = k
            elif p[0, 0] < 0.35 and started >= 0:
                started = -1
                segments += 1
            probs.append(p[0, 0])
        return np.array(probs), segments

    t = np.arange(16000) / 16000
    voice = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 20)) * (np.sin(2 * np.pi * 3 * t) > 0)
    audio = (0.1 * voice + 0.01 * RNG.normal(size=t.shape)).astype(np.float32)
    program = graph_program(speech)
    program.export(tmp_path / "speech.onnx", (audio,))
    for run in (program, load(tmp_path / "speech.onnx"), other_program(program, by_numpy)):
        for sound in (audio, audio[:5000]):
            (want, segments), (found, count) = speech(sound), run(sound)
            np.testing.assert_allclose(found, want, atol=1e-5)  # what is added in another order goes round and round
            assert found.dtype == np.float32 and segments == count
