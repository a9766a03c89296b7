"""Check the embedding backend, and make a faster copy of the model on request."""

from collections.abc import Iterator

from daemon.doctor.check import Check, Scene, passed
from daemon.doctor.faults import fault_of
from daemon.index.chunk import embedded_text
from daemon.model.embedding_models import PACKAGED_MULTILINGUAL
from daemon.model.errors import LacunaError
from daemon.model_files import find_model
from daemon.prepared_model import (
    CHUNKS,
    Places,
    Report,
    can_make,
    has_torch,
    may_have_accelerator,
)

_MIN_CHUNKS = 20  # chunks on which a copy is compared


def backend(scene: Scene) -> Iterator[Check]:
    """Report which library embeds, how fast, and how to get a faster one."""
    settings, report = scene.app.settings, _report(scene)
    if settings.embedding.model == PACKAGED_MULTILINGUAL or not _has_model(scene):
        return
    if settings.embedding.backend == "torch":
        yield passed("backend", "torch, as configured")
    elif has_torch() and settings.embedding.backend == "auto" and may_have_accelerator():
        yield passed("backend", "torch, on the graphics card where it can use it")
    elif report is not None and report.is_checked:
        yield _verdict(report, is_forced=settings.embedding.backend == "onnx" or not has_torch())
    elif can_make():
        yield fault_of("backend-slow")
    else:
        yield fault_of("backend-none")


def fix_backend(scene: Scene) -> str:
    """Make the copy if it is due and return a line for the user, "" if nothing was done.

    Raises ModelError.
    """
    report = _report(scene)
    is_known = report is not None and report.is_checked
    if is_known or not can_make() or scene.app.settings.embedding.backend == "torch":
        return ""
    if not _has_model(scene) or scene.app.settings.embedding.model == PACKAGED_MULTILINGUAL:
        return ""
    texts = _some_chunks(scene)
    if len(texts) < _MIN_CHUNKS:
        return "backend: no chunks to compare a copy of the model on; first run: lacuna index"
    scene.app.children.embedder.make_copy(texts)
    found = _report(scene)
    return (
        f"backend: {found.summary}" if found is not None else "backend: the copy could not be saved"
    )


def _some_chunks(scene: Scene) -> list[str]:
    """Return texts of the vault as they are embedded, at most as many as a comparison needs."""
    store, model = scene.app.stores.notes.embeddings, scene.app.children.embedder.model
    hashes = [*store.sample(model, CHUNKS), *store.missing(model)][:CHUNKS]
    return [embedded_text(*source) for source in store.sources(hashes).values()]


def _verdict(report: Report, *, is_forced: bool) -> Check:
    if report.is_faster or (report.precision and is_forced):
        return passed("backend", report.summary)
    if not report.precision:
        return passed("backend", f"torch ({report.why})")
    return passed("backend", f"torch; a copy is not faster: {report.summary}")


def _has_model(scene: Scene) -> bool:
    try:
        return scene.app.model_place() is not None
    except LacunaError:
        return False  # the model check reports the reason


def _report(scene: Scene) -> Report | None:
    settings = scene.app.settings
    try:
        found = find_model(settings.embedding.model, settings.embedding.model_path)
    except LacunaError:
        return None
    if found is None:
        return None
    copied = Places(settings.embedding.model, settings.embedding.model_path, scene.app.state).find(
        found.path
    )
    return copied[1] if copied is not None else None
