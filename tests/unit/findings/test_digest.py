"""What a day's digest says of its runs."""

from dataclasses import replace

import frontmatter
import pytest
from markdown_it import MarkdownIt

from daemon.findings.bulk import choices
from daemon.findings.digest import (
    Cost,
    Entry,
    digest_text,
    entry_text,
    runs_of,
    skipped_lines,
    with_entry,
)
from daemon.model.agenda import Choice
from daemon.model.evidence import Answer, SourceStatus
from daemon.model.finding import FindingStatus, Skip
from tests.fakes.values import INBOX, NOW, a_hit, a_record, a_task, an_agenda
from vault_adapters.wikilink import Linker

RUN = "20261121T093000Z-ab12cd"
ONE = a_task(id="11111111", query="first query")
TWO = a_task(id="22222222", topic="Tokio", query="second query")
AGENDA = an_agenda(ONE, TWO, path=f"{INBOX}/Agenda 2026-11-21 0930.md")
LINK = Linker(["Code/Tokio.md", "Cook/Tokio.md"])
RECORD = a_record()


def answer(status: SourceStatus, source: str = "arxiv", **values: object) -> Answer:
    hits = (a_hit(),) * 2 if status in (SourceStatus.OK, SourceStatus.DEGRADED) else ()
    given: dict[str, object] = {"query": "first query", "hits": hits, **values}
    return Answer(source=source, status=status, **given)  # type: ignore[arg-type]


ENTRY = Entry(
    run=RUN,
    created_at=NOW,
    agenda=AGENDA,
    findings=(RECORD,),
    answers=(answer(SourceStatus.OK),),
    skips=(),
    cost=Cost(requests=3, bytes=420_000),
    answered={RECORD.id: "It waits 3 ms\nat most."},
)


def text_of(**values: object) -> str:
    return digest_text(replace(ENTRY, **values), link=LINK)  # type: ignore[arg-type]


def test_a_digest_names_each_finding_with_its_answer_and_folds_the_figures() -> None:
    assert text_of() == (
        "---\n"
        "type: digest\n"
        f'lacuna_id: "digest-{RUN}"\n'
        "created: 2026-11-21T09:30:00\n"
        f'runs: ["{RUN}"]\n'
        "---\n"
        "## 09:30 Weekly run\n\n"
        f"1 finding for 2 questions. ^run-{RUN}\n\n"
        "- [[2026-11-21 Latency of cooperative schedulers]]: It waits 3 ms at most.\n"
        "  - [ ] Accept ^accept-f-89abcdef0123\n"
        "  - [ ] Dismiss ^dismiss-f-89abcdef0123\n\n"
        "Nothing new for “second query”.\n\n"
        "> [!info]- Skipped documents and cost\n"
        "> It took 3 requests and 0.4 MB.\n"
        f"> Full record: `lacuna runs show {RUN}`\n"
    )


def test_a_long_answer_is_cut_at_a_word() -> None:
    text = text_of(answered={RECORD.id: "word " * 100})
    assert "word…\n  - [ ] Accept" in text
    assert len(text.splitlines()[10]) < 300


def test_a_run_for_a_note_is_named_by_the_note() -> None:
    text = text_of(agenda=replace(AGENDA, note="Code/Tokio.md", trigger="research in Tokio"))
    assert "## 09:30 [[Code/Tokio|Tokio]]\n" in text


def test_each_trouble_is_reported_once_with_its_reason() -> None:
    down = [answer(SourceStatus.UNAVAILABLE, name, why="no network") for name in ("a", "b")]
    slow = answer(SourceStatus.DEGRADED, why="HTTP 429 after the first page")
    text = text_of(answers=(*down, *down, slow, answer(SourceStatus.EMPTY, "brave")))
    assert (
        "Sources that failed or answered only in part: a, b (no network); arXiv (answered in"
        " part: HTTP 429 after the first page).\n" in text
    )
    assert text.count("no network") == 1
    assert "Brave" not in text


