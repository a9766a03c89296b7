"""The script of a report, or of several findings: hook, chapters with transitions, an end.

Deterministic: the same note gives the same script. No model is needed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from daemon.audio.narration import Narration
from daemon.audio.outline import Block, Paragraph, Part, Table, outline
from daemon.model.audio import Line, Script, ScriptChapter
from daemon.model.wording import counted

WORDS_A_MINUTE = 150
_TITLE = re.compile(r"^(?:Report(?: on)?:?|Finding:)\s+", re.IGNORECASE)
_MORE = re.compile(r", and \d+ more questions?$")
_NOT_READ = frozenset(("sources", "references", "review", "data"))
_BOLD_HEADINGS = frozenset(("key findings", "from one source only"))
_LISTS_NOT_READ = frozenset(("suggested next actions", "connects to"))
_SKIPPED = re.compile(
    r"^(?:Notes (?:made|written)|Found because|Key concepts|Abbreviations|Also on this|Tick one)\b"
)
_REVIEW = "Accept or dismiss"
_MAX_SOURCES = 3  # named at the end
_OPENINGS: Mapping[str, tuple[str, str]] = {
    "summary": ("In short", "First, what matters most."),
    "worth re-evaluating": (
        "Worth re-evaluating",
        "Now to your own notes.",
    ),
    "figures": ("Figures", "There are figures, too."),
    "timeline": ("Timeline", "In order of time."),
    "gaps": ("Gaps", "What is still open?"),
}
_ASKED = ("Now to the details.", "On to the next question.", "Next.", "And another question.")
_OTHERS = ("Now to the details: ", "Next: ", "Then: ", "Another subject: ")


@dataclass(frozen=True, slots=True)
class SpokenNote:
    """A note for a script: its vault-relative path and its text."""

    path: str
    text: str


def script_of_report(note: SpokenNote, *, max_minutes: int) -> Script:
    """Return the script of a report or of any other note."""
    parts = outline(note.text)
    title = _title(parts, note.path)
    narration = Narration(_sources(parts), [each.title for each in parts if each.level == 3])
    chapters = [
        _welcome(title, parts, narration),
        *(_chapter(part, narration, turn) for turn, part in _turns(parts)),
    ]
    filled = [each for each in chapters if len(each.lines) > 1]
    kept, is_cut = _within(filled, max_minutes)
    end = _end(parts, narration, note, is_cut=is_cut)
    return _script(title, note.path, [*kept, end], is_cut=is_cut)


def script_of_findings(
    title: str, hook: str, notes: Sequence[SpokenNote], *, quotes: int, max_minutes: int
) -> Script:
    """Return the script of several findings, at most `quotes` statements of each."""
    read = [(note, outline(note.text)) for note in notes]
    narration = Narration([title for _, parts in read for title in _sources(parts)])
    names = [_title(parts, note.path) for note, parts in read]
    welcome = [*narration.narrated(hook), *narration.narrated(_topics(names))]
    chapters = [
        _finding(name, parts, narration, turn, quotes)
        for turn, (name, (_, parts)) in enumerate(zip(names, read, strict=True))
    ]
    filled = [each for each in chapters if len(each.lines) > 1]
    kept, is_cut = _within(filled, max_minutes)
    closing = "That was it for now. Each finding waits in your inbox, with its sources."
    left = " There was not enough time for all of them." if is_cut else ""
    end = ScriptChapter("The end", tuple(narration.narrated(closing + left)))
    source = notes[0].path if len(notes) == 1 else ""
    return _script(
        title, source, [ScriptChapter("Welcome", tuple(welcome)), *kept, end], is_cut=is_cut
    )


def _script(title: str, source: str, chapters: Sequence[ScriptChapter], *, is_cut: bool) -> Script:
    said = "\n".join(line.text for each in chapters for line in each.lines)
    digest = sha256(f"{title}\n{said}".encode()).hexdigest()
    return Script(f"audio-{digest[:12]}", title, source, tuple(chapters), is_cut)


def _title(parts: Sequence[Part], path: str) -> str:
    named = next((each.title for each in parts if each.level == 1), "")
    stem = path.rpartition("/")[2].removesuffix(".md")
    return _TITLE.sub("", named) or stem


def _welcome(title: str, parts: Sequence[Part], narration: Narration) -> ScriptChapter:
    """Begin with the question, then say what follows and what it rests on."""
    sections = [each for each in parts if each.level == 3]
    questions = [each.title for each in sections if each.title.endswith("?")]
    first = questions[0] if questions else title
    hook = first if first.endswith("?") else f"What is there to know about {_MORE.sub('', title)}?"
    lines = [*narration.narrated(hook)]
    more = len(questions) - 1
    if more > 0:
        lines += narration.narrated(f"And {counted(more, 'more question')}. Here is your report.")
    else:
        lines += narration.narrated("Here is your report.")
    top = next((each for each in parts if each.level == 1), None)
    scope = (each for each in (top.blocks if top else ()) if isinstance(each, Paragraph))
    for each in list(scope)[:1]:
        lines += narration.paragraph(each)
    return ScriptChapter("Welcome", tuple(lines))


def _turns(parts: Iterable[Part]) -> Iterator[tuple[int, Part]]:
    """Yield the parts that become chapters, and how many questions came before each."""
    turn = 0
    for part in parts:
        if part.level >= 2 and part.title.lower() not in _NOT_READ and part.blocks:
            yield turn, part
            turn += part.level == 3


def _chapter(part: Part, narration: Narration, turn: int) -> ScriptChapter:
    name, opening = _OPENINGS.get(part.title.lower(), (part.title, ""))
    lines = [*narration.narrated(opening or _opening(part.title, turn))]
    before = len(lines)
    for block in _read_blocks(part):
        if isinstance(block, Table):
            lines += narration.table(block)
        else:
            lines += narration.paragraph(_without_place(block), _introducing(part, block))
    has_quotes = any(each.is_quote for block in _paragraphs(part) for each in block.pieces)
    if len(lines) <= before + 1 and has_quotes and part.level == 3:
        lines += narration.narrated("You heard its main statement at the beginning.")
    return ScriptChapter(name, tuple(lines))


def _opening(title: str, turn: int) -> str:
    if title.endswith("?"):
        return f"{_ASKED[turn % len(_ASKED)]} {title}"
    return f"{_OTHERS[turn % len(_OTHERS)]}{title}"


def _paragraphs(part: Part) -> Iterator[Paragraph]:
    return (each for each in part.blocks if isinstance(each, Paragraph))


def _read_blocks(part: Part) -> Iterator[Block]:
    """Yield what is read aloud: no lists of links, no boxes, no headings in bold."""
    is_left_out = False
    for block in part.blocks:
        if isinstance(block, Table):
            yield block
            continue
        heading = block.text.rstrip(":").lower()
        is_left_out = heading in _LISTS_NOT_READ or (is_left_out and block.depth > 0)
        is_ours = block.is_task or heading in _BOLD_HEADINGS or _SKIPPED.match(block.text)
        if not is_left_out and not is_ours:
            yield block


def _without_place(block: Paragraph) -> Paragraph:
    """Return a gap without the link to its note, which follows a colon."""
    *others, last = block.pieces
    if block.depth and others and not last.is_quote and last.text.startswith(": "):
        return Paragraph(tuple(others), block.depth)
    return block


def _introducing(part: Part, block: Paragraph) -> Callable[[str], str] | None:
    if part.title.lower() != "worth re-evaluating":
        return None
    if block.depth == 1:
        return lambda name: f"Your note {name} says:"
    return lambda name: f"Against that, {name} says:"


def _finding(
    name: str, parts: Sequence[Part], narration: Narration, turn: int, quotes: int
) -> ScriptChapter:
    opening = name if turn == 0 else f"Next: {name}"
    lines = [*narration.narrated(opening)]
    left = quotes
    for block in (each for part in parts if part.level <= 1 for each in _read_blocks(part)):
        if isinstance(block, Table):
            lines += narration.table(block)
        else:
            few = _few(block, left)
            left -= sum(each.is_quote for each in few.pieces)
            lines += narration.paragraph(few) if few.pieces else ()
    return ScriptChapter(name, tuple(lines))


def _few(block: Paragraph, most: int) -> Paragraph:
    """Return a paragraph with at most so many quotes; without any, it names no source."""
    kept, count = [], 0
    for each in block.pieces:
        count += each.is_quote
        if not each.is_quote or count <= most:
            kept.append(each)
    has_quotes = any(each.is_quote for each in block.pieces)
    return Paragraph(tuple(kept) if most > 0 or not has_quotes else (), block.depth)


def _topics(names: Sequence[str]) -> str:
    shown = [name.rstrip("?. ") for name in names[:_MAX_SOURCES]]
    more = len(names) - len(shown)
    rest = [f"{more} more"] if more > 0 else []
    return f"They are about: {'; '.join([*shown, *rest])}." if len(names) > 1 else ""


def _within(
    chapters: Sequence[ScriptChapter], max_minutes: int
) -> tuple[list[ScriptChapter], bool]:
    """Return the chapters, or the beginnings of them, that fit; whether something was cut."""
    left = max_minutes * WORDS_A_MINUTE
    kept: list[ScriptChapter] = []
    for chapter in chapters:
        lines: list[Line] = []
        for line in chapter.lines:
            left -= len(line.text.split())
            if left < 0:
                return (
                    [*kept, ScriptChapter(chapter.title, tuple(lines))] if lines[1:] else kept,
                    True,
                )
            lines.append(line)
        kept.append(ScriptChapter(chapter.title, tuple(lines)))
    return kept, False


def _end(
    parts: Sequence[Part], narration: Narration, note: SpokenNote, *, is_cut: bool
) -> ScriptChapter:
    lines: list[Line] = []
    if is_cut:
        lines += narration.narrated("That is all for this episode; the note has more.")
    actions = dict.fromkeys(
        block.text.partition(":")[0].strip(" .")
        for part in parts
        for block in _paragraphs(part)
        if block.is_task and part.title.lower() != "review"
    )
    actions.pop(_REVIEW, None)
    if actions:
        steps = "; ".join(each[:1].lower() + each[1:] for each in actions)
        lines += narration.narrated(f"What to do next: {steps}.")
    if sources := _sources(parts):
        more = len(sources) - _MAX_SOURCES
        named = [*sources[:_MAX_SOURCES], *([f"{more} more"] if more > 0 else [])]
        sourced = counted(len(sources), "source")
        lines += narration.narrated(f"This report quotes {sourced}: {'; '.join(named)}.")
    lines += narration.narrated("The note in your inbox has every quote, with its link.")
    return ScriptChapter("The end", tuple(lines))


def _sources(parts: Sequence[Part]) -> list[str]:
    """Return the titles of the sources."""
    return [
        _source_name(block)
        for part in parts
        if part.title.lower() == "sources"
        for block in _paragraphs(part)
    ]


def _source_name(block: Paragraph) -> str:
    """Return the title of a source from its line in the list."""
    return block.text.partition(". ")[0].strip(" .")
