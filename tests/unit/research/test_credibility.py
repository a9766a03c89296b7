from pathlib import Path

import pytest

from daemon.model.errors import SettingsError
from daemon.model.evidence import Hit, SourceType
from daemon.research.credibility import Table, load_table, our_table
from daemon.research.weigh import base_of, weigh


def _hit(url: str, source: str = "x", doi: str = "") -> Hit:
    return Hit(source, SourceType.WEB, url, "A title", doi=doi)


def _table(folder: Path, text: str) -> Table:
    path = folder / "credibility.toml"
    path.write_text(text, encoding="utf-8")
    return load_table(path)


def test_without_a_file_of_the_users_the_table_is_ours(tmp_path: Path) -> None:
    assert load_table(tmp_path / "credibility.toml") == load_table() == our_table()


def test_the_users_entry_changes_only_the_keys_it_gives(tmp_path: Path) -> None:
    table = _table(tmp_path, "[base.nature]\nscore = 0.9\n")
    assert base_of(_hit("https://www.nature.com/a"), table) == ("Nature", 0.9)
    assert base_of(_hit("https://nejm.org/a"), table) == ("NEJM", 0.85)


def test_a_new_entry_of_the_users_comes_before_ours(tmp_path: Path) -> None:
    table = _table(tmp_path, '[base.our_lab]\nscore = 0.9\nsites = ["Lab.MIT.edu"]\n')
    assert base_of(_hit("https://www.lab.mit.edu/a"), table) == ("our lab", 0.9)
    assert base_of(_hit("https://mit.edu/a"), table)[1] == 0.75


def test_a_publisher_can_be_added_to_the_predatory_and_taken_back(tmp_path: Path) -> None:
    table = _table(
        tmp_path,
        '[predatory.mine]\nsites = ["bad.example.org"]\n[predatory.scirp]\nsites = []\ndois = []\n',
    )
    assert weigh(_hit("https://bad.example.org/a"), 2, table).score == 0.2
    assert weigh(_hit("https://www.scirp.org/a"), 2, table).score == 0.5
    assert weigh(_hit("https://www.scirp.org/a"), 2).score == 0.2


def test_steps_and_the_cap_can_be_set(tmp_path: Path) -> None:
    text = "cap = 0.8\n[agreement]\nsteps = [{ below = 3, factor = 0.5 }, { factor = 2.0 }]\n"
    table = _table(tmp_path, text)
    assert weigh(_hit("https://example.org"), 2, table).score == 0.25
    assert weigh(_hit("https://nature.com"), 3, table).score == 0.8


def test_a_newsroom_counts_by_any_name_the_user_gave_it() -> None:
    table = load_table(newsrooms=["my_paper"])
    for name in ("newsroom", "my_paper"):
        assert base_of(_hit("https://example.org/a", name), table) == ("a curated newsroom", 0.75)
    assert base_of(_hit("https://example.org/a", "my_paper"))[1] == 0.5


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[base.mine]\nscore = 2\n", "base.mine.score = 2: "),
        ('[base.mine]\nsites = ["a.org"]\n', "base.mine.score: field required"),
        ("[base.mine]\nscore = 0.5\nsite = 1\n", "base.mine.site = 1: "),
        ('[base.mine]\nscore = 0.5\nsites = ["https://a.org"]\n', "base.mine.sites.0 = "),
        ('[base.mine]\nscore = 0.5\ndois = ["doi:10.1"]\n', "base.mine.dois.0 = "),
        ("base = 3\n", "base = 3: "),
        ("[base]\nnature = 3\n", "base.nature = 3: "),
        ("[citations]\nsteps = []\n", "citations.steps = []: "),
        ("[other]\na = 1\n", "other = {'a': 1}: "),
        ("[base\n", "not valid TOML"),
    ],
)
def test_an_error_names_the_file_and_the_key(tmp_path: Path, text: str, reported: str) -> None:
    with pytest.raises(SettingsError) as error:
        _table(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'credibility.toml'}: ")
    assert reported in str(error.value)
