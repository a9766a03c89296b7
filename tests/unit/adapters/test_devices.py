"""The device that embeds: a graphics card or Apple MPS if torch can use one, else the CPU."""

import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest


def devices(monkeypatch: pytest.MonkeyPatch, *present: str) -> list[dict[str, Any]]:
    """Replace the libraries by ones that have these devices; return what models are loaded with."""
    loaded: list[dict[str, Any]] = []

    class Model:
        def __init__(self, path: str, **options: Any) -> None:
            loaded.append({"path": path, **options})

        def encode(self, texts: list[str], **_: Any) -> Any:
            return np.ones((len(texts), 2))

        def predict(self, pairs: list[Any], **_: Any) -> Any:
            return np.ones(len(pairs))

    torch = ModuleType("torch")
    libraries: dict[str, Any] = {
        "set_num_threads": lambda _: None,
        "cuda": SimpleNamespace(is_available=lambda: "cuda" in present),
        "backends": SimpleNamespace(mps=SimpleNamespace(is_available=lambda: "mps" in present)),
        "nn": SimpleNamespace(Identity=lambda: None),
    }
    vars(torch).update(libraries)
    transformers = ModuleType("sentence_transformers")
    vars(transformers).update(SentenceTransformer=Model, CrossEncoder=Model)
    for name in ("HF_HUB_OFFLINE", "TQDM_DISABLE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "sentence_transformers", transformers)
    return loaded


def loaded_again() -> Any:
    """Load what imports the libraries, beside the module that other tests may have loaded."""
    found = find_spec("daemon.adapters.torch_models")
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("present", "device"),
    [((), "cpu"), (("mps",), "mps"), (("cuda",), "cuda"), (("cuda", "mps"), "cuda")],
)
def test_both_models_are_loaded_on_the_best_device_that_is_present(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, present: tuple[str, ...], device: str
) -> None:
    loaded = devices(monkeypatch, *present)
    models = loaded_again()
    embed, found = models.encoder(tmp_path, 1)
    score = models.cross_encoder(tmp_path, 1, 512)
    assert found == device
    assert [each["device"] for each in loaded] == [device, device]
    assert embed(["a", "b"]).shape == (2, 2)
    assert score(("q", ["a", "b", "c"])).shape == (3, 1)
