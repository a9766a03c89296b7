"""Our sources with the user's on top, key by key, and errors that name entry and key."""

from pathlib import Path

import pytest

from daemon.adapters.sources import is_asked, load_registry
from daemon.adapters.sources.build import SOURCES
from daemon.adapters.sources.registry import Rate, check_names, key_names, profiles
from daemon.model.errors import SourceError
from daemon.model.evidence import SourceType


def users(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "sources.yaml"
    path.write_text(text)
    return path


def test_every_source_has_an_entry_and_every_entry_a_source() -> None:
    registry = load_registry()
    assert {entry.adapter for entry in registry.values()} == {source.kind for source in SOURCES}
    assert {source.kind for source in SOURCES} <= set(registry)
    assert all(entry.description for entry in registry.values())


def test_a_file_that_is_not_there_or_empty_changes_nothing(tmp_path: Path) -> None:
    assert load_registry(tmp_path / "none.yaml") == load_registry()
    assert load_registry(users(tmp_path, "# nothing yet\n")) == load_registry()


def test_the_users_file_is_laid_on_top_key_by_key(tmp_path: Path) -> None:
    path = users(
        tmp_path,
        "arxiv: {enabled: false, rate: {least_interval_seconds: 10}}\n"
        "brave: {base_url: 'https://search.example/', authority: high}\n",
    )
    ours, theirs = load_registry(), load_registry(path)
    assert (theirs["arxiv"].enabled, theirs["arxiv"].rate.least_interval_seconds) == (False, 10)
    assert theirs["arxiv"].source_type is SourceType.PREPRINT
    assert theirs["arxiv"].description == ours["arxiv"].description
    assert theirs["brave"].base_url == "https://search.example"
    assert theirs["brave"].api_key == "brave"
    assert theirs["library"] == ours["library"]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("arxvi: {enabled: false}", "unknown source arxvi: did you mean arxiv?"),
        ("zzz: {enabled: false}", "zzz: there are arxiv, "),
        (
            "zzz: {type: api, base_url: 'https://x'}",
            "zzz: adapter is missing: which adapter connects to this api",
        ),
        (
            "zzz: {type: website}",
            "zzz: type: must be one of internal, library, api, feed, js",
        ),
        ("zzz: {base_url: 'https://x'}", "or give the new source its type"),
        ("zzz: {type: mcp, tool: t, url: 'ftp://x'}", "zzz: url: must begin with http"),
        ("brave: {url: 'https://x'}", "brave: unknown setting url; did you mean base_url?"),
        ("brave: {base_url: 5}", "brave: base_url: must be text"),
        ("arxiv: {max_latency_ms: soon}", "arxiv: max_latency_ms: must be a whole number"),
        ("arxiv: {rate: {per_second: -1}}", "arxiv: rate.per_second: must be at least 0"),
        ("arxiv: {good_for: news}", "arxiv: good_for: must be a list such as [one, another]"),
        ("zzz: {type: mcp, tool: t, env: 5}", "zzz: env: must be names with values below them"),
        ("zzz: {adapter: brav}", "adapter: brav does not exist; did you mean brave?"),
        ("zzz: {adapter: 5}", "zzz"),
        ("arxiv: {layers: [serach]}", "arxiv: layers.0: "),
        ("arxiv: {rate: {concurrency: 0}}", "arxiv: rate.concurrency: "),
        ("arxiv: {cost: {per_request: -1}}", "arxiv: cost.per_request: "),
        ("arxiv: {content_type: films}", "arxiv: content_type: "),
        ("arxiv: {enable: false}", "arxiv: unknown setting enable; did you mean enabled?"),
        ("arxiv: {enabled: perhaps}", "arxiv: enabled: "),
        ("arxiv: {max_latency_ms: -1}", "arxiv: max_latency_ms: "),
        ("arxiv: {rate: {least_interval_seconds: x}}", "arxiv: rate.least_interval_seconds: "),
        ("arxiv: {rate: {least: 1}}", "arxiv: unknown setting rate.least"),
        ("arxiv: {rate: 5}", "arxiv: rate: "),
        ("brave: {base_url: 'ftp://x'}", "brave: base_url: must begin with http"),
        ("brave: {authority: huge}", "brave: authority: "),
        ("brave: {type: magic}", "brave: type: "),
        ("arxiv: off", "arxiv: must be a mapping"),
        ("- arxiv", "begins with a dash: must be a mapping of names to settings, such as `arxiv:"),
        ("arxiv", "is not a mapping: must be a mapping of names"),
        ("arxiv: {enabled: [", "not valid YAML (line "),
    ],
)
def test_an_error_names_file_entry_and_key(tmp_path: Path, text: str, reported: str) -> None:
    path = users(tmp_path, text)
    with pytest.raises(SourceError) as caught:
        load_registry(path)
    assert str(caught.value).startswith(str(path))
    assert reported in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(SourceError, match="not UTF-8"):
        load_registry(tmp_path / "bytes.yaml")
    with pytest.raises(SourceError, match="directory"):
        load_registry(tmp_path)


def test_names_are_checked_with_a_suggestion() -> None:
    check_names(("arxiv", "library"), load_registry())
    with pytest.raises(SourceError, match=r"unknown source Brave: did you mean brave\?"):
        check_names(("arxiv", "Brave"), load_registry())


def test_the_keys_that_sources_want_are_known_by_name() -> None:
    assert "brave" in key_names(load_registry())


def test_a_new_entry_takes_no_code_and_begins_with_its_adapters_settings(tmp_path: Path) -> None:
    path = users(
        tmp_path,
        "second: {adapter: brave, api_key: second, description: Ours, rate: {day: 100}}\n"
        "third: {adapter: brave, type: api, base_url: 'https://third.example'}\n",
    )
    registry = load_registry(path)
    ours, second, third = registry["brave"], registry["second"], registry["third"]
    assert (second.adapter, second.api_key, second.description) == ("brave", "second", "Ours")
    assert (second.base_url, third.base_url) == ("", "https://third.example")
    assert second.rate == ours.rate.model_copy(update={"day": 100})
    assert (third.api_key, third.source_type, third.enabled) == ("brave", ours.source_type, True)


def test_the_stricter_of_two_limits_makes_the_interval() -> None:
    assert Rate(per_second=4).interval == 0.25
    assert Rate(per_second=4, least_interval_seconds=3).interval == 3
    assert Rate().interval == 0


def test_every_source_that_is_asked_keeps_to_a_rate() -> None:
    for name, entry in load_registry().items():
        if entry.type in ("api", "json"):
            assert entry.rate.interval > 0, name


def test_a_source_takes_part_where_its_layers_say() -> None:
    def asked(*layers: str) -> bool:
        return is_asked(load_registry()["arxiv"].model_copy(update={"layers": layers}))

    assert asked("research")
    assert asked("search")
    assert asked("gather", "search")
    assert not asked("gather")
    assert not asked("synthesize")
    assert not asked()


def test_what_a_plan_knows_of_a_source_is_what_its_entry_says(tmp_path: Path) -> None:
    path = users(tmp_path, "arxiv: {always_available: true, authority: low, good_for: [tides]}")
    found = profiles(load_registry(path))["arxiv"]
    assert (found.is_always_asked, found.authority, found.good_for) == (True, 0, ("tides",))
