"""`lacuna eval`, with the embedder that knows shared words only."""

from pathlib import Path

from tests.fakes.cli import Cli


def test_eval_reports_how_many_hidden_links_are_found_again(lacuna: Cli, vault: Path) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    told = lacuna("eval", "--share", "0.5", "--seed", "3", "--vault", str(vault), "--json").json
    assert (told["share"], told["seed"], told["nearest"]) == (0.5, 3, 10)
    assert list(told["results"]) == ["meaning", "words", "text", "both"]
    assert len(told["hidden"]) == round(told["links"] / 2) > 0
    for result in told["results"].values():
        assert 0 <= result["mrr"] <= result["recall@10"] <= 1
    assert told["hidden"][0]["ranks"].keys() == told["results"].keys()
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
