"""DuckDuckGo: there is no recording; the bodies have the shape of its instant answers."""

from daemon.adapters.sources import load_registry
from daemon.model.evidence import SourceStatus
from tests.fakes.api import ask, hits_of, serving

TOPIC = {"FirstURL": "https://duckduckgo.com/Tide", "Text": "Tide - The rise of the sea."}
BODY = {
    "Heading": "Tide",
    "AbstractText": "Tides turn.",
    "AbstractURL": "https://en.wikipedia.org/wiki/Tide",
    "Results": [],
    "RelatedTopics": [{"Name": "See also", "Topics": [TOPIC]}, {"Text": "no address"}],
}


def test_the_answer_comes_first_and_what_is_related_after_it() -> None:
    first, second = hits_of("duckduckgo", BODY, "/")
    assert (first.title, first.snippet) == ("Tide", "Tides turn.")
    assert (second.title, second.url) == ("Tide", TOPIC["FirstURL"])


def test_it_is_off_by_default_and_may_know_nothing() -> None:
    assert load_registry()["duckduckgo"].opt_in
    nothing = {"AbstractURL": "", "Results": [], "RelatedTopics": []}
    assert ask("duckduckgo", serving(nothing, "/")).status is SourceStatus.EMPTY
