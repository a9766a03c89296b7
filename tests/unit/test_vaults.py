"""Several vaults in one settings file, each with what is different for it."""

from pathlib import Path

import pytest

from daemon.config import check_settings, explain_settings, load_settings, new_name, vaults_of
from daemon.model.errors import SettingsError

NOTHING: dict[str, str] = {}
TWO = """
research.max_findings = 4
research.depth = "deep"
[vaults.home]
path = "notes"
[vaults.work]
path = "/vaults/work"
research.max_findings = 2
library.folder = "unread"
state = "/state"
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(TWO, encoding="utf-8")
    return path


def test_a_vault_is_picked_by_its_name_or_its_path(two: Path, tmp_path: Path) -> None:
    for named in ("work", "/vaults/work", "/vaults/../vaults/work/"):
        found = load_settings(two, environ=NOTHING, flags={"vault": Path(named)})
        assert (found.vault, found.research.max_findings) == (Path("/vaults/work"), 2)
        assert (found.research.depth, found.state) == ("deep", Path("/state"))
        assert found.library.folder == tmp_path / "unread"
    home = load_settings(two, environ={"LACUNA_VAULT": "home"})
    assert (home.vault, home.research.max_findings, home.state) == (tmp_path / "notes", 4, None)


def test_another_path_has_the_plain_settings_and_no_state_of_others(two: Path) -> None:
    found = load_settings(two, environ=NOTHING, flags={"vault": Path("/elsewhere")})
    assert (found.vault, found.research.max_findings, found.state) == (Path("/elsewhere"), 4, None)


def test_the_environment_and_flags_win_over_a_vaults_own_settings(two: Path) -> None:
    environ = {"LACUNA_RESEARCH_MAX_FINDINGS": "7"}
    flags = {"vault": "work", "state": "/mine"}
    found = load_settings(two, environ=environ, flags=flags)
    assert (found.research.max_findings, found.state) == (7, Path("/mine"))


def test_one_vault_need_not_be_named_and_several_must_be(two: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as many:
        load_settings(two, environ=NOTHING)
    assert str(many.value) == (
        f"{two} has several vaults, home and work: say which with --vault NAME"
    )
    assert load_settings(two, environ=NOTHING, needs_vault=False).vault is None
    two.write_text("[vaults.home]\npath = 'notes'\n")
    assert load_settings(two, environ=NOTHING).vault == tmp_path / "notes"


def test_the_plain_vault_counts_when_none_is_named_and_may_be_a_name(two: Path) -> None:
    two.write_text(f"vault = '/plain'\nstate = '/its'\n{TWO}")
    plain = load_settings(two, environ=NOTHING)
    assert (plain.vault, plain.state, plain.research.max_findings) == (
        Path("/plain"),
        Path("/its"),
        4,
    )
    assert load_settings(two, environ=NOTHING, flags={"vault": "home"}).state is None
    two.write_text(f"vault = 'work'\nlibrary.folder = 'all'\n{TWO}")
    named = load_settings(two, environ=NOTHING)
    assert (named.vault, named.research.max_findings) == (Path("/vaults/work"), 2)
    assert load_settings(two, environ=NOTHING, flags={"vault": "home"}).library.folder == (
        two.parent / "all"
    )


def test_the_state_stays_when_the_files_own_vault_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("vault = '/notes'\nstate = '/state'\n")
    named = load_settings(path, environ=NOTHING, flags={"vault": Path("/notes/")})
    assert named.state == Path("/state")


def test_a_mistyped_name_suggests_the_right_one(two: Path) -> None:
    with pytest.raises(SettingsError, match=r"no vault is named wrok in .*: did you mean work\?"):
        load_settings(two, environ=NOTHING, flags={"vault": Path("wrok")})
    with pytest.raises(SettingsError, match=r"no vault is named club in .*: there are home"):
        load_settings(two, environ={"LACUNA_VAULT": "club"})


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (
            "[vaults.a]\npath = '/a'\nmax_finding = 1",
            "unknown setting vaults.a.max_finding; did you mean vaults.a.research.max_findings?",
        ),
        ("[vaults.a]\nvault = '/a'", "unknown setting vaults.a.vault; did you mean vaults.a.path?"),
        ("[vaults.a]\npaht = '/a'", "unknown setting vaults.a.paht; did you mean vaults.a.path?"),
        ("[vaults.a]\ninbox.folder = 'x'", "vaults.a has no path, the folder of its notes"),
        ("[vaults.a]\npath = 3", "vaults.a.path = 3: must be a path in quotes"),
        ("[vaults]\na = '/a'", 'vaults.a must be a table: [vaults.a], then path = "…"'),
        ("[vault.a]\npath = '/a'", "`vault` takes one folder; for several, use [vaults.NAME]"),
        ("[vualts.a]\npath = '/a'", "unknown setting vualts; did you mean vaults?"),
        ("vaults = '/a'", 'vaults must be tables such as [vaults.work], path = "…"'),
        ("[vaults.'a b']\npath = '/a'", "vaults.a b: a name may contain letters, digits, - and _"),
        (
            "[vaults.a]\npath = '/a'\nresearch.max_findings = 0",
            "vaults.a.research.max_findings = 0: must be at least 1",
        ),
    ],
)
def test_what_is_wrong_in_a_vaults_table_is_named_in_full(
    tmp_path: Path, text: str, reported: str
) -> None:
    path = tmp_path / "config.toml"
    for read in (lambda: check_settings(text, path), lambda: explain_settings(path)):
        path.write_text(text)
        with pytest.raises(SettingsError) as caught:
            read()
        assert str(caught.value) == f"{path}: {reported}"


def test_the_origin_of_a_vault_setting_is_shown(two: Path) -> None:
    reported = explain_settings(two, environ=NOTHING, vault="work")
    assert reported["research.max_findings"] == (2, f"{two} [vaults.work]")
    assert reported["research.depth"][1] == str(two)
    assert explain_settings(two, environ=NOTHING)["vault"] == (None, "default")


def test_the_vaults_of_a_file_are_listed_and_a_new_one_gets_a_name(
    two: Path, tmp_path: Path
) -> None:
    vaults = vaults_of(two)
    assert vaults == {"home": tmp_path / "notes", "work": Path("/vaults/work")}
    assert new_name(vaults, Path("/x/Küche & Garten")) == "kuche-garten"
    assert new_name(vaults, Path("/x/Work")) == "work-2"
