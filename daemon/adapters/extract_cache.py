"""Readings kept by the hash of what was read, so that a file is taken apart once."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daemon.adapters.extract import EXTRACTOR_VERSION, ExtractorDiedError, extracted, kind_of
from daemon.model.errors import ExtractError
from daemon.ports import Extracted, Extractor


class CachedExtractor(Extractor):
    """An extractor that remembers, in a folder. A cache that cannot be kept is no error."""

    def __init__(self, inner: Extractor, folder: Path) -> None:
        self._inner = inner
        self._folder = folder

    def extract(self, body: bytes, *, content_type: str, url: str) -> Extracted:
        """Take the main text, or say why not, as it was the first time. Raises ExtractError."""
        kind = kind_of(body, content_type=content_type, url=url)
        path = self._folder / f"{text_key(body, kind)}.json"
        known = _load(path)
        if known is None:
            known = self._read(body, content_type, url)
            store(path, json.dumps(known).encode())
        if "error" in known:
            raise ExtractError(str(known["error"]))
        return extracted(known)

    def close(self) -> None:
        self._inner.close()

    def _read(self, body: bytes, content_type: str, url: str) -> dict[str, Any]:
        try:
            return asdict(self._inner.extract(body, content_type=content_type, url=url))
        except ExtractorDiedError:
            raise
        except ExtractError as error:
            return {"error": str(error)}


def text_key(body: bytes, kind: str) -> str:
    """Name a reading: by its bytes, what they were taken for, and the extractor's version."""
    digest = hashlib.sha256(body)
    digest.update(f"\0{kind}\0{EXTRACTOR_VERSION}".encode())
    return digest.hexdigest()


def store(path: Path, data: bytes) -> bool:
    """Write a cache file whole or not at all; return whether it could be kept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")  # of a killed writer: written over
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        return False
    return True


def _load(path: Path) -> dict[str, Any] | None:
    try:
        known = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return known if isinstance(known, dict) and ("text" in known or "error" in known) else None
