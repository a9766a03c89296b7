"""The lines of a PDF that are its text: without running headers, page or line numbers, stamps and
bibliography.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

EDGE = 2  # lines at the top and the bottom of a page that may be running headers or footers
_FEW = 4  # pages up to which a line on two of them is a running header
_OFTEN = 0.2  # of the pages of a longer one; headers of left and right pages differ
_MIN_NUMBERED_LINES = 6  # numbered lines of a page for their numbers to be dropped
_MAX_STEP = 5  # manuscripts number every line, or every fifth
_ENTRIES = 15  # lines considered after a heading
_MIN_ENTRIES = 3  # of them that look like bibliography entries
_NUMBERS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_PAGE_NUMBER = re.compile(
    r"[-–—|• ]*(?:(?:page|p\.|seite|página|стр\.)\s*)?(?:\d{1,5}|[ivxl]{1,7})"
    r"(?:\s*(?:/|of|von|de|\|)\s*\d{1,5})?[-–—|• ]*",
    re.IGNORECASE,
)
_LINE_NUMBER = re.compile(r"(\d{1,4})(?:\s+|$)")
_STAMP = re.compile(
    r"downloaded (?:from|by|on|via)\b|(?:bio|med|chem)rxiv preprint\b|arxiv:\d{4}\.\d{4,5}"
    r"|\(?which was not certified by peer review|it is made available under a\b"
    r"|authorized licensed use limited to|(?:all rights reserved\. )?no reuse allowed without perm"
    r"|this (?:article|version) is (?:protected by copyright|posted)|access provided by\b"
    r"|electronic copy available at|this preprint research paper has not been peer reviewed"
    r"|preprint not peer reviewed|content courtesy of\b|terms of use apply"
    r"|for personal use only|view publication stats|see discussions, stats, and author profiles"
    r"|the copyright holder for this (?:preprint|version)|copyright holder for this preprint"
    r"|reprints available directly from|this content downloaded from"
    r"|all use subject to\b|see the terms and conditions .{0,80}wiley online library"
    r"|protected by copyright|first published as 10\.\d{4,}",
    re.IGNORECASE,
)
_NUMBERING = r"(?:(?:\d{1,2}|[IVX]{1,5})(?:\.\d{1,2})?[.)]?\s+)?"
_BIBLIOGRAPHY = re.compile(
    rf"{_NUMBERING}(?:references?(?: list| cited| and notes| and further reading)?"
    r"|bibliography|literature(?: cited)?|works cited|cited literature|notes and references"
    r"|literatur(?:verzeichnis|angaben)?|quellen(?:verzeichnis|angaben)?|r[ée]f[ée]rences?"
    r"(?: bibliographiques)?|bibliographie|bibliograf[ií]a|referencias(?: bibliográficas)?"
    r"|referências(?: bibliográficas)?|riferimenti(?: bibliografici)?|literatuur(?:lijst)?"
    r"|referenser|литература|список литературы|参考文献|引用文献|참고문헌)\s*:?",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"{_NUMBERING}(?:(?:[A-H][.:]?\s+)?(?:append(?:ix|ices)|supplement(?:ary|al)?\b"
    r"|supporting info|annex|anhang|anexo|annexe|allegato)|acknowledge?ments?|danksagung"
    r"|remerciements|author contributions?|(?:declaration of )?(?:competing|conflicts? of)"
    r" interests?|funding|data availability|about the authors?|figure legends?|附录|приложение)"
    r"\b.{0,80}",
    re.IGNORECASE,
)
# "A Details of the data": an appendix, where no entries follow; otherwise an author's initial.
_LETTERED = re.compile(r"[A-H](?:\.\d{1,2})?\.?\s+[A-Z][\w’'-]+(?:[ :]+[\w’'()-]+){0,9}")
_ENTRY = re.compile(
    r"\b(?:19|20)\d\d[a-z]?\b|^\s*\[\w{1,6}\]|\bdoi\b|\barxiv\b|https?://|\bpp?\. ?\d|\bvol\. ?\d"
    r"|\bet al\b|\b\d{1,4}\s?\(\d{1,4}\)|\bin proceedings\b|\bisbn\b",
    re.IGNORECASE,
)


def body_lines(pages: Sequence[str]) -> list[list[str]]:
    """Return the lines of each page that belong to its text."""
    split = [[line.strip() for line in page.split("\n") if line.strip()] for page in pages]
    split = [_without_line_numbers(lines) for lines in split]
    return _without_bibliography(_without_running(split))


def _without_running(pages: list[list[str]]) -> list[list[str]]:
    """Drop stamps, and lines at the edges of several pages, numbers counted as equal."""
    seen = Counter(key for lines in pages for key in {_key(line) for line in _edges(lines)} if key)
    often = 2 if len(pages) <= _FEW else max(3, round(_OFTEN * len(pages)))
    running = {key for key, count in seen.items() if count >= often and _LETTERS.search(key)}
    return [
        [
            line
            for at, line in enumerate(lines)
            if not _STAMP.match(line) and not (_is_edge(at, lines) and _runs(line, running))
        ]
        for lines in pages
    ]


def _runs(line: str, running: set[str]) -> bool:
    return _key(line) in running or _PAGE_NUMBER.fullmatch(line) is not None


def _is_edge(at: int, lines: list[str]) -> bool:
    return at < EDGE or at >= len(lines) - EDGE


def _edges(lines: list[str]) -> list[str]:
    return lines[:EDGE] + lines[-EDGE:]


def _key(line: str) -> str:
    return " ".join(_NUMBERS.sub("#", line.casefold()).split())


def _without_line_numbers(lines: list[str]) -> list[str]:
    """Drop line numbers, at the beginning of lines or in lines of their own."""
    found = [(at, int(number[1])) for at, line in enumerate(lines) if (number := _number(line))]
    if len(found) < _MIN_NUMBERED_LINES or 2 * len(found) < len(lines) / _MAX_STEP:
        return lines
    steps = Counter(other - one for (_, one), (_, other) in pairwise(found))
    step, count = steps.most_common(1)[0]
    if step not in (1, _MAX_STEP) or count < 0.7 * (len(found) - 1):
        return lines
    numbered = {at for at, _ in found}
    # A list or a bibliography is numbered too, but its numbers are followed by a mark.
    kept = [
        _LINE_NUMBER.sub("", line, count=1) if at in numbered else line
        for at, line in enumerate(lines)
    ]
    return [line for line in kept if line]


def _number(line: str) -> re.Match[str] | None:
    return _LINE_NUMBER.match(line)


def _without_bibliography(pages: list[list[str]]) -> list[list[str]]:
    """Drop each list of references, from its heading to an appendix or the end."""
    flat = [(page, line) for page, lines in enumerate(pages) for line in lines]
    lines = [line for _, line in flat]
    kept: list[list[str]] = [[] for _ in pages]
    skipping = False
    for at, (page, line) in enumerate(flat):
        if _BIBLIOGRAPHY.fullmatch(line) and _are_entries(lines[at + 1 : at + 1 + _ENTRIES]):
            skipping = True
        elif skipping and _ends_bibliography(line, lines[at + 1 : at + 1 + _ENTRIES]):
            skipping = False
        if not skipping:
            kept[page].append(line)
    return kept


def _ends_bibliography(line: str, following: Sequence[str]) -> bool:
    if _ENTRY.search(line):
        return False
    if _AFTER.fullmatch(line):
        return True
    return _LETTERED.fullmatch(line) is not None and not _are_entries(following)


def _are_entries(lines: Sequence[str]) -> bool:
    entries = sum(_ENTRY.search(line) is not None for line in lines)
    return entries >= min(_MIN_ENTRIES, max(1, len(lines) // 2))
