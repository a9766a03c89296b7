import pytest

from vault_adapters.moment import date_pattern
from vault_adapters.note import Role
from vault_adapters.roles import DailyFolder, Roles, exclusions, folder_exclusions


@pytest.mark.parametrize(
    ("date_format", "name"),
    [
        ("YYYY-MM-DD", "2026-11-21"),
        ("dddd, Do MMMM YYYY", "Samstag, 21. November 2026"),
        ("dddd, MMMM Do YYYY", "Saturday, November 21st 2026"),
        ("gggg-[W]ww", "2026-W47"),
        ("YYYY/MM-MMMM/YYYY-MM-DD", "2026/11-November/2026-11-21"),
        ("YYYY年M月D日", "2026年11月2日"),
        ("YYYY-[Q]Q", "2026-Q4"),
        ("[Daily] D.M.YY", "Daily 2.11.26"),
    ],
)
def test_a_name_in_the_format_is_known(date_format: str, name: str) -> None:
    assert date_pattern(date_format).fullmatch(name)
    assert not date_pattern(date_format).fullmatch("Meeting notes")


def test_a_name_that_is_a_date_is_a_daily_note_where_nothing_else_is_said() -> None:
    assert Roles().of("a/2026-11-21.md") == Role.DAILY
    assert Roles().of("a/2026-11-21 Meeting.md") == Role.NOTE


def test_where_a_folder_is_named_only_its_dates_are_daily_notes() -> None:
    roles = Roles(daily=(DailyFolder("Daily", date_pattern("DD.MM.YYYY")),))
    assert roles.of("Daily/21.11.2026.md") == Role.DAILY
    assert roles.of("daily/2026/21.11.2026.md") == Role.DAILY
    assert roles.of("Daily/2026-11-21.md") == Role.DAILY
    assert roles.of("Daily/About.md") == Role.NOTE
    assert roles.of("Posts/2026-11-21.md") == Role.NOTE


def test_all_of_a_folder_that_the_user_names_is_daily_notes() -> None:
    assert Roles(daily=(DailyFolder("Journal"),)).of("Journal/on a whim.md") == Role.DAILY


def test_templates_go_before_all_else() -> None:
    roles = Roles(templates=("Templates",), excluded=exclusions(["Templates/"]))
    assert roles.of("templates/2026-11-21.md") == Role.TEMPLATE
    assert roles.of("Templates old/a.md") == Role.NOTE
    assert roles.of("Templates/a.png") == Role.ATTACHMENT


@pytest.mark.parametrize(
    ("text", "path", "excluded"),
    [
        ("Old/", "Old/a.md", True),
        ("Old/", "old/a.md", True),
        ("Old/", "Older/a.md", False),
        ("Old/", "New/Old/a.md", False),
        ("Old", "Older/a.md", True),
        ("/draft$|\\.tmp/", "a/b.tmp.md", True),
        ("/^a/", "b/a.md", False),
        ("/(/", "(.md", False),
        ("/", "a.md", False),
        ("", "a.md", False),
    ],
)
def test_excluded_files_are_prefixes_or_patterns(text: str, path: str, excluded: bool) -> None:
    assert (Roles(excluded=exclusions([text])).of(path) == Role.EXCLUDED) is excluded


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "((a|b))+$",
        "(?:a*)*!",
        "((a+)x?)*!",
        "(a{1,9}){1,9}!",
        "a*a*a*a*a*!",
        "(a|a){9,}!",
    ],
)
def test_a_pattern_that_could_take_for_ever_is_never_searched_for(
    pattern: str, caplog: pytest.LogCaptureFixture
) -> None:
    roles = Roles(excluded=exclusions([f"/{pattern}/", "Old/"]))
    assert roles.of(f"{'a' * 60}.md") == Role.NOTE
    assert roles.of("Old/a.md") == Role.EXCLUDED
    assert pattern in caplog.text


@pytest.mark.parametrize(
    "pattern", [r"^(Old|New)/.*\.md$", r"[+*]{2,}", r"\(a+\)+", r"(\d+)-(\w+)", "(?:ab)+"]
)
def test_a_pattern_with_a_few_repeats_is_searched_for(pattern: str) -> None:
    assert exclusions([f"/{pattern}/"])


def test_a_format_of_many_words_is_the_name_of_no_note() -> None:
    roles = Roles(daily=(DailyFolder("", date_pattern("MMMM" * 20)),))
    assert roles.of(f"{'a' * 200}!.md") == Role.NOTE
    within = Roles(daily=(DailyFolder("", date_pattern("MMMM" * 4)),))
    assert within.of(f"{'a' * 200}!.md") == Role.NOTE
    assert within.of("2026-11-21.md") == Role.DAILY


def test_folders_of_the_settings_are_whole_folders() -> None:
    roles = Roles(excluded=folder_exclusions(["./Old/", " "]))
    assert roles.of("Old/a.md") == Role.EXCLUDED
    assert roles.of("Older/a.md") == Role.NOTE


@pytest.mark.parametrize(
    "path",
    [
        "a.sync-conflict-20261121-101112-ABCDEFG.md",
        "a (Ann's conflicted copy 2026-11-21).md",
        "a (Conflicted copy).canvas",
    ],
)
def test_copies_of_a_sync_conflict_take_no_part(path: str) -> None:
    assert Roles().of(path) == Role.CONFLICT


def test_every_other_file_is_an_attachment() -> None:
    assert [Roles().of(path) for path in ("a.canvas", "a.pdf", "a", "A.MD")] == [
        Role.CANVAS,
        Role.ATTACHMENT,
        Role.ATTACHMENT,
        Role.NOTE,
    ]
