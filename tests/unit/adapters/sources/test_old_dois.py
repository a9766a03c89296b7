"""DOIs from before 2002 hold "<", ">" and ";": they come through every step as they are."""

from dataclasses import replace
from urllib.parse import unquote

import pytest

from daemon.adapters.sources.record import doi_of as doi_in_field
from daemon.adapters.sources.record import doi_page, doi_path
from daemon.findings.safe_links import safe_url
from daemon.research.cited import cited_in
from daemon.research.dedup import offers
from daemon.research.identity import canonical_url, doi_of, keys_of
from daemon.store.evidence_json import hit_from_json, hit_to_json
from tests.fakes.api import hits_of

OLD = (
    "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
    "10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2",
    "10.1130/0091-7613(1990)018<0123:TOTE>2.3.CO;2",
    "10.1890/0012-9658(1997)078[0001:ATOB]2.0.CO;2",
    "10.1002/1521-3951(200101)223:1<S1::AID-PSSB1>3.0.CO;2-A",
)


@pytest.mark.parametrize("doi", OLD)
def test_every_form_of_it_is_the_same_doi(doi: str) -> None:
    known = doi.lower()
    encoded = doi_page(doi)
    assert not set("<>") & set(encoded)
    forms = (
        doi, f"doi:{doi}", f"https://doi.org/{doi}", encoded, f"See {doi}, which says so.",
        doi.replace("<", "&lt;").replace(">", "&gt;"),
    )  # fmt: skip
    assert {doi_of(form) for form in forms} == {known}
    assert doi_in_field(doi) == known
    assert doi_in_field(doi.replace("<", "&lt;").replace(">", "&gt;")) == known
    assert canonical_url(encoded) == f"doi.org/{known}"
    assert unquote(doi_path(doi)) == doi
    assert ";" not in doi_path(doi)


def _works(doi: str) -> dict[str, object]:
    return {"message": {"items": [{"DOI": doi, "title": ["Tides"], "type": "journal-article"}]}}


@pytest.mark.parametrize("doi", OLD)
def test_it_comes_through_crossref_the_store_and_the_note(doi: str) -> None:
    (hit,) = hits_of("crossref", _works(doi), "/works")
    assert hit.doi == doi.lower()
    assert keys_of(hit) == (f"doi:{doi.lower()}", f"url:doi.org/{doi.lower()}")
    assert hit_from_json(hit_to_json(hit)) == hit
    assert doi_of(safe_url(hit.url) or "") == doi.lower()
    raw = replace(hit, source="other", url=f"https://doi.org/{doi}")
    assert [offer.ref for offer in offers([[hit], [raw]])] == [f"doi:{doi.lower()}"]
    note = f"As [they]({hit.url}) and doi:{doi} say."
    assert f"doi:{doi.lower()}" in cited_in([("a.md", note)])
