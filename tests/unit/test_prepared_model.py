"""Where a copy of a model is kept, when it is trusted, and when it is used."""

from dataclasses import replace
from pathlib import Path

import pytest

from daemon import prepared_model
from daemon.prepared_model import (
    MODEL,
    TOKENIZER,
    Places,
    Report,
    accelerators,
    processor,
    read_copy,
    sha256_of,
    write_report,
)

GOOD = Report(
    precision="int8",
    sha256="",
    longest=256,
    original="torch",
    chunks=200,
    lowest=0.984,
    mean=0.994,
    speed=78.0,
    original_speed=16.0,
    processor=processor(),
)


@pytest.fixture
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    """All libraries are installed."""
    for name in ("can_run", "can_make", "has_torch"):
        monkeypatch.setattr(prepared_model, name, lambda: True)


def a_copy(folder: Path, report: Report = GOOD) -> Path:
    folder.mkdir(parents=True)
    (folder / MODEL).write_bytes(b"weights")
    (folder / TOKENIZER).write_text("{}")
    digests = [sha256_of(folder / name) for name in (MODEL, TOKENIZER)]
    write_report(folder, replace(report, sha256=digests[0], tokenizer_sha256=digests[1]))
    return folder


@pytest.mark.usefixtures("able")
def test_a_copy_is_found_with_its_report(tmp_path: Path) -> None:
    report = read_copy(a_copy(tmp_path / "m#1"))
    assert report is not None
    assert (report.precision, report.is_checked, report.is_faster) == ("int8", True, True)


@pytest.mark.usefixtures("able")
@pytest.mark.parametrize("name", [MODEL, TOKENIZER])
@pytest.mark.parametrize("change", ["other bytes", "none", "a link to nothing"])
def test_a_copy_with_a_changed_file_is_made_again(tmp_path: Path, name: str, change: str) -> None:
    file = a_copy(tmp_path / "m#1") / name
    file.unlink()
    if change == "other bytes":
        file.write_bytes(b'{"model": ')
    elif change == "a link to nothing":
        file.symlink_to(tmp_path / "nothing")
    assert read_copy(file.parent) is None


@pytest.mark.usefixtures("able")
@pytest.mark.parametrize("change", [{"processor": "another"}, {"made_by": 0}])
def test_a_copy_of_another_processor_or_version_is_made_again(
    tmp_path: Path, change: dict[str, object]
) -> None:
    assert read_copy(a_copy(tmp_path / "m#1", replace(GOOD, **change))) is None  # type: ignore[arg-type]


def test_a_report_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    folder = a_copy(tmp_path / "m#1")
    file = folder / prepared_model.REPORT
    whole = file.read_text()
    speed = whole.replace('"speed": 78.0', '"speed": null')
    for text in ('{"precision": "int8", "unknown": 1}', "[" * 100_000, whole[:40], speed):
        file.write_text(text)
        assert prepared_model.read_report(folder) is None


@pytest.mark.usefixtures("able")
def test_a_folder_is_opened_only_while_a_copy_is_due(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    places = Places("x/m", None, None, environ)
    other = Places("x/other", Path("/models/n"), tmp_path / "state", environ)
    due = places.to_make_in("auto")
    assert due == tmp_path / "lacuna" / "models"
    assert places.to_make_in("torch") is None
    refused = replace(GOOD, precision="", chunks=0, why="its architecture is not BERT")
    a_copy(due / "m#1", refused)
    assert places.to_make_in("auto") is None
    assert other.to_make_in("auto") == due
    a_copy(due / "n#1", replace(GOOD, precision="float32", chunks=0))
    assert other.to_make_in("auto") == due
    a_copy(tmp_path / "state" / "models" / "n#1")
    assert other.to_make_in("auto") is None


@pytest.mark.usefixtures("able")
def test_a_copy_in_the_state_is_found_where_the_cache_has_none(tmp_path: Path) -> None:
    source = tmp_path / "model"
    source.mkdir()
    (source / "model.safetensors").write_bytes(b"weights")
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    places = Places("x/m", None, tmp_path / "state", environ)
    in_cache, in_state = places.of(source)
    assert places.find(source) is None
    a_copy(in_state)
    found = places.find(source)
    assert found is not None
    assert found[0] == in_state
    a_copy(in_cache)
    assert places.find(source) == (in_cache, read_copy(in_cache))


def test_a_copy_that_is_hardly_faster_is_not_worth_it() -> None:
    assert not replace(GOOD, speed=17.0).is_faster
    assert not replace(GOOD, precision="").is_faster


@pytest.mark.usefixtures("able")
def test_devices_count_only_where_torch_could_use_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dri").mkdir()
    for name in ("nvidia0", "nvidiactl", "dri/renderD128"):
        (tmp_path / name).touch()
    monkeypatch.setattr(prepared_model, "version", lambda _: "2.13.0+cpu")
    assert accelerators(tmp_path) == ()
    monkeypatch.setattr(prepared_model, "version", lambda _: "2.13.0")
    assert [path.name for path in accelerators(tmp_path)] == ["nvidia0", "nvidiactl"]
    (tmp_path / "kfd").touch()
    assert "renderD128" in {path.name for path in accelerators(tmp_path)}
