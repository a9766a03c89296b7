import json
from pathlib import Path

import pytest

from vault_adapters.note import Role
from vault_adapters.obsidian import ObsidianAdapter
from vault_adapters.obsidian_settings import ObsidianSettings, read_settings


def configure(root: Path, file: str, value: object) -> None:
    path = root / ".obsidian" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def role(root: Path, path: str, **folders: tuple[str, ...]) -> Role:
    return ObsidianAdapter(root, **folders).roles().of(path)


def test_excluded_files_and_link_format_are_read(tmp_path: Path) -> None:
    configure(
        tmp_path,
        "app.json",
        {
            "userIgnoreFilters": ["Old/", "/draft/"],
            "newLinkFormat": "relative",
            "attachmentFolderPath": "Files",
        },
    )
    settings = read_settings(tmp_path)
    assert (settings.link_format, settings.attachments) == ("relative", "Files")
    assert role(tmp_path, "Old/a.md") == role(tmp_path, "x/my draft.md") == Role.EXCLUDED


def test_folders_of_templates_are_read(tmp_path: Path) -> None:
    configure(tmp_path, "templates.json", {"folder": "Templates/"})
    configure(tmp_path, "plugins/templater-obsidian/data.json", {"templates_folder": "T/emp"})
    for path in ("Templates/a.md", "T/emp/a.md"):
        assert role(tmp_path, path) == Role.TEMPLATE


def test_folders_of_daily_notes_are_read(tmp_path: Path) -> None:
    configure(tmp_path, "daily-notes.json", {"folder": "Daily", "format": "YYYY/DD.MM."})
    configure(
        tmp_path,
        "plugins/periodic-notes/data.json",
        {
            "weekly": {"folder": "Weeks", "format": "", "enabled": True},
            "monthly": {"folder": "Months", "enabled": False},
            "yearly": {"folder": "", "format": "", "template": ""},
        },
    )
    assert role(tmp_path, "Daily/2026/21.11..md") == Role.DAILY
    assert role(tmp_path, "Weeks/2026-W47.md") == Role.DAILY
    assert role(tmp_path, "Months/2026-11.md") == Role.NOTE
    assert role(tmp_path, "Other/2026-11-21.md") == Role.NOTE


def test_the_root_as_the_folder_of_templates_means_none(tmp_path: Path) -> None:
    configure(tmp_path, "templates.json", {"folder": "/"})
    assert role(tmp_path, "a.md") == Role.NOTE


def test_folders_of_our_own_settings_come_on_top(tmp_path: Path) -> None:
    configure(tmp_path, "templates.json", {"folder": "A"})
    assert role(tmp_path, "A/x.md", templates=("B",)) == Role.TEMPLATE
    assert role(tmp_path, "B/x.md", templates=("/B/",)) == Role.TEMPLATE
    assert role(tmp_path, "C/x.md", exclude=("C",)) == Role.EXCLUDED
    assert role(tmp_path, "D/x.md", daily_notes=("D",)) == Role.DAILY


def test_settings_are_read_again_with_every_scan(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    adapter = ObsidianAdapter(tmp_path)
    assert adapter.scan().files[0].role == Role.NOTE
    configure(tmp_path, "app.json", {"userIgnoreFilters": ["a"]})
    assert adapter.scan().files[0].role == Role.EXCLUDED


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "null", '"x"', "[" * 100_000),
        '{"folder": 3, "format": [], "daily": 1}',
        '{"userIgnoreFilters": {"a": 1}, "newLinkFormat": 1, "weekly": {"folder": 1}}',
    ],
)
def test_broken_settings_count_as_not_set(content: str, tmp_path: Path) -> None:
    for file in ("app.json", "templates.json", "plugins/periodic-notes/data.json"):
        path = tmp_path / ".obsidian" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    settings = read_settings(tmp_path)
    assert (settings.link_format, settings.ignore_filters, settings.templates) == (
        "shortest",
        (),
        (),
    )
    ObsidianAdapter(tmp_path).scan()


def test_settings_that_are_not_utf_8_or_a_folder_count_as_not_set(tmp_path: Path) -> None:
    (tmp_path / ".obsidian/templates.json").mkdir(parents=True)
    (tmp_path / ".obsidian/app.json").write_bytes(b'{"newLinkFormat": "\xff"}')
    assert read_settings(tmp_path) == ObsidianSettings()
