from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.model.errors import SettingsError
from daemon.model.evidence import Document, Hit, SourceType
from daemon.research.credibility import Table, load_table, our_table
from daemon.research.farms import farm
from daemon.research.weigh import FARM, PREDATORY, weigh

PLAIN = "Bread goes stale because its starch turns to crystals again. " * 20


def _kind(url: str = "https://a.org/1", title: str = "Why bread goes stale", text: str = "") -> str:
    return farm(Hit("brave", SourceType.WEB, url, title), text, our_table())


@pytest.mark.parametrize(
    "url",
    ["https://www.coursehero.com/file/1", "https://www.studocu.com/x", "https://quizlet.com/1",
     "https://brainly.in/question/1", "https://www.examtopics.com/x", "https://ivypanda.com/essays/x",
     "https://stackoom.com/question/1", "https://www.ehow.com/x", "https://www.scribd.com/document/1"],
)  # fmt: skip
def test_a_site_of_the_list_is_a_farm(url: str) -> None:
    assert _kind(url)


@pytest.mark.parametrize(
    "title",
    [
        "Bread chemistry notes - Course Hero", "Chapter 3 quiz: starch and bread",
        "Answers to the bread and starch worksheet", "Food science midterm answer key",
        "CHEM 101 week 3 discussion", "Bread staling | Quizlet", "Test bank for Food Chemistry",
        "Food Safety exam questions and answers", "Free essay example: bread and society",
        "10 Best Bread Machines (2026)", "Top 10 bread boxes to buy", "Solved: stale bread",
        "Best bread machines of 2026: tested and ranked",
        "Bread Market Size, Share, Growth Forecast to 2030",
        "Bread recipe, bread machine, easy bread, best bread online",
        "Bread | Buns | Rolls | Cakes | Pies",
    ],
)  # fmt: skip
def test_a_title_in_the_shape_of_one_is_a_farm(title: str) -> None:
    assert _kind(title=title)


@pytest.mark.parametrize(
    "title",
    [
        "Why bread goes stale", "Ten questions about bread, answered", "The best bread in Paris",
        "10 best practices for storing bread in 2026", "Answering the question of stale bread",
        "Chapter 3: The chemistry of starch", "A test of bread quality in three bakeries",
        "Final results of the bread trial", "Bread and circuses: a history | The Bread Museum",
        "Exam stress and sleep in students", "Solving the bread equation", "HTTP 429 and lab tests",
        "Quiz shows and memory: a study", "Market prices of bread in 1795",
        "Free essays in criticism: Montaigne and bread", "COVID-19 week by week",
    ],
)  # fmt: skip
def test_an_honest_title_is_none(title: str) -> None:
    assert _kind(title=title, text=PLAIN) == ""


@pytest.mark.parametrize(
    "text",
    [
        f"{PLAIN} As an AI language model, I cannot taste bread. {PLAIN}",
        f"Certainly! Here is an article about bread. {PLAIN}",
        f"As an Amazon Associate I earn from qualifying purchases. {PLAIN}",
        " ".join(f"[bread {number}](https://shop.example/{number})" for number in range(40)),
    ],
)
def test_a_text_in_the_shape_of_one_is_a_farm(text: str) -> None:
    assert _kind(text=text)
    assert _kind(text="Models say “as an AI language model, I cannot”, writes Ott. " + PLAIN) == ""


def test_a_host_that_only_looks_like_one_of_the_list_is_none() -> None:
    assert _kind("https://notquizlet.com/1") == ""
    assert _kind("https://quizlet.com.example.org/1") == ""


def test_a_farm_is_worth_less_than_all_but_a_retracted_paper_and_says_why() -> None:
    hit = Hit("brave", SourceType.WEB, "https://www.coursehero.com/file/1", "Bread", citations=900)
    found = weigh(hit, 7)
    assert found.score == FARM < PREDATORY
    assert found.factors == (
        ("a document farm: files that users uploaded, behind a paywall", FARM),
    )
    document = Document(
        "1", "k", replace(hit, url="https://a.org/1"), "https://a.org/1",
        datetime(2026, 11, 21, tzinfo=UTC), "s", f"As an AI model, I can bake. {PLAIN}", "x",
    )  # fmt: skip
    assert weigh(document, 2).factors[0][0] == "a page that a machine wrote"


def test_what_an_index_knows_is_none() -> None:
    paper = Hit("openalex", SourceType.PAPER, "https://doi.org/10.1000/1", "Answers to the crisis")
    assert farm(paper, "", our_table()) == ""


def test_the_user_adds_to_the_list_and_removes_from_it(tmp_path: Path) -> None:
    path = tmp_path / "credibility.toml"
    path.write_text(
        '[farms.mine]\nsites = ["mill.example.org"]\ntitles = ["^Made for you"]\n'
        "[farms.documents]\nsites = []\n",
        encoding="utf-8",
    )
    table = load_table(path)
    mill = Hit("brave", SourceType.WEB, "https://mill.example.org/1", "Bread")
    assert farm(mill, "", table) == "mine"
    assert (
        farm(replace(mill, url="https://b.org", title="Made for you: bread"), "", table) == "mine"
    )
    assert farm(replace(mill, url="https://www.scribd.com/1"), "", table) == ""
    path.write_text('[farms.mine]\ntitles = ["("]\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="not a regular expression"):
        load_table(path)


def test_a_table_that_an_older_run_kept_has_no_farms() -> None:
    kept = our_table().model_dump(mode="json", exclude={"farms"})
    table = Table.model_validate(kept)
    assert farm(Hit("x", SourceType.WEB, "https://quizlet.com/1", "Bread"), "", table) == ""
