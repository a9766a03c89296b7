"""Settings: one table, three places, later wins."""

from pathlib import Path

import pytest

from daemon.config import Settings, load_settings, unknown_variables
from daemon.model.errors import SettingsError

NOTHING: dict[str, str] = {}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_the_environment_and_the_flags_overrule_each_other_in_that_order(
    tmp_path: Path,
) -> None:
    path = written(
        tmp_path, "research.max_findings = 1\nanalysis.stale_days = 1\nagenda.veto_hours = 1\n"
    )
    environ = {"LACUNA_ANALYSIS_STALE_DAYS": "2", "LACUNA_AGENDA_VETO_HOURS": "2"}
    found = load_settings(
        path, environ=environ, flags={"agenda.veto_hours": 3, "research.depth": None}
    )
    assert (found.research.max_findings, found.analysis.stale_days) == (1, 2)
    assert found.agenda.veto_hours == 3
    assert found.research.depth == Settings().research.depth


def test_lists_in_the_environment_have_commas(tmp_path: Path) -> None:
    environ = {"LACUNA_NOTES_EXCLUDE": "Archive, Work/Clients,"}
    found = load_settings(written(tmp_path, ""), environ=environ)
    assert found.notes.exclude == ("Archive", "Work/Clients")


def test_what_is_set_to_nothing_in_the_environment_is_not_set(tmp_path: Path) -> None:
    path = written(tmp_path, "inbox.folder = 'Mine'\n")
    found = load_settings(path, environ={"LACUNA_INBOX_FOLDER": "", "LACUNA_LIBRARY_FOLDER": ""})
    assert (found.inbox.folder, found.library.folder) == ("Mine", None)


def test_paths_in_the_file_begin_at_the_file_and_others_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = written(tmp_path, "vault = 'notes'\nlibrary.folder = '~/unread'\n")
    found = load_settings(path, environ={"LACUNA_EMBEDDING_MODEL_PATH": "model"})
    assert found.vault == tmp_path / "notes"
    assert found.library.folder == tmp_path / "home" / "unread"
    assert found.embedding.model_path == tmp_path / "here" / "model"


def test_the_state_in_the_file_is_that_of_the_files_vault_only(tmp_path: Path) -> None:
    path = written(tmp_path, "vault = '/notes'\nstate = '/state'\n")
    assert load_settings(path, environ=NOTHING).state == Path("/state")
    assert load_settings(path, environ=NOTHING, flags={"vault": "/other"}).state is None
    assert load_settings(path, environ={"LACUNA_VAULT": "/other"}).state is None
    both = {"vault": "/other", "state": "/theirs"}
    assert load_settings(path, environ=NOTHING, flags=both).state == Path("/theirs")


@pytest.mark.parametrize(
    ("inbox", "kept"),
    [
        ("Inbox/Research", "Inbox/Research"),
        ("Inbox/Research/", "Inbox/Research"),
        ("Eingang\\Funde", "Eingang/Funde"),
        ("Zettel & Funde", "Zettel & Funde"),
    ],
)
def test_an_inbox_is_a_folder_in_the_vault(tmp_path: Path, inbox: str, kept: str) -> None:
    assert (
        load_settings(written(tmp_path, f"inbox.folder = '{inbox}'"), environ=NOTHING).inbox.folder
        == kept
    )


@pytest.mark.parametrize(
    "inbox",
    [
        "",
        "/",
        ".",
        "./a",
        "/abs",
        "~/x",
        "../x",
        "a/../b",
        "a//b",
        ".x",
        "a/.b",
        "a#b",
        "a[b",
        "a|b",
    ],
)
def test_any_other_inbox_is_refused(tmp_path: Path, inbox: str) -> None:
    with pytest.raises(SettingsError, match=r"inbox\.folder = "):
        load_settings(written(tmp_path, f"inbox.folder = '{inbox}'"), environ=NOTHING)


def test_an_error_names_the_place_that_the_value_came_from(tmp_path: Path) -> None:
    path = written(tmp_path, "research.max_findings = 0")
    with pytest.raises(SettingsError) as file:
        load_settings(path, environ=NOTHING)
    assert str(file.value) == f"{path}: research.max_findings = 0: must be at least 1"
    with pytest.raises(
        SettingsError, match=r"^environment variable LACUNA_RESEARCH_MAX_FINDINGS: "
    ):
        load_settings(path, environ={"LACUNA_RESEARCH_MAX_FINDINGS": "x"})
    with pytest.raises(SettingsError, match=r"^option --max-findings: "):
        load_settings(path, environ=NOTHING, flags={"research.max_findings": 99})


def test_a_variable_that_looks_like_a_setting_and_is_none_is_found() -> None:
    environ = {
        "LACUNA_VUALT": "", "LACUNA_VAULT": "", "LACUNA_STATE": "", "LACUNA_CONFIG": "",
        "LACUNA_BRAVE_API_KEY": "", "PATH": "",
    }  # fmt: skip
    assert unknown_variables(environ) == ["LACUNA_VUALT; did you mean LACUNA_VAULT?"]


def test_no_variable_is_suggested_for_what_has_only_its_beginning_in_common() -> None:
    environ = {"LACUNA_BOGUS": "", "LACUNA_SECRETS_PASSPHRASE": "", "LACUNA_STALEDAYS": ""}
    assert unknown_variables(environ) == [
        "LACUNA_BOGUS",
        "LACUNA_STALEDAYS; did you mean LACUNA_ANALYSIS_STALE_DAYS?",
    ]


def test_the_vault_itself_is_no_inbox_and_that_is_why(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="must be a folder inside the vault"):
        load_settings(written(tmp_path, "inbox.folder = '.'"), environ=NOTHING)
