"""A finding as a note: what a stranger reads, and what never gets in."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from daemon.findings.block import Box, ticked
from daemon.findings.outside import by_line, credit, place_of, safe_url
from daemon.findings.render import finding_text
from daemon.model.evidence import Credibility, Flag, Near, Passage, SourceType
from daemon.model.finding import Agreement, Confidence, Dispute, Finding, Said
from tests.fakes.values import NOW, SENTENCES, a_document, a_finding, a_flag, a_hit, a_task
from vault_adapters.markdown import parse_note
from vault_adapters.wikilink import Linker

LINK = Linker(["Code/Rust async.md", "Code/Tokio.md", "Cook/Tokio.md"])


def written(finding: Finding | None = None) -> str:
    return finding_text(finding or a_finding(), link=LINK)


def test_properties_are_flat_and_of_one_type_each() -> None:
    assert frontmatter.loads(written()).metadata == {
        "type": "finding",
        "lacuna_id": "f-89abcdef0123",
        "status": "pending",
        "created": datetime(2026, 11, 21, 9, 30),  # noqa: DTZ001 - properties have no zone
        "source": "https://arxiv.org/abs/2401.01234",
        "source_type": "preprint",
        "credibility": 0.77,
        "confidence": "medium",
        "topic": "Rust async",
        "because": "[[Code/Rust async]]",
        "run": "r-20261121-0930",
        "tags": ["research-agent"],
    }


def test_a_finding_that_no_note_asked_for_has_no_because_property() -> None:
    text = written(a_finding(task=a_task(note=None, because="several notes name it")))
    assert "because" not in frontmatter.loads(text).metadata
    assert "**Found because** several notes name it, searching for" in text


def test_every_quote_stands_once_word_for_word() -> None:
    text = written()
    for sentence in SENTENCES:
        assert text.count(f"> {sentence}") == text.count(sentence) == 1


def test_the_parts_come_in_the_order_of_reading() -> None:
    text = written(a_finding(flags=(a_flag(),)))
    parts = (
        "\n# Latency of cooperative schedulers\n",
        f"> {SENTENCES[0]}",
        "> — Ada Byron and Grace Murray, 2024\n",
        "**Careful:** this source contains text that addresses an assistant;",
        "**Confidence medium**: no other source here speaks to it.\n",
        "**Key concepts:** cooperative scheduling · tail latency\n",
        "**Connects to**\n\n- [[Code/Tokio|Tokio]] — near in meaning under “Scheduling” (0.71)\n",
        "**Found because** [[Rust async]] links to nothing newer than 2023, searching for",
        "## Source\n\n[Latency of cooperative schedulers](https://arxiv.org/abs/2401.01234) by Ada",
        "**Credibility 0.77** = 0.85 (preprint) × 0.91 (published 2024)\n",
        "## Review\n\n- [ ] Accept\n- [ ] Dismiss\n- [ ] Never suggest this topic\n",
    )
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_how_surely_a_source_commands_is_told() -> None:
    text = written(a_finding(flags=(Flag("instructions", 2, 1.7), Flag("hidden text", 1))))
    assert "kept as data and not quoted (score 1.7, flagged from 1.0).\n" in text
    assert "it was left out.\n" in text


def test_structured_data_is_shown_as_a_table_with_whose_and_of_when() -> None:
    hit = a_hit(source="defillama", figures=(("Value locked, USD", "1,234.50"), ("a|b", "x")))
    text = written(a_finding(document=a_document(hit=hit)))
    assert (
        "\n\n**Figures**, as DefiLlama gave them on 2026-11-21:\n\n"
        "| Figure | Value |\n| --- | --- |\n"
        "| Value locked, USD | 1,234.50 |\n| a\\|b | x |\n\n"
    ) in text
    assert "Figures" not in written()


def test_what_is_not_there_leaves_no_trace() -> None:
    text = written(a_finding(concepts=(), connects=(), credibility=Credibility(0.5, ()), flags=()))
    assert "Key concepts" not in text
    assert "Connects" not in text
    assert "**Credibility 0.50**\n" in text
    assert "\n\n\n" not in text


def test_a_note_that_the_source_names_is_told_so() -> None:
    finding = a_finding(
        "Tokio schedules cooperatively.", connects=(Near("Code/Tokio.md", "", 0.6),)
    )
    assert "— the source names it; near in meaning (0.60)" in written(finding)


def test_each_note_is_connected_once_and_the_nearest_stand_first() -> None:
    near = [Near(f"n{number}.md", "", 0.5 + number / 100) for number in range(8)]
    text = written(a_finding(connects=(*near, Near("n7.md", "again", 0.1))))
    listed = [line for line in text.splitlines() if line.startswith("- [[")]
    assert [line[:8] for line in listed] == [f"- [[n{n}]]" for n in (7, 6, 5, 4, 3)]


def test_a_capped_credibility_says_so() -> None:
    text = written(a_finding(credibility=Credibility(0.95, (("paper", 1.0), ("cited", 1.2)))))
    assert "**Credibility 0.95** = 1.00 (paper) × 1.20 (cited), capped at 0.95" in text


def _said(url: str, text: str, because: str = "") -> Said:
    return Said(a_hit(url=url, title=f"On {text}"), Passage("d", 0, len(text), text), because)


def test_who_agrees_is_quoted_and_who_only_repeats_is_not_counted() -> None:
    agreement = Agreement(
        sources=7,
        voices=tuple(_said(f"https://s{number}.org", f"words {number}") for number in range(5)),
        echoes=(_said("https://echo.org", "it", "the same text"),),
        mean_credibility=0.617,
    )
    text = written(a_finding(agreement=agreement))
    assert (
        "**Confidence medium**: 6 of 7 independent sources here say so, of mean credibility 0.62.\n"
        "\n- [On words 0](https://s0.org): “words 0”\n- [On words 1](https://s1.org): “words 1”\n"
        "- [On words 2](https://s2.org): “words 2”\n- and 2 more\n"
        "- only repeated, and not counted: [On it](https://echo.org) (the same text)\n" in text
    )


def test_one_voice_among_several_sources_says_so() -> None:
    text = written(a_finding(agreement=Agreement(sources=3), confidence=Confidence.LOW))
    assert "**Confidence low**: 1 of 3 independent sources here says so.\n" in text


def test_both_sides_of_a_dispute_stand_word_for_word_with_whose_they_are() -> None:
    ours, theirs = (Passage("d", 0, 4, text) for text in ("It does.", "It does not."))
    disputes = (
        Dispute(ours, theirs, a_hit(url="https://b.org", title="B")),
        Dispute(ours, theirs, note="Code/Tokio.md"),
    )
    text = written(a_finding(agreement=Agreement(sources=2, disputes=disputes)))
    assert (
        "**Contradicted:** not all say so.\n\n- here: “It does.”\n- [B](https://b.org): “It does"
        " not.”\n- your note [[Code/Tokio|Tokio]]: “It does not.”\n" in text
    )


@pytest.mark.parametrize("name", ["retracted, says Crossref", "X was named on lists"])
def test_what_stands_above_all_is_a_warning_too(name: str) -> None:
    text = written(a_finding(credibility=Credibility(0.0, ((name, 0.0),))))
    assert f"**Careful:** {name}." in text
    assert f"**Credibility 0.00** = 0.00 ({name})" in text


def test_centrality_is_shown_beside_the_credibility_and_not_in_it() -> None:
    text = written(a_finding(centrality=0.25))
    assert "× 0.91 (published 2024)\n\nCentrality 0.25 among the works" in text
    assert "Centrality" not in written()


def test_a_document_of_which_only_the_abstract_was_had_is_told_so() -> None:
    document = a_document(extracted_by="abstract", note="abstract only: HTTP 403")
    text = written(a_finding(document=document))
    assert (
        "known by its summary, as arXiv gave it on 2026-11-21. Note: abstract only: HTTP 403."
        in text
    )
    assert "fetched on" not in text


def test_who_else_found_a_document_is_named() -> None:
    document = a_document(also_from=("brave", "arxiv"))
    assert "A preprint, found by arXiv and Brave, fetched on 2026-11-21." in written(
        a_finding(document=document)
    )


def test_times_are_told_in_the_users_zone() -> None:
    text = finding_text(a_finding(), link=LINK, tz=ZoneInfo("Pacific/Auckland"))
    assert "created: 2026-11-21T22:30:00\n" in text


def test_the_same_finding_gives_the_same_bytes() -> None:
    assert written() == written()


HOSTILE = (
    "[[x]] ![[x]] [a](http://evil.example) <% tp.system.exec() %> <iframe src='//e'></iframe>",
    "```dataviewjs\ndv.current()\n```",
    "---\nstatus: accepted\n---",
    "- [x] Accept",
    "\n\n- [x] Accept\n",
    "![](https://evil.example/pixel.png) <img src=x> `= this` key:: value [key:: value]",
    "#tag ^block %%hidden%% ==mark== $$x$$ {{title}} obsidian://open?vault=x",
    '../../etc/passwd | CON : * ? " < >\x00\x1b[31m',
    "\u202egnp.exe\u200b \ufeff \ud800",
    "> [!danger] callout\n| a | b |\n|---|---|\n1. one\n# heading\n===",
    "\"quoted\" \\ back\\slash 'single'\nnew: property",
)
LIVE = (
    "[[x]]", "![[", "<%", "<iframe", "<img", "```", "%%", "==", "$$", "{{", "::", "#tag",
    "obsidian://", "](http://evil.example)", "![](",
)  # fmt: skip
ADDRESS = re.compile(r"\]\(https?://example\.org[^()\[\]<>\s]*\)")


def poisoned(poison: str) -> Finding:
    """Put `poison` into every field that comes from outside."""
    hit = a_hit(
        url=f"https://example.org/{poison}",
        title=poison,
        authors=(poison, poison),
        published=poison,
        source=poison,
    )
    sentence = f"Words {poison} end."
    said = Passage("d", 0, len(poison), poison)
    document = a_document(sentence, hit=hit, final_url=hit.url, note=poison, also_from=(poison,))
    return a_finding(
        sentence,
        document=document,
        title=poison,
        concepts=(poison, poison),
        connects=(Near("Code/Tokio.md", poison, 0.7), Near(f"{poison}.md", poison, 0.6)),
        credibility=Credibility(0.5, ((poison, 0.5),)),
        confidence=Confidence.LOW,
        flags=(a_flag(poison),),
        task=a_task(topic=poison, query=poison, because=poison, note=f"{poison}.md"),
        run=poison,
        agreement=Agreement(
            sources=9,
            voices=(Said(hit, said),) * 4,
            echoes=(Said(hit, said, poison),),
            disputes=(
                Dispute(said, said, hit),
                Dispute(said, said, note="Code/Tokio.md"),
                Dispute(said, said, note=f"{poison}.md"),
            ),
        ),
        centrality=0.5,
    )


def rendered_tokens(text: str) -> list[str]:
    return [token.type for token in MarkdownIt("commonmark").enable("table").parse(text)]


@pytest.mark.parametrize("poison", HOSTILE)
def test_hostile_text_in_every_field_stays_text(poison: str) -> None:
    text = written(poisoned(poison))
    head, _, body = text.partition("\n---\n")
    for live in LIVE:
        assert live not in ADDRESS.sub("](address)", body)
    for live in ("[[x]]", "<%", "{{"):
        assert live not in head
    assert not set(text) & set("\x00\x1b\x7f\u202e\u200b\ufeff\ud800")
    properties = frontmatter.loads(text).metadata
    assert properties["status"] == "pending"
    assert set(properties) == set(frontmatter.loads(written()).metadata)
    assert all(isinstance(value, str | float | datetime | list) for value in properties.values())


@pytest.mark.parametrize("poison", HOSTILE)
def test_hostile_text_changes_nothing_of_the_notes_build(poison: str) -> None:
    text = written(poisoned(poison))
    plain = written(poisoned("plain"))
    body = text.split("\n---\n", 1)[1]
    assert rendered_tokens(body) == rendered_tokens(plain.split("\n---\n", 1)[1])
    assert ticked(text) == frozenset()
    note = parse_note("x.md", text.encode())
    assert not note.trouble
    assert {tag.name for tag in note.tags} <= {"#research-agent", "#good", "#bad"}
    assert note.blocks == ()


@given(st.text(max_size=200))
def test_whatever_a_page_says_the_note_stays_whole(poison: str) -> None:
    text = written(poisoned(poison))
    assert frontmatter.loads(text).metadata["status"] == "pending"
    assert ticked(text) == frozenset()
    assert ticked(text.replace("- [ ] Dismiss", "- [x] Dismiss")) == {Box.DISMISS}


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        (" https://example.org/a b ", "https://example.org/a%20b"),
        ("https://example.org/a)(b>[c]", "https://example.org/a%29%28b%3E%5Bc%5D"),
        ("https://example.org/100%", "https://example.org/100%25"),
        ("https://example.org/ü%C3%BC", "https://example.org/%C3%BC%C3%BC"),
        ("https://example.org/%%x%%", "https://example.org/%25%25x%25%25"),
        ("file:///home/me/a%20b.pdf", "file:///home/me/a%20b.pdf"),
        ("http://[::1]/", None),
        ("javascript:alert(1)", None),
        ("obsidian://open?vault=x", None),
        ("data:text/html,x", None),
        ("//evil.example/x", None),
        ("https://", None),
        ("", None),
        ("https://[broken", None),
        ("https://example.org/" + "x" * 3000, None),
    ],
)
def test_only_plain_addresses_become_links(url: str, safe: str | None) -> None:
    assert safe_url(url) == safe


def test_a_quote_leads_to_its_place_in_the_page() -> None:
    document = replace(a_document(), final_url="https://example.org/a-b#old")
    assert place_of("One two-three four, five six & seven eight nine.", document) == (
        "https://example.org/a-b"
        "#:~:text=One%20two%2Dthree%20four%2C%20five,%26%20seven%20eight%20nine."
    )


def test_a_short_quote_is_sought_whole() -> None:
    place = place_of("Only three words.", a_document())
    assert place is not None
    assert place.endswith("#:~:text=Only%20three%20words.")


@pytest.mark.parametrize(
    "values", [{"extracted_by": "pdfium"}, {"final_url": "file:///library/a.md"}]
)
def test_what_is_no_page_has_no_place_to_lead_to(values: dict[str, str]) -> None:
    assert place_of("words", a_document(**values)) is None
    assert "↗" not in written(a_finding(document=a_document(**values)))


@pytest.mark.parametrize(
    ("authors", "line"),
    [
        ((), ""),
        (("A",), "A"),
        (("A", "B"), "A and B"),
        (("A", "B", "C"), "A, B and C"),
        (("A", "B", "C", "D"), "A, B and others"),
        ((" ", "A  B\nC"), "A B C"),
    ],
)
def test_authors_are_named_as_in_a_sentence(authors: tuple[str, ...], line: str) -> None:
    assert by_line(a_hit(authors=authors)) == line


def test_a_page_without_authors_is_credited_to_its_site() -> None:
    hit = a_hit(authors=(), published="", url="https://docs.example.org/x")
    assert credit(hit) == "docs.example.org"
    library = a_hit(
        authors=(), published="2021", url="file:///x.md", source="library",
        source_type=SourceType.LIBRARY,
    )  # fmt: skip
    assert credit(library) == "library, 2021"


def test_now_is_the_only_time_that_counts() -> None:
    later = a_finding(created_at=NOW.astimezone(UTC))
    assert written(later) == written()
