"""Web searches that need a key: their requests, and their results."""

import pytest

from daemon.model.errors import SourceError
from daemon.model.evidence import SourceStatus, SourceType
from tests.fakes.api import ask, hits_of, serving

RESULT = {
    "url": "https://example.com/tides",
    "title": "<b>Tides</b> &amp; moons",
    "published_date": "2024-05-06T07:08:09Z",
    "publishedDate": "2024-05-06T07:08:09.000Z",
    "publishedTime": "2024-05-06",
    "date": "2024-05-06",
    "content": "Tides turn.",
    "snippet": "Tides turn.",
    "description": "Tides turn.",
    "text": "Tides turn.",
}
SENT = {
    "tavily": ("/search", {"Authorization": "Bearer key-1"}, "results"),
    "exa": ("/search", {"x-api-key": "key-1"}, "results"),
    "perplexity": ("/search", {"Authorization": "Bearer key-1"}, "results"),
    "jina": ("/", {"Authorization": "Bearer key-1"}, "data"),
}


@pytest.mark.parametrize("kind", SENT)
def test_a_result_comes_out_as_plain_text_with_its_date(kind: str) -> None:
    path, _, key = SENT[kind]
    junk = [None, {}, {"url": "javascript:x"}, {"url": None}]
    (hit,) = hits_of(kind, {key: [*junk, RESULT]}, path)
    assert (hit.url, hit.title) == ("https://example.com/tides", "Tides & moons")
    assert (hit.snippet, hit.published) == ("Tides turn.", "2024-05-06")
    assert hit.source_type is SourceType.WEB


@pytest.mark.parametrize("kind", SENT)
def test_the_key_goes_in_a_header_and_never_in_the_question(kind: str) -> None:
    path, headers, key = SENT[kind]
    fetcher = serving({key: []}, path)
    assert ask(kind, fetcher).status is SourceStatus.EMPTY
    ((_, body, sent),) = fetcher.sent or [
        (url, dict(params), head) for url, params, head in fetcher.asked
    ]
    assert headers.items() <= sent.items()
    assert "key-1" not in str(body)
    assert "harbour tides" in body.values()


@pytest.mark.parametrize("kind", SENT)
def test_the_source_is_not_created_without_its_key(kind: str) -> None:
    with pytest.raises(SourceError, match=f"no key: lacuna secrets set {kind}"):
        hits_of(kind, {}, "/", key="")


def test_a_model_of_perplexity_is_asked_for_its_pages_and_not_for_its_prose() -> None:
    body = {"choices": [{"message": {"content": "Prose."}}], "search_results": [RESULT]}
    fetcher = serving(body, "/chat/completions")
    answer = ask("perplexity", fetcher, models=("sonar", "sonar-pro"))
    ((_, sent, _),) = fetcher.sent
    assert sent["model"] == "sonar"
    assert "harbour tides" in str(sent["messages"])
    (hit,) = answer.hits
    assert (hit.url, hit.snippet) == ("https://example.com/tides", "Tides turn.")
    assert "Prose" not in str(answer)


def test_tavily_writes_no_answer_and_is_asked_for_news_where_they_are_wanted() -> None:
    fetcher = serving({"results": []}, "/search")
    ask("tavily", fetcher, "word " * 200, limit=50)
    ask("tavily", fetcher, source_type=SourceType.NEWS)
    first, second = (body for _, body, _ in fetcher.sent)
    assert (first["include_answer"], first["max_results"]) == (False, 20)
    assert len(str(first["query"])) <= 400
    assert (first["topic"], second["topic"]) == ("general", "news")


def test_exa_gives_passages_before_text_and_names_an_author() -> None:
    more = {"highlights": ["One.", "Two."], "author": "Ada Marsh"}
    (hit,) = hits_of("exa", {"results": [{**RESULT, **more}]}, "/search")
    assert (hit.snippet, hit.authors) == ("One.\nTwo.", ("Ada Marsh",))


def test_an_error_of_jinas_own_is_unavailable() -> None:
    body = {"code": 402, "status": 40203, "message": "Insufficient balance", "data": None}
    answer = ask("jina", serving(body, "/"))
    assert (answer.status, "Insufficient balance" in answer.why) == (
        SourceStatus.UNAVAILABLE,
        True,
    )
