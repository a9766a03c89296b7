"""What a finding says of the rest of the evidence, from the answers of sources to its note."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.findings.render import finding_text
from daemon.model.evidence import Hit, SourceType
from daemon.model.finding import Confidence, Finding
from daemon.research.credibility import load_table
from daemon.research.pipeline import RunResult
from daemon.research.recall import Recall
from daemon.research.replay import replay
from daemon.store.evidence import RunFolder
from daemon.store.memory import RunMemory
from tests.fakes.run_parts import (
    BREAD_QUERY,
    RUN,
    Pages,
    Surroundings,
    Vault,
    a_hit,
    a_task,
    an_agenda,
)
from tests.fakes.source import FakeSource
from vault_adapters.wikilink import Linker

TASK = a_task("staling of bread", BREAD_QUERY)
SAID = "Stale bread from a refrigerator is caused by the cold."
AGREED = "The cold of a refrigerator is what causes the stale bread."
DENIED = "Stale bread from a refrigerator is not caused by the cold."


def _page(number: int, said: str) -> str:
    return f"{said}\nPage {number}, by hand.\n"


def _around(*pages: tuple[str, str], notes: dict[str, str] | None = None) -> Surroundings:
    """Offer pages, each given by its address and what it says beside words of its own."""
    hits = [
        replace(a_hit("x"), url=url, title=f"Title of page {number} on {url[8:14]}")
        for number, (url, _) in enumerate(pages)
    ]
    texts = {
        url.rpartition("/")[2]: _page(number, said) for number, (url, said) in enumerate(pages)
    }
    around = Surroundings({"one": FakeSource("one", hits)}, Pages(texts))
    if notes is not None:
        around.vault = Vault(notes)
    return around


def _run(around: Surroundings, folder: Path) -> RunResult:
    result = asyncio.run(around.run(an_agenda(TASK), folder / RUN))
    assert result.quotes_checked == result.quotes_total > 0
    assert replay(RunFolder(folder / RUN)) == result
    return result


def _finding(result: RunResult, url: str) -> Finding:
    return next(one for one in result.findings if one.document.hit.url == url)


def _text(finding: Finding) -> str:
    return finding_text(finding, link=Linker(["Bread.md", "Bees.md"]))


def test_pages_that_say_so_in_their_own_words_are_counted_and_quoted(tmp_path: Path) -> None:
    around = _around(
        ("https://a.org/1", SAID), ("https://b.org/2", AGREED), ("https://c.org/3", SAID)
    )
    finding = _finding(_run(around, tmp_path), "https://a.org/1")
    assert {said.passage.text for said in finding.agreement.voices} == {SAID, AGREED}
    assert finding.agreement.sources == 3
    assert ("3 independent sources agree", 1.0) in finding.credibility.factors
    assert finding.confidence is Confidence.MEDIUM
    text = _text(finding)
    assert (
        "**Confidence medium**: 3 of 3 independent sources here say so, of mean credibility 0.50."
        in text
    )
    assert f"(https://b.org/2): “{AGREED}”" in text


def test_pages_of_one_site_are_one_voice_and_shown_as_an_echo(tmp_path: Path) -> None:
    around = _around(
        ("https://a.org/1", SAID), ("https://www.a.org/2", AGREED), ("https://b.org/3", SAID)
    )
    finding = _finding(_run(around, tmp_path), "https://a.org/1")
    assert [said.hit.url for said in finding.agreement.voices] == ["https://b.org/3"]
    assert [(said.hit.url, said.because) for said in finding.agreement.echoes] == [
        ("https://www.a.org/2", "the same site")
    ]
    assert finding.agreement.sources == 2
    assert ("2 independent sources agree", 1.0) in finding.credibility.factors
    assert "only repeated, and not counted: [Title of page 1" in _text(finding)


def test_a_text_that_was_republished_is_an_echo_and_adds_nothing(tmp_path: Path) -> None:
    long = "\n".join(
        f"Sentence {number} of the release tells of loaf {number} and of oven {number}."
        for number in range(12)
    )
    around = _around(("https://a.org/1", SAID), ("https://b.org/2", SAID))
    release = f"{SAID}\n{long}\n"
    around.pages = Pages({"1": release, "2": f"{release}Shared by us with all of our readers.\n"})
    result = _run(around, tmp_path)
    assert len(result.findings) == 1
    agreement = result.findings[0].agreement
    assert agreement.voices == ()
    assert [(said.hit.url, said.because) for said in agreement.echoes] == [
        ("https://b.org/2", "the same text")
    ]
    assert ("no other source agrees", 0.9) in result.findings[0].credibility.factors
    assert result.findings[0].confidence is Confidence.LOW


def test_both_sides_of_a_disagreement_are_shown_and_neither_supports_the_other(
    tmp_path: Path,
) -> None:
    around = _around(("https://a.org/1", SAID), ("https://b.org/2", DENIED))
    result = _run(around, tmp_path)
    for url, own, other in (
        ("https://a.org/1", SAID, DENIED),
        ("https://b.org/2", DENIED, SAID),
    ):
        finding = _finding(result, url)
        assert finding.agreement.voices == ()
        assert [
            (dispute.quote.text, dispute.other.text) for dispute in finding.agreement.disputes
        ] == [(own, other)]
        text = _text(finding)
        assert "**Confidence low**: 1 of 2 independent sources here says so." in text
        assert f"**Contradicted:** not all say so.\n\n- here: “{own}”\n- [" in text
        assert f": “{other}”" in text
    record = (tmp_path / RUN / "research.md").read_text()
    assert "Independent sources: 2, of which say so: 1." in record
    assert f"- contradicts [0:{len(SAID)}]: <https://b.org/2> " in record


def test_files_of_the_library_are_counted_once_each(tmp_path: Path) -> None:
    around = _around(("file:///lib/1", SAID), ("file:///lib/2", AGREED), ("file:///lib/3", DENIED))
    finding = _finding(_run(around, tmp_path), "file:///lib/1")
    assert [said.hit.url for said in finding.agreement.voices] == ["file:///lib/2"]
    assert [str(each.hit and each.hit.url) for each in finding.agreement.disputes] == [
        "file:///lib/3"
    ]
    assert finding.agreement.sources == 3
    assert "2 of 3 independent sources here say so" in _text(finding)


def test_who_denies_a_quote_supports_none(tmp_path: Path) -> None:
    more = "Rye bread stays soft in the refrigerator for the longest time of all bread."
    again = "In the refrigerator rye bread stays soft for the longest time of all bread."
    around = _around(
        ("https://a.org/1", f"{SAID}\n{more}"), ("https://b.org/2", f"{DENIED}\n{again}")
    )
    finding = _finding(_run(around, tmp_path), "https://a.org/1")
    assert [quote.text for quote in finding.quotes] == [SAID, more]
    assert [dispute.other.text for dispute in finding.agreement.disputes] == [DENIED]
    assert finding.agreement.voices == ()


def test_a_note_of_the_users_that_says_the_opposite_is_quoted_beside_it(tmp_path: Path) -> None:
    notes = {"Bread.md": f"What I know.\n\n{DENIED} So says the book.", "Bees.md": "Varroa."}
    finding = _finding(
        _run(_around(("https://a.org/1", SAID), notes=notes), tmp_path), "https://a.org/1"
    )
    (dispute,) = finding.agreement.disputes
    assert (dispute.note, dispute.other.text) == ("Bread.md", DENIED)
    assert notes["Bread.md"][dispute.other.start : dispute.other.end] == DENIED
    assert f"- here: “{SAID}”\n- your note [[Bread]]: “{DENIED}”" in _text(finding)


def test_a_retracted_paper_is_worth_nothing_and_supports_nobody(tmp_path: Path) -> None:
    around = _around(("https://a.org/1", SAID), ("https://doi.org/10.1038/2", AGREED))
    around.retracted = {"10.1038/2": "Retraction Watch (2020-01-02)"}
    result = _run(around, tmp_path)
    taken_back = _finding(result, "https://doi.org/10.1038/2")
    assert taken_back.credibility.score == 0.0
    assert "**Careful:** retracted, says Retraction Watch (2020-01-02)." in _text(taken_back)
    assert "**Credibility 0.00** = 0.00 (retracted, says Retraction Watch" in _text(taken_back)
    finding = _finding(result, "https://a.org/1")
    assert finding.agreement.voices == ()
    assert finding.agreement.sources == 1


def test_that_its_own_source_calls_it_retracted_is_enough(tmp_path: Path) -> None:
    around = _around(("https://a.org/1", SAID))
    hit = replace(a_hit("1"), url="https://a.org/1", retracted=True)
    around.sources = {"one": FakeSource("one", [hit])}
    finding = _run(around, tmp_path).findings[0]
    assert finding.credibility.factors == (("retracted, says its source", 0.0),)
    assert finding.confidence is Confidence.LOW


def test_three_trusted_voices_make_high_confidence(tmp_path: Path) -> None:
    around = _around(
        ("https://a.gov/1", SAID), ("https://b.gov/2", AGREED), ("https://who.int/3", SAID)
    )
    finding = _finding(_run(around, tmp_path), "https://a.gov/1")
    assert finding.agreement.mean_credibility == pytest.approx((0.85 + 0.85 + 0.8) / 3, abs=1e-4)
    assert finding.confidence is Confidence.HIGH


def test_what_a_note_cites_already_is_left_out_and_the_note_named(tmp_path: Path) -> None:
    around = _around(("https://a.org/1?utm_source=x", SAID), ("https://b.org/2", AGREED))
    around.pages = Pages({"1?utm_source=x": _page(0, SAID), "2": _page(1, AGREED)})
    around.cited = {"url:a.org/1": "Bread.md"}
    result = _run(around, tmp_path)
    assert [finding.document.hit.url for finding in result.findings] == ["https://b.org/2"]
    assert [(skip.why, skip.note) for skip in result.skips] == [
        ("already cited in your notes", "Bread.md")
    ]


def test_the_vault_is_looked_through_once_for_what_it_cites(tmp_path: Path) -> None:
    looks: list[int] = []

    def look() -> dict[str, str]:
        looks.append(1)
        return {"doi:10.1000/b": "Bread.md"}

    recall = Recall(RunMemory(tmp_path), cited=look)
    assert [recall.cited([f"doi:10.1000/{name}", "sha256:0"]) for name in "abc"] == [
        "", "Bread.md", "",
    ]  # fmt: skip
    assert len(looks) == 1


def test_the_users_table_is_kept_with_the_run_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "credibility.toml"
    path.write_text('[base.mine]\nscore = 0.9\nsites = ["a.org"]\n')
    around = _around(("https://a.org/1", SAID))
    around.table = load_table(path)
    path.unlink()
    assert _run(around, tmp_path).findings[0].credibility.factors[0] == ("mine", 0.9)


def test_what_pubmed_found_too_is_weighed_as_indexed_there(tmp_path: Path) -> None:
    around = _around(("https://doi.org/10.9999/1", SAID))
    pubmed = Hit("two", SourceType.PAPER, "https://pubmed.ncbi.nlm.nih.gov/5", "T", doi="10.9999/1")
    around.sources = {**around.sources, "two": FakeSource("two", [pubmed])}
    table = load_table()
    base = table.base["pubmed"].model_copy(update={"sources": ("two",)})
    around.table = table.model_copy(update={"base": {**table.base, "pubmed": base}})
    finding = _run(around, tmp_path).findings[0]
    assert finding.document.also_from == ("two",)
    assert finding.credibility.factors[0] == ("indexed in PubMed", 0.7)
