from datetime import UTC, datetime

import pytest

from daemon.model.evidence import Document, Hit, SourceType
from daemon.research.voices import Voice

PAPER, WEB, LIBRARY = SourceType.PAPER, SourceType.WEB, SourceType.LIBRARY
RELEASE = " ".join(f"sentence{number} of the release says this and that" for number in range(30))


def _voice(
    url: str,
    text: str = "Short.",
    *,
    authors: tuple[str, ...] = (),
    doi: str = "",
    kind: SourceType = WEB,
) -> Voice:
    hit = Hit("x", kind, url, "A title", authors=authors, doi=doi)
    at = datetime(2026, 11, 21, tzinfo=UTC)
    return Voice(Document(url, f"url:{url}", hit, url, at, "sha", text, "text"))


def _echo(one: Voice, other: Voice) -> str:
    assert one.echoes(other) == other.echoes(one)
    return one.echoes(other)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("https://news.bbc.co.uk/1", "https://www.bbc.co.uk/2", "the same site"),
        ("https://www.bbc.co.uk/1", "https://www.notbbc.co.uk/2", ""),
        ("https://a.org/1", "https://b.org/2", ""),
        ("file:///a.md", "file:///b.md", ""),
    ],
)
def test_one_registrable_domain_is_one_voice(one: str, other: str, why: str) -> None:
    assert _echo(_voice(one), _voice(other)) == why


def test_a_text_that_was_republished_is_one_voice_and_so_is_one_that_is_mostly_taken_over() -> None:
    own = " ".join(f"our{number} own reporting adds this and more" for number in range(25))
    mostly = f"{RELEASE} {own}"
    barely = f"{RELEASE[:300]} {own}"
    origin = _voice("https://a.org/1", RELEASE)
    assert _echo(origin, _voice("https://b.org/2", RELEASE)) == "the same text"
    assert _echo(origin, _voice("https://c.org/3", mostly)) == "the same text"
    assert _echo(origin, _voice("https://d.org/4", barely)) == ""


def test_papers_of_one_host_are_two_voices_unless_their_authors_are_the_same() -> None:
    king = _voice("https://arxiv.org/abs/2101.00001", authors=("Ada King", "Bo Li"), kind=PAPER)
    hall = _voice("https://arxiv.org/abs/2101.00002", authors=("Cy Hall", "Di Wu"), kind=PAPER)
    again = _voice("https://doi.org/10.1000/1", authors=("Ed Ott", "King, A. B."), doi="10.1000/1")
    assert _echo(king, hall) == ""
    assert _echo(king, again) == "the same authors"
    nameless = _voice("https://arxiv.org/abs/2101.00003", kind=PAPER)
    assert _echo(king, nameless) == ""


def test_files_of_one_author_are_one_voice() -> None:
    one = _voice("file:///a.md", authors=("Ada King",), kind=LIBRARY)
    other = _voice("file:///b.md", authors=("King, Ada",), kind=LIBRARY)
    assert _echo(one, other) == "the same author"
    assert _echo(one, _voice("file:///c.md", authors=("Cy Hall",), kind=LIBRARY)) == ""