def test_what_was_skipped_is_counted_by_reason_and_folded() -> None:
    skips = [
        *(Skip(f"S{n}", "https://t.example", f"off topic (0.{n})") for n in range(3)),
        Skip("Tutorial", "https://t.example/a", "already in your notes (0.91)", "Code/Tokio.md"),
        Skip("", "https://t.example/b", "t.example: HTTP 403"),
        Skip("", "https://t.example/c", "not read: the run was stopped before that"),
    ]
    assert skipped_lines(skips) == [
        "3 × off topic",
        "1 × HTTP 403",
        "1 × already in your notes",
        "1 × not read",
    ]
    text = text_of(skips=skips)
    assert "> 6 documents skipped:\n> - 3 × off topic\n" in text


def test_only_the_commonest_reasons_are_named() -> None:
    skips = [Skip("", "https://t.example", f"reason {letter}") for letter in "abcdefghijk"]
    assert skipped_lines(skips)[-1] == "3 × other reasons"


def test_vetoed_tasks_are_reported_as_not_searched() -> None:
    text = text_of(agenda=replace(AGENDA, tasks=(ONE, replace(TWO, choice=Choice.VETOED))))
    assert "1 finding for 1 question." in text
    assert "Skipped because you unticked it: “second query”.\n" in text


def test_a_run_without_a_network_reports_that_it_was_offline() -> None:
    assert "> Nothing was sent over the network.\n" in text_of(cost=Cost(0, 0))


def test_a_run_that_stopped_early_says_why() -> None:
    assert "You stopped it early. These are partial results." in text_of(is_cut_short=True)
    why = text_of(is_cut_short=True, cut_short_by="it was to be done by 06:00")
    assert "It ended early because it was to be done by 06:00." in why


def test_a_second_run_of_the_day_is_added_once_and_no_other_byte_changes() -> None:
    other = replace(ENTRY, run="20261121T150000Z-ef34ab", findings=(a_record(id="f-2"),))
    entry = entry_text(other, link=LINK)
    begun = text_of().replace("- [ ] Accept", "- [x] Accept") + "my own words\n\n"
    both = with_entry(begun, other.run, entry)
    assert runs_of(both) == [RUN, other.run]
    assert (
        both == begun.replace(f'["{RUN}"]', f'["{RUN}", "{other.run}"]').rstrip() + f"\n\n{entry}"
    )
    assert with_entry(both, other.run, entry) == both


def test_a_box_for_all_decides_the_findings_of_its_own_run() -> None:
    several = (a_record(id="f-2"), a_record(id="f-3"))
    other = replace(ENTRY, run="20261121T150000Z-ef34ab", findings=several)
    begun = text_of(findings=(RECORD, a_record(id="f-1")))
    both = with_entry(begun, other.run, entry_text(other, link=LINK))
    head, sign, tail = both.rpartition("- [ ] Accept all")
    reported = choices(f"{head}{sign.replace('[ ]', '[x]')}{tail}")
    assert {id: each.status for id, each in reported.items()} == {
        RECORD.id: FindingStatus.PENDING,
        "f-1": FindingStatus.PENDING,
        "f-2": FindingStatus.ACCEPTED,
        "f-3": FindingStatus.ACCEPTED,
    }


def test_a_digest_of_an_earlier_version_is_of_one_run() -> None:
    assert runs_of(f'---\ntype: digest\nrun: "{RUN}"\n---\n') == [RUN]
    assert runs_of("no properties") == []


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
        return text_of(
            agenda=replace(AGENDA, tasks=(task, replace(TWO, query=words)), trigger=words),
            findings=(a_record(title=words, topic=words),),
            answered={RECORD.id: words},
            answers=(
                answer(SourceStatus.UNAVAILABLE, words, query=words, why=words),
                answer(SourceStatus.OK, query=words),
            ),
            skips=(Skip(words, f"https://t.example/{words}", words, None),),
        )

    text = digest(poison)
    assert frontmatter.loads(text).metadata.keys() == {"type", "lacuna_id", "created", "runs"}
    body = text.split("\n---\n", 1)[1]
    for live in ("[[x]]", "![", "<%", "<iframe", "{{", "%%", "::", "](javascript", "```"):
        assert live not in body
    parsed = [token.type for token in MarkdownIt().parse(body)]
    assert parsed == [
        token.type for token in MarkdownIt().parse(digest("plain").split("\n---\n", 1)[1])
    ]
