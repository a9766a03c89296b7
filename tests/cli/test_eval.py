"""`lacuna eval`, with the embedder that knows shared words only."""

from pathlib import Path

from tests.fakes.cli import Cli


def test_eval_reports_how_many_hidden_links_are_found_again(lacuna: Cli, vault: Path) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    reported = lacuna("eval", "--share", "0.5", "--seed", "3", "--vault", str(vault), "--json").json
    assert (reported["share"], reported["seed"], reported["nearest"]) == (0.5, 3, 10)
    assert list(reported["results"]) == ["meaning", "words", "text", "both"]
    assert len(reported["hidden"]) == round(reported["links"] / 2) > 0
    for result in reported["results"].values():
        assert 0 <= result["mrr"] <= result["recall@10"] <= 1
    assert reported["hidden"][0]["ranks"].keys() == reported["results"].keys()
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before


def test_people_see_a_small_table(lacuna: Cli, vault: Path) -> None:
    done = lacuna("eval", "--limit", "1", "--vault", str(vault))
    assert done.code == 0, done.err
    assert "1 hidden" in done.out
    assert "recall@10" in done.out
    assert "meaning alone" in done.out


def test_a_share_must_be_above_zero_and_at_most_one(lacuna: Cli, vault: Path) -> None:
    for share in ("0", "1.5", "-1"):
        assert lacuna("eval", "--share", share, "--vault", str(vault)).code == 2
