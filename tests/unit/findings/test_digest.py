"""What a digest tells of a run."""

from dataclasses import replace

import frontmatter
import pytest
from markdown_it import MarkdownIt

from daemon.findings.digest import Cost, Digest, digest_text
from daemon.model.agenda import Choice
from daemon.model.evidence import Answer, SourceStatus
from daemon.model.finding import Skip
from tests.fakes.values import INBOX, NOW, a_hit, a_record, a_task, an_agenda
from vault_adapters.wikilink import Linker

ONE = a_task(id="11111111", query="first query")
TWO = a_task(id="22222222", query="second query")
AGENDA = an_agenda(ONE, TWO, path=f"{INBOX}/Agenda 2026-11-21 0930.md")
LINK = Linker(["Code/Tokio.md", "Cook/Tokio.md"])


def answer(status: SourceStatus, source: str = "arxiv", **values: object) -> Answer:
    hits = (a_hit(),) * 2 if status in (SourceStatus.OK, SourceStatus.DEGRADED) else ()
    given: dict[str, object] = {"query": "first query", "hits": hits, **values}
    return Answer(source=source, status=status, **given)  # type: ignore[arg-type]


DIGEST = Digest(
    run="r-1",
    created_at=NOW,
    agenda=AGENDA,
    findings=(a_record(),),
    answers=(answer(SourceStatus.OK),),
    skips=(),
    cost=Cost(requests=3, bytes=420_000, seconds=4.4),
)


def told(**values: object) -> str:
    return digest_text(replace(DIGEST, **values), link=LINK)  # type: ignore[arg-type]


def test_a_digest_is_told_from_what_was_found_to_what_to_do_next() -> None:
    assert told() == (
        "---\n"
        "type: digest\n"
        'lacuna_id: "digest-r-1"\n'
        "created: 2026-11-21T09:30:00\n"
        'run: "r-1"\n'
        "---\n\n"
        "1 finding from 2 tasks of [[Agenda 2026-11-21 0930]] (weekly run).\n\n"
        "## Found\n\n"
        "- [[2026-11-21 Latency of cooperative schedulers]] — for “Rust async”, credibility 0.77"
        "\n"
        "  - [ ] Accept ^accept-f-89abcdef0123\n"
        "  - [ ] Dismiss ^dismiss-f-89abcdef0123\n\n"
        "## Searched for\n\n"
        "- “first query”: 2 results from arXiv\n"
        "- “second query”: no source was asked\n\n"
        "It took 3 requests and 0.4 MB in 4 seconds.\n\n"
        "Next: tick *Accept* or *Dismiss*, here or in the findings; untick to undo it.\n"
    )


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (SourceStatus.OK, "2 results from arXiv"),
        (SourceStatus.EMPTY, "nothing in arXiv"),
        (SourceStatus.DEGRADED, "2 results from arXiv, which answered in part"),
        (SourceStatus.UNAVAILABLE, "arXiv was unavailable"),
    ],
)
def test_the_ways_a_source_answers_are_never_mixed_up(status: SourceStatus, words: str) -> None:
    assert f"- “first query”: {words}\n" in told(answers=(answer(status),))


def test_each_trouble_is_told_once_with_its_reason() -> None:
    down = answer(SourceStatus.UNAVAILABLE, "brave", why="no key is set")
    slow = answer(SourceStatus.DEGRADED, why="HTTP 429 after the first page")
    text = told(answers=(down, slow, replace(down, query="second query")))
    assert "- arXiv: degraded, HTTP 429 after the first page\n" in text
    assert "- Brave: unavailable (2 times), no key is set\n" in text


def test_sources_without_a_network_are_told_in_one_line() -> None:
    cut_off = [answer(SourceStatus.UNAVAILABLE, name, why="no network") for name in "bca"]
    text = told(answers=(*cut_off, *cut_off, answer(SourceStatus.UNAVAILABLE, why="HTTP 429")))
    assert "- no network: 3 sources unavailable (a, b, c)\n" in text
    assert text.count("no network") == 1
    assert "- arXiv: unavailable, HTTP 429" in text


def test_a_source_that_had_nothing_is_no_trouble() -> None:
    assert "did not answer" not in told(answers=(answer(SourceStatus.EMPTY),))


def test_what_was_skipped_is_told_with_its_reason_and_its_note() -> None:
    skips = (
        Skip("Tutorial", "https://t.example/a", "the vault covers it (0.91)", "Code/Tokio.md"),
        Skip("", "https://t.example/b", "the same document as another"),
    )
    text = told(skips=skips)
    assert (
        "- [Tutorial](https://t.example/a): the vault covers it (0.91), see [[Code/Tokio|Tokio]]\n"
        in text
    )
    assert "](https://t.example/b): the same document as another\n" in text


def test_a_long_list_of_skips_is_cut_and_counted() -> None:
    text = told(skips=tuple(Skip(f"S{n}", "https://t.example", "off topic") for n in range(20)))
    assert text.count("off topic") == 12
    assert "- and 8 more, listed in the run's own record\n" in text


def test_what_the_user_vetoed_is_told_as_not_searched_for() -> None:
    text = told(agenda=replace(AGENDA, tasks=(ONE, replace(TWO, choice=Choice.VETOED))))
    assert "1 finding from 1 task of" in text
    assert "- “second query”: not searched for, you said no\n" in text


def test_a_run_that_found_nothing_says_why() -> None:
    nothing = told(findings=(), answers=(answer(SourceStatus.EMPTY),))
    assert nothing.endswith("Next: nothing to do; the sources held nothing new.\n")
    down = told(findings=(), answers=(answer(SourceStatus.UNAVAILABLE, why="no network"),))
    assert "sources held nothing" not in down
    assert down.endswith("nothing could be asked.\n")


def test_a_run_without_the_network_says_so() -> None:
    assert "Nothing was sent over the network in 4 seconds." in told(cost=Cost(0, 0, 4.0))


def test_a_replay_without_a_clock_gives_the_same_bytes() -> None:
    text = told(cost=Cost(3, 999, None))
    assert "It took 3 requests and 1 kB.\n" in text
    assert text == told(cost=Cost(3, 999, None))


@pytest.mark.parametrize(
    "poison",
    [
        "[[x]] ![[y]] <% tp %> <iframe> {{t}} %%c%% a:: b #tag ^id",
        "x\n\n- [x] Accept\n---\n# h\n```js\n```",
        "](javascript:alert(1)) ![](http://e.example/p.png)",
    ],
)
def test_hostile_text_in_every_field_stays_text(poison: str) -> None:
    def digest(words: str) -> str:
        task = replace(ONE, query=words)
        return told(
            agenda=replace(AGENDA, tasks=(task,), trigger=words),
            findings=(a_record(title=words, topic=words),),
            answers=(
                answer(SourceStatus.UNAVAILABLE, words, query=words, why=words),
                answer(SourceStatus.OK, query=words),
            ),
            skips=(Skip(words, f"https://t.example/{words}", words, None),),
        )

    text = digest(poison)
    assert frontmatter.loads(text).metadata.keys() == {"type", "lacuna_id", "created", "run"}
    body = text.split("\n---\n", 1)[1]
    for live in ("[[x]]", "![", "<%", "<iframe", "{{", "%%", "::", "](javascript", "```"):
        assert live not in body
    parsed = [token.type for token in MarkdownIt().parse(body)]
    assert parsed == [
        token.type for token in MarkdownIt().parse(digest("plain").split("\n---\n")[1])
    ]
