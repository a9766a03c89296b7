"""A task of a note about a work is not offered that work."""

from dataclasses import replace

from daemon.model.evidence import Hit, SourceType
from daemon.research.dedup import Offer
from daemon.research.subject_works import WHY, subjects_among, without_subjects
from tests.fakes.values import a_task

TITLE = "Do graphic warning labels work?"


def an_offer(title: str, url: str = "https://example.org/x", doi: str = "") -> Offer:
    return Offer(Hit("arxiv", SourceType.PAPER, url, title, doi=doi), title, ())


def test_the_work_is_known_by_its_title_its_doi_or_its_address() -> None:
    task = replace(a_task(), excluded=("10.1234/X.5", "https://www.example.org/a/", TITLE))
    same = [
        an_offer("do graphic warning labels work"),
        an_offer("Another title", doi="10.1234/x.5"),
        an_offer("A third", "https://doi.org/10.1234/x.5"),
        an_offer("A fourth", "http://example.org/a"),
    ]
    other = an_offer("Graphic warning labels, five years on")
    assert without_subjects([*same, other], task) == [other]
    assert {skip.why for skip in subjects_among([*same, other], task)} == {WHY}
    assert len(subjects_among([*same, other], task)) == 4


def test_a_task_that_excludes_nothing_is_offered_everything() -> None:
    offers = [an_offer("", ""), an_offer(TITLE)]
    assert without_subjects(offers, a_task()) == offers
