"""Which settings the page may change: those that say so, and no other."""

from enum import EnumMeta
from typing import Literal, get_origin

import pytest
from pydantic import Field

from daemon.config import KEYS
from daemon.config.section import OnPage, Section
from daemon.usecases import setting_descriptions
from daemon.usecases.setting_descriptions import is_protected

# Sections whose every setting runs programs, widens access, sends text out or spends money.
_WHOLLY_PROTECTED = {
    *("agenda", "asking", "budget", "confinement", "hooks", "hub", "ingest", "library", "machines"),
    *("models", "network", "notes", "retention", "secrets", "sign_in", "telemetry", "web"),
}
_TIMES = {"audio.time", "weekly.time", "nightly.start", "nightly.end"} | {
    f"quiet_hours.{end}" for end in ("start", "end")
}


class _New(Section):
    """A section that nobody has judged."""

    says_nothing: bool = Field(default=False)
    says_so: OnPage[bool] = Field(default=False)


def test_a_setting_of_a_new_section_is_protected_unless_it_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new = {f"new.{key}": info for key, info in _New.model_fields.items()}
    monkeypatch.setattr(setting_descriptions, "KEYS", {**KEYS, **new})
    assert is_protected("new.says_nothing")
    assert not is_protected("new.says_so")
    assert is_protected("new.unknown")


def test_no_setting_of_a_section_that_reaches_outside_is_changed_on_the_page() -> None:
    open_sections = {key.partition(".")[0] for key in KEYS if not is_protected(key)}
    assert not open_sections & (_WHOLLY_PROTECTED | {"vault", "state", "schedules"})


def test_no_setting_that_is_changed_on_the_page_can_hold_a_path_an_address_or_a_command() -> None:
    for key in (key for key in KEYS if not is_protected(key) and key not in _TIMES):
        kind = KEYS[key].annotation
        is_choice = get_origin(kind) is Literal or isinstance(kind, EnumMeta)
        assert is_choice or kind in (bool, int, float), key


@pytest.mark.parametrize(
    "key",
    [
        *("notifications.ntfy", "notifications.webhook", "notifications.include_text"),
        *("research.tag", "research.depth", "research.reranker", "research.retraction_watch"),
        *("weekly.enabled", "nightly.enabled", "conditions.wait_when_metered"),
        *("audio.engine", "audio.piper_folder", "audio.address", "embedding.model", "tasks.tag"),
        *("inbox.folder", "limits.mb_per_day", "log.max_mb"),
    ],
)
def test_a_setting_that_reaches_outside_is_protected_beside_others_that_are_not(key: str) -> None:
    section = key.partition(".")[0]
    assert is_protected(key)
    assert not all(is_protected(each) for each in KEYS if each.startswith(f"{section}."))
