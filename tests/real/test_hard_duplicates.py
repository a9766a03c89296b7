"""Hard cases made of labelled records: what databases do to one work, and works that look like one.

Rules and cases were written while both sets were looked at: neither is an unseen check. The short
form changes every third record, and LACUNA_LONG_TESTS=1 each.
"""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from rapidfuzz import fuzz

from daemon.model.evidence import Hit
from daemon.research.dedup import is_same, offers
from tests.real.test_labelled_duplicates import DATA, SETS, _document, _read

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the labelled records are not here")
Change = Callable[[Hit], Hit]
STEP = 1 if os.environ.get("LACUNA_LONG_TESTS") == "1" else 3
OTHER_TITLE = "Über Zink und Selen in Schulen"
OTHER_WORDS = " ".join(
    f"ward {number} counted its colonies in week {number}" for number in range(40)
)


def _given_first(name: str) -> str:
    family, _, given = name.partition(", ")
    return f"{given} {family}" if given else name


def _initials_last(name: str) -> str:
    family, _, given = name.partition(", ")
    return f"{family} {''.join(re.findall('[A-Z]', given))}" if given else name


def _year(hit: Hit, by: int) -> Hit:
    return replace(hit, published=str(int(hit.published[:4]) + by)) if hit.published else hit


def _doi(hit: Hit) -> str:
    return hit.doi or "10.1000/given"


SAME: dict[str, Change] = {
    "given name first": lambda hit: replace(hit, authors=tuple(map(_given_first, hit.authors))),
    "initials last": lambda hit: replace(hit, authors=tuple(map(_initials_last, hit.authors))),
    "three authors": lambda hit: replace(hit, authors=(*hit.authors[:3], "et al.")),
    "online a year before": lambda hit: replace(_year(hit, -1), doi=""),
    "no identifier": lambda hit: replace(hit, doi=""),
    "no abstract": lambda hit: replace(hit, snippet="", doi=""),
    "abstract cut": lambda hit: replace(hit, snippet=hit.snippet[: len(hit.snippet) // 2], doi=""),
    "no authors": lambda hit: replace(hit, authors=(), doi=""),
    "upper case": lambda hit: replace(hit, title=f"{hit.title.upper()}.", doi=""),
    "markup": lambda hit: replace(hit, title=f"<b>{hit.title}</b>", doi=""),
    "no subtitle, one DOI": lambda hit: replace(hit, title=hit.title.partition(":")[0]),
    "cut title, one DOI": lambda hit: replace(hit, title=hit.title[: len(hit.title) // 2]),
    "in brackets, one DOI": lambda hit: replace(hit, title=f"[{OTHER_TITLE}]"),
}
OTHER: dict[str, Change] = {
    "part II": lambda hit: replace(hit, title=f"{hit.title}: Part II"),
    "correction": lambda hit: replace(hit, title=f"Correction to: {hit.title}"),
    "reply": lambda hit: replace(hit, title=f"{hit.title}: authors' reply"),
    "interim report": lambda hit: replace(hit, title=f"{hit.title}: an interim report"),
    "meeting abstract": lambda hit: replace(hit, title=f"{hit.title} [abstract]"),
    "data": lambda hit: replace(hit, title=f"Data from: {hit.title}"),
    "supplement": lambda hit: replace(hit, title=f"Supplementary material for: {hit.title}"),
    "summary": lambda hit: replace(hit, title=f"Plain language summary: {hit.title}"),
    "book review": lambda hit: replace(hit, title=f"{hit.title} (book review)"),
    "later analysis": lambda hit: replace(hit, title=f"{hit.title}: a post hoc analysis"),
    "narrower": lambda hit: replace(hit, title=f"{hit.title} in children"),
    "other words": lambda hit: replace(hit, snippet=OTHER_WORDS),
    "other people": lambda hit: replace(hit, authors=("Nobody, N.", "Nemo, M.")),
    "four years later": lambda hit: _year(hit, 4),
    "other DOI": lambda hit: replace(hit, doi="10.1000/other"),
}
ONE_DOI = ("part II", "correction", "reply")


@cache
def _bases(name: str) -> tuple[Hit, ...]:
    """Return the records that are labelled unique and whose title says something, untranslated."""
    hits, labels = _read(name)
    return tuple(
        hit
        for hit, is_duplicate in zip(hits, labels, strict=True)
        if not is_duplicate
        and len(hit.title) > 50
        and not hit.title.startswith(("[", "Correction", "Corrigendum", "Erratum"))
        and hit.authors
        and hit.published
    )


def _share(pairs: list[tuple[Hit, Hit]]) -> tuple[float, float]:
    """Return the share of pairs that are one as documents, and as offers of two sources."""
    moved = [(one, replace(other, url=f"{one.url}/other")) for one, other in pairs]
    documents = sum(is_same(_document(one), _document(other)) for one, other in moved)
    offered = sum(len(offers([[one], [other]])) == 1 for one, other in moved)
    return documents / len(pairs), offered / len(pairs)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("change", SAME)
def test_variants_of_a_record_in_databases_are_one_work(name: str, change: str) -> None:
    bases = [
        replace(hit, doi=_doi(hit)) if "one DOI" in change else hit for hit in _bases(name)[::STEP]
    ]
    assert min(_share([(hit, SAME[change](hit)) for hit in bases])) >= 0.97


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("change", OTHER)
def test_similar_works_stay_separate(name: str, change: str) -> None:
    bases = list(_bases(name)[::STEP])
    if change == "other words":
        bases = [hit for hit in bases if 800 < len(hit.snippet) < 2500]
    else:
        bases = [replace(hit, snippet="") for hit in bases]
    bases = [replace(hit, doi="10.1000/one" if change == "other DOI" else "") for hit in bases]
    assert max(_share([(hit, OTHER[change](hit)) for hit in bases])) <= 0.005


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("change", ONE_DOI)
def test_similar_works_under_one_doi_stay_separate(name: str, change: str) -> None:
    bases = [replace(hit, doi=_doi(hit), snippet="") for hit in _bases(name)[::STEP]]
    assert max(_share([(hit, OTHER[change](hit)) for hit in bases])) <= 0.005


@pytest.mark.parametrize("with_abstracts", [True, False])
@pytest.mark.parametrize("of_one_group", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_twenty_abstracts_of_a_supplement_are_twenty_works(
    name: str, of_one_group: bool, with_abstracts: bool
) -> None:
    bases: list[Hit] = []
    for hit in _bases(name):
        is_reported = all(
            fuzz.token_set_ratio(hit.title.lower(), other.title.lower()) < 85 for other in bases
        )
        if is_reported:
            bases.append(hit)
    joined = total = 0
    for at in range(0, len(bases) - 1, 20):
        supplement = [
            replace(
                hit,
                doi="10.1000/supplement",
                published="2015",
                authors=bases[at].authors if of_one_group else hit.authors,
                snippet=hit.snippet if with_abstracts else "",
            )
            for hit in bases[at : at + 20]
        ]
        found = offers([supplement])
        joined += sum(len(offer.keys) > 2 for offer in found)
        total += len(supplement)
    # Two records of `copper` have one abstract under two titles, by a mistake of their database.
    assert joined <= 0.01 * total, f"{joined} of {total}"
