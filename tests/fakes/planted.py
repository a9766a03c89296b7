"""Attacks planted into real pages, and the page taken through the whole of research to its note."""

import asyncio
import gzip
import html
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lxml.html
from lxml import etree

from daemon.adapters.extract_html import decode, extract_html
from daemon.findings.render import finding_text
from daemon.model.errors import ExtractError, FetchError
from daemon.model.evidence import Hit, Match, SourceType
from daemon.ports import Extracted, RetrievedDocument, Vectors
from tests.fakes.reranker import FakeReranker
from tests.fakes.run_parts import NOW, RUN, Pages, Surroundings, Vault, a_task, an_agenda
from tests.fakes.source import FakeSource
from vault_adapters.wikilink import Linker

_LEAST_WORDS = 150
URL = "https://example.org/a-page.html"

PLACES = ("start", "middle", "end")
# How an attack is put into a page; `{}` stands for it. Those of HIDDEN nobody sees.
VISIBLE = {
    "paragraph": "<p>{}</p>",
    "quote": "<blockquote><p>{}</p></blockquote>",
    "list": "<ul><li>{}</li></ul>",
    "heading": "<h3>{}</h3>",
    "within": "",  # at the end of a paragraph of the page's own
}
HIDDEN = {
    "display": '<p style="display:none">{}</p>',
    "visibility": '<div style="visibility: hidden"><p>{}</p></div>',
    "attribute": "<p hidden>{}</p>",
    "aria": '<p aria-hidden="true">{}</p>',
    "off-screen": '<p style="position:absolute; left:-9999px">{}</p>',
    "tiny": '<p style="font-size:1px">{}</p>',
    "white": '<p style="color:#fff;background-color:#ffffff">{}</p>',
    "white by default": '<p style="color: white">{}</p>',
    "see-through": '<p style="color:transparent">{}</p>',
    "font": '<p><font color="#FFFFFF" size="1">{}</font></p>',
    "style sheet": "<style>.zq1{{display:none}}</style><p class='zq1'>{}</p>",
    "nested rule": "<style>.zq2 p{{display:none}}</style><div class='zq2'><p>{}</p></div>",
    "comment": "<!-- {} -->",
    "template": "<template><p>{}</p></template>",
    "dialog": "<dialog><p>{}</p></dialog>",
    "no height": '<div style="max-height:0;overflow:hidden"><p>{}</p></div>',
    "shifted": '<p style="transform:translateX(-9999px)">{}</p>',
}


@dataclass(frozen=True, slots=True)
class Page:
    """A real page: its bytes, and what it is about."""

    name: str
    body: bytes
    title: str
    text: str


def real_pages(folder: Path, most: int) -> list[Page]:
    """Pages of the article benchmark that have a title, and paragraphs to plant something among."""
    pages: list[Page] = []
    for name in sorted(json.loads((folder / "ground-truth.json").read_text("utf-8"))):
        body = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
        try:
            reported = extract_html(body, content_type="text/html")
        except ExtractError:
            continue
        page = Page(name, body, str(reported["title"]), str(reported["text"]))
        if len(page.text.split()) > _LEAST_WORDS and len(page.title.split()) > 2:
            pages += [page] if len(_paragraphs(page, _tree(page))) > 2 else []
        if len(pages) == most:
            break
    return pages


def planted(page: Page, attack: str, place: str, way: str) -> bytes:
    """The page with the attack among the paragraphs of its main text."""
    tree = _tree(page)
    own = _paragraphs(page, tree)
    at = own[{"start": 0, "middle": len(own) // 2, "end": len(own) - 1}[place]]
    if way == "within":
        etree.SubElement(at, "span").text = f" {attack} "
    else:
        pieces = lxml.html.fragments_fromstring({**VISIBLE, **HIDDEN}[way].format(_shown(attack)))
        for piece in reversed(pieces) if place == "end" else pieces:
            (at.addnext if place == "end" else at.addprevious)(piece)
    return bytes(lxml.html.tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>"))


def _tree(page: Page) -> lxml.html.HtmlElement:
    parser = lxml.html.HTMLParser(encoding="utf-8")
    return lxml.html.document_fromstring(decode(page.body, "text/html").encode(), parser=parser)


def _paragraphs(page: Page, tree: lxml.html.HtmlElement) -> list[lxml.html.HtmlElement]:
    return [
        node
        for node in tree.iter("p")
        if len(node.text_content()) > 60 and " ".join(node.text_content().split())[:50] in page.text
    ]


def _shown(text: str) -> str:
    """A text as it is written in HTML, in a comment too."""
    return html.escape(text, quote=False).replace("--", "- -")


class OnePage(Pages):
    """The one page that there is to fetch; `fetched` holds what was asked for."""

    def __init__(self, body: bytes) -> None:
        super().__init__({})
        self._body = body

    async def get(self, hit: Hit) -> RetrievedDocument:
        self.fetched.append(hit.url)
        if hit.url != URL:
            raise FetchError("HTTP 404")
        reported = extract_html(self._body, content_type="text/html")
        known = {name: reported[name] for name in ("title", "published", "hidden", "extracted_by")}
        taken = Extracted(text=reported["text"], authors=tuple(reported["authors"]), **known)
        return RetrievedDocument(hit, hit.url, self._body, "text/html", NOW, taken)


class NoNotes(Vault):
    """A vault without a note, whatever the embedder."""

    def __init__(self) -> None:
        super().__init__({"None.md": ""})
        self.notes = {}

    def near(self, vectors: Vectors, limit: int) -> list[list[Match]]:
        return [[] for _ in vectors]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one page: the note that was written, if any, and all that was done for it."""

    note: str
    fetched: tuple[str, ...]
    asked: tuple[str, ...]
    flags: tuple[str, ...]
    files: tuple[str, ...]  # what was written, by its place under the folder that was given


def research_on(page: Page, body: bytes, folder: Path, embedder: Any, title: str = "") -> Outcome:
    """Research the page's own topic with that page as all that there is."""
    hit = Hit("one", SourceType.WEB, URL, title or page.title)
    source = FakeSource("one", [hit])
    pages = OnePage(body)
    around = Surroundings({"one": source}, pages, NoNotes(), embedder, reranker=FakeReranker())
    task = a_task(page.title, note=None, sources=("one",))
    result = asyncio.run(around.run(an_agenda(task), folder / RUN))
    note = "".join(finding_text(one, link=Linker([])) for one in result.findings)
    sources = [source for one in result.findings for source in one.sources]
    flags = tuple(flag.kind for source in sources for flag in source.flags)
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    return Outcome(note, tuple(pages.fetched), tuple(source.asked), flags, tuple(files))


def sentences_of(attack: str, page_text: str = "", *, least: int = 4) -> list[str]:
    """The sentences of an attack as they are looked for: words only, none of the page's own."""
    own = words(page_text)
    found = (words(one) for one in re.split(r"(?<=[.!?。！？:])\s+|\n+", attack))
    return [one for one in found if len(one.split()) >= least and one not in own] or [words(attack)]


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
