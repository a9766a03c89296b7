"""Few sources for a task, good for its topic, and always the same ones."""

from dataclasses import replace

from daemon.agenda.choose_sources import choose
from daemon.model.agenda import Depth
from daemon.model.evidence import SourceType
from daemon.model.sources import Domain, Profile

LIBRARY = Profile("library", SourceType.LIBRARY, 1, ("anything you saved",))
ARXIV = Profile("arxiv", SourceType.PREPRINT, 1, ("physics", "computer science"))
OPENALEX = Profile("openalex", SourceType.PAPER, 2, ("science", "engineering"))
CROSSREF = Profile("crossref", SourceType.PAPER, 2, ("history", "law"))
PUBMED = Profile("pubmed", SourceType.PAPER, 2, ("medicine", "sleep"))
WIKIPEDIA = Profile("wikipedia", SourceType.WEB, 1, ("history", "places"))
BRAVE = Profile("brave", SourceType.WEB, 0, ("news", "anything on the web"))
GITHUB = Profile("github", SourceType.WEB, 1, ("software", "python", "libraries"))
ALL = (ARXIV, OPENALEX, CROSSREF, PUBMED, WIKIPEDIA, BRAVE, GITHUB, LIBRARY)


def standard(*topic: str, sources: tuple[Profile, ...] = ALL) -> tuple[str, ...]:
    return choose(sources, topic, Depth.STANDARD, 0)


def test_a_standard_task_asks_the_library_two_of_papers_and_one_of_the_web() -> None:
    assert standard("tides") == ("library", "openalex", "crossref", "brave")


def test_a_topic_that_a_source_names_puts_it_first() -> None:
    assert standard("Sleep and memory") == ("library", "pubmed", "openalex", "brave")
    assert standard("Rust", "computer") == ("library", "arxiv", "openalex", "brave")
    assert standard("A Python library") == ("library", "openalex", "crossref", "github")
    assert standard("the History of Law")[1:] == ("crossref", "openalex", "wikipedia")


def test_of_equals_the_one_with_more_authority_comes_first_then_the_registrys_order() -> None:
    weaker = replace(CROSSREF, name="weaker", authority=0)
    assert standard("tides", sources=(weaker, ARXIV, OPENALEX)) == ("openalex", "arxiv")
    assert standard("tides", sources=(CROSSREF, OPENALEX)) == ("crossref", "openalex")


def test_what_there_is_is_asked_when_there_is_little() -> None:
    assert standard("tides", sources=(LIBRARY,)) == ("library",)
    assert standard("tides", sources=()) == ()


def test_a_quick_task_asks_one_beside_the_library_by_turns() -> None:
    asked = [choose(ALL, ("tides",), Depth.QUICK, index) for index in range(4)]
    assert [names[1:] for names in asked] == [
        ("openalex",),
        ("crossref",),
        ("brave",),
        ("openalex",),
    ]
    assert {names[0] for names in asked} == {"library"}


def test_a_deep_task_asks_more_of_each() -> None:
    assert choose(ALL, ("tides",), Depth.DEEP, 0) == (
        *("library", "openalex", "crossref", "pubmed", "arxiv"),
        *("brave", "wikipedia", "github"),
    )


def test_a_source_that_is_always_asked_comes_with_the_library() -> None:
    chosen = choose(
        [
            Profile("ours", SourceType.PAPER, 0, (), is_always_asked=True),
            Profile("library", SourceType.LIBRARY, 1, ()),
            *(Profile(f"paper {n}", SourceType.PAPER, 2, ("tides",)) for n in range(3)),
        ],
        ["tides"],
        Depth.STANDARD,
        0,
    )
    assert chosen == ("ours", "library", "paper 0", "paper 1")


TRIALS = Profile("trials", SourceType.WEB, 2, ("clinical trials",), domains=(Domain.MEDICAL,))


def test_a_source_for_the_topics_domain_comes_forward() -> None:
    assert standard("statin dosage", sources=(BRAVE, WIKIPEDIA, TRIALS)) == ("trials",)
    medical = replace(PUBMED, good_for=(), domains=(Domain.MEDICAL,))
    assert standard("statin dosage", sources=(OPENALEX, CROSSREF, medical))[0] == "pubmed"


def test_a_source_for_another_domain_comes_after_those_for_none() -> None:
    assert standard("harbour walls", sources=(TRIALS, WIKIPEDIA)) == ("wikipedia",)
    deep = choose((TRIALS, WIKIPEDIA, BRAVE), ("harbour walls",), Depth.DEEP, 0)
    assert deep == ("brave", "wikipedia", "trials")
