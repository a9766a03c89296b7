"""The part of a note that is its owner's text: without filing lines, citations and lists of pages.
Pure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from vault_adapters.naming import heading_name
from vault_adapters.note import Heading

# Sections that list other pages and works, in the languages with stop words.
_LISTING_SECTIONS = """
backlinks | bibliography | references | reference | works cited | citations | see also | related
related notes | related pages | related posts | links | external links | linked mentions | footnotes
further reading | sources | resources | literatur | literaturverzeichnis | quellen | siehe auch
einzelnachweise | weblinks | verwandt | bibliographie | références | voir aussi | liens
liens externes | notes et références | bibliografía | referencias | véase también | enlaces
enlaces externos | bibliografia | riferimenti | vedi anche | collegamenti esterni | referências
veja também | ligações externas | referenties | zie ook | externe links | literatuur
список литературы | литература | примечания | см. также | ссылки | источники | 参考文献 | 参考资料
参考資料 | 参考 | 参见 | 延伸阅读 | 相关 | 相关链接 | 反向链接 | 関連 | 関連項目 | 外部リンク
脚注 | 참고 문헌 | 참고문헌 | 같이 보기 | 외부 링크
"""
_LISTING = frozenset(name.strip() for name in re.split(r"[|\n]", _LISTING_SECTIONS) if name.strip())
_FORM_SECTIONS = """
notes | todo | summary | overview | introduction | log | tasks | ideas | questions | open questions
next steps | abstract | methods | results | conclusion | conclusions | background | discussion
details | description | definition | definitions | examples | example | highlights | annotations
key challenges | key idea | key ideas | key insight | key insights | key contributions | goals
goal | motivation | notation | limitations | future work | how it works | comments | metadata
table of contents | contents | 总结 | 前言 | 目录 | 背景 | zusammenfassung
"""
_FORM = frozenset(name.strip() for name in re.split(r"[|\n]", _FORM_SECTIONS) if name.strip())
# Lines that file a note: `tags :: …`, `source: …`, and Org's definition lists as exporters write
# them, with the value on the next line after a colon.
_FILED = (
    r"(?:roam[_ ])?(?:tags?|keywords?|aliases|related|see also|sources?|papers?|authors?|title|url"
    r"|links?|refs?|references?|cite|doi|isbn|date|created|updated|modified|status|type|up|parent"
    r"|category|categories|schlagworte|quelle|autor|auteur|étiquettes|etiquetas|теги|标签|来源)"
)
_FILED_LINE = re.compile(rf"[ \t]*(?:[-*+][ \t]+)?{_FILED}[ \t]*::?(?:[ \t].*|$)", re.IGNORECASE)
_FILED_KEY = re.compile(rf"[ \t]*{_FILED}[ \t]*", re.IGNORECASE)
_FILED_VALUE = re.compile(r":[ \t]+\S")
_ORG_LINE = re.compile(r"[ \t]*(?:#\+\w++:?(?:[ \t].*)?|:[A-Z_]+:(?:[ \t].*)?)")
_SHORTCODE = re.compile(r"\{\{[<%](?:[^{}]|\{(?!\{)|\}(?!\})){0,2000}[%>]\}\}")
_CITED = re.compile(r"\((?:[^()\n]{2,200}?,[ \t]*)(?:1[89]|20)\d\d[a-z]?\)|\[-?@[^\[\]\n]{1,300}\]")
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>\S.*)$")
_HEADING_LINE = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>\S.*?)(?:[ \t]+#+)?[ \t]*$")
_DEEPEST = 6  # levels of headings
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


def is_listing(heading: str) -> bool:
    """Return whether a section lists other pages or works: Backlinks, Bibliography, See also."""
    return heading.casefold().strip(" \t:.*_") in _LISTING


def is_common_heading(heading: str) -> bool:
    """Return whether a heading occurs in many notes, and is about none of them."""
    return is_listing(heading) or heading.casefold().strip(" :") in _FORM


def own_text(markdown: str) -> str:
    """Return Markdown without shortcodes, filing lines, citations and sections that list pages.

    Headings lose their attributes. Code is unchanged.
    """
    return _without_marks(_own_lines(markdown.split("\n"), is_indexed=False))


def own_chunk(heading: str, text: str) -> str:
    """Do the same for a chunk of indexed text, whose headings are lines without marks."""
    if is_listing(heading):
        return ""
    return _without_marks(_own_lines(text.split("\n"), is_indexed=True))


def _without_marks(lines: Iterable[str]) -> str:
    return _CITED.sub("", _SHORTCODE.sub("", "\n".join(lines)))


def _own_lines(lines: Sequence[str], *, is_indexed: bool) -> Iterator[str]:
    is_code, skipped, is_filed = False, 0, False  # the level of a section that is being skipped
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            is_code = not is_code
        heading = None if is_code else _HEADING.match(line)
        if heading is not None and (not skipped or len(heading["level"]) <= skipped):
            skipped = len(heading["level"]) if is_listing(heading_name(heading["text"])) else 0
        elif is_indexed and not is_code and is_listing(line):
            skipped = skipped or _DEEPEST
        if skipped:
            continue
        if is_code:
            yield line
            continue
        is_value = bool(_FILED_VALUE.match(line))
        if is_filed and (is_value or line[:1] in " \t") and line.strip():
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        is_filed = bool(_FILED_KEY.fullmatch(line) and _FILED_VALUE.match(following))
        if is_filed or _FILED_LINE.fullmatch(line) or _ORG_LINE.fullmatch(line):
            continue
        yield heading_name(line) if heading is not None else line


def words_under(heading: Heading, body: str) -> int | None:
    """Return how many words are under a heading and its subheadings; None if it is not found."""
    words: int | None = None
    for line in body.split("\n"):
        begun = _HEADING_LINE.match(line)
        if words is None:
            is_here = begun is not None and heading_name(begun["text"]) == heading.text
            words = 0 if is_here else None
        elif begun is not None and len(begun["level"]) <= heading.level:
            break
        else:
            words += len(line.split())
    return words
