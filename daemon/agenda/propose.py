"""Gaps → the few worth researching: balanced, no two alike, none that the user turned down."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from daemon.agenda.wording import commonest, is_mostly, is_near, is_same, telling
from daemon.model.agenda import Gap, GapKind, GapShape
from daemon.model.evidence import Near
from daemon.model.topics import topic_key
from daemon.store.notes import LinkRow, NoteRow
from vault_adapters.wikilink import note_name

VAULT_LIMIT = 8
VAULT_LEAST = 3
NOTE_LIMIT = 5
NOTE_LEAST = 2

_WORTHWHILE = 0.4  # of the best score: below it, a gap only fills up the least number
_THIN_WORDS = 40  # a section with fewer words has room
_SUBJECT_WORDS = 4
_NEAR = 0.40  # cosine below which a note's nearest is not near
_LABEL_LONGEST = 60  # characters of a heading or title in a reason
_NO_TOPIC = re.compile(r"(?:untitled|new note|note|draft|todo|inbox)?[\s\d._:-]*(?:w\d+)?", re.I)
_COMMON_HEADINGS = frozenset({
    "references", "links", "notes", "todo", "see also", "summary", "overview", "introduction",
    "further reading", "sources", "log", "tasks", "ideas", "questions", "related",
    "open questions", "next steps",
})  # fmt: skip


def propose(
    gaps: Sequence[Gap],
    *,
    never: Collection[str] = (),
    recent: Collection[str] = (),
    limit: int = VAULT_LIMIT,
    least: int = VAULT_LEAST,
) -> list[Gap]:
    """Choose at most `limit` gaps, both kinds in turn, the best of each first.

    `never` and `recent` are topics as written or as keys: those the user banned, and those that
    rest (see `rest.py`). Fewer than `least` only when there are no more.
    """
    chosen: list[Gap] = []
    best = max((gap.score for gap in gaps), default=0.0)
    for gap in _in_turn(gaps):
        if not topic_key(gap.topic) or any(_is_again(gap, topic) for topic in (*never, *recent)):
            continue
        if any(is_near(gap.topic, other.topic) for other in chosen):
            continue
        if len(chosen) < least or gap.score >= best * _WORTHWHILE:
            chosen.append(gap)
        if len(chosen) == limit:
            break
    return chosen


def gaps_for_note(
    note: NoteRow,
    text: str,
    links: Sequence[LinkRow],
    neighbours: Sequence[Near],
    questions: Sequence[str] = (),
    *,
    never: Collection[str] = (),
) -> list[Gap]:
    """Return what a tagged note asks: its questions, or what its own text leaves open.

    `text` is the note's body, `links` those written in it, `neighbours` other notes near in
    meaning, nearest first, `never` the topics that the user banned (unless asked for in so many
    words). Two to five gaps whenever there is anything to ask.
    """
    asked = [_gap(note, question, GapKind.GAP, GapShape.ASKED, 1.0) for question in questions]
    chosen = _apart(asked)[:NOTE_LIMIT]
    if len(chosen) >= NOTE_LEAST or not (chosen or subject_of(note, text)):
        return chosen
    wanted = NOTE_LEAST if questions else NOTE_LIMIT
    left_open = _open_ends(note, text, links, neighbours)
    open_ends = _in_turn([gap for gap in left_open if not _is_banned(gap, never)])
    chosen = _apart([*chosen, *open_ends])[:wanted]
    if len(chosen) < NOTE_LEAST:
        chosen = _apart([*chosen, *_facets(note, text)])[:NOTE_LEAST]
    return chosen


def _is_again(gap: Gap, topic: str) -> bool:
    """Whether a gap would bring what `topic` brought.

    The label of an area drifts with every note that is written in it.
    """
    is_area = gap.shape in (GapShape.DENSE, GapShape.SPARSE)
    return is_near(gap.topic, topic) or (is_area and is_mostly(gap.topic, topic))


def _is_banned(gap: Gap, never: Collection[str]) -> bool:
    """Whether a note is not to suggest this.

    All but the names of missing notes are near the note's own subject, and the user tagged it.
    """
    alike = is_near if gap.shape is GapShape.DANGLING else is_same
    return any(alike(gap.topic, topic) for topic in never)


def _in_turn(gaps: Sequence[Gap]) -> Iterator[Gap]:
    """Give both kinds in turn, each by score; the kind with the best gap begins."""
    ranked = sorted(gaps, key=lambda gap: (-gap.score, gap.topic))
    queues = {kind: [gap for gap in ranked if gap.kind is kind] for kind in GapKind}
    order = sorted(queues.values(), key=lambda queue: -queue[0].score if queue else 1.0)
    for index in range(len(ranked)):
        for queue in order:
            yield from queue[index : index + 1]


def _apart(gaps: Iterable[Gap]) -> list[Gap]:
    """Leave out what is asked already."""
    kept: list[Gap] = []
    for gap in gaps:
        if topic_key(gap.topic) and not any(is_same(gap.topic, other.topic) for other in kept):
            kept.append(gap)
    return kept


def _open_ends(
    note: NoteRow, text: str, links: Sequence[LinkRow], neighbours: Sequence[Near]
) -> Iterator[Gap]:
    """Say what the note itself leaves open, by score."""
    subject = subject_of(note, text)
    yield _gap(note, subject, GapKind.DEEPEN, GapShape.ASKED, 0.9, "asks for research")
    for target in dict.fromkeys(link.target for link in links if _is_open(link)):
        label = target.rpartition("/")[2]
        why = f"names “{_short(label)}”, and it leads to no note"
        yield _gap(note, label, GapKind.GAP, GapShape.DANGLING, 0.8, why)
    for heading in _thin_headings(note, text):
        why = f"says little under “{_short(heading)}”"
        yield _gap(note, f"{subject} {heading}", GapKind.GAP, GapShape.SPARSE, 0.7, why)
    linked = {link.resolved for link in links}
    for near in (near for near in neighbours if near.similarity >= _NEAR):
        does = "links to it" if near.path in linked else "does not link to it"
        why = f"is near “{note_name(near.path)}” in meaning and {does}"
        yield from _beside(note, subject, near.path, 0.6 * max(near.similarity, 0.0), why)
    for path in dict.fromkeys(link.resolved for link in links if link.resolved):
        yield from _beside(note, subject, path, 0.3, f"links to “{note_name(path)}”")


def _beside(note: NoteRow, subject: str, path: str, score: float, why: str) -> Iterator[Gap]:
    """Ask what the note has to do with another one."""
    name = note_name(path)
    if path.endswith(".md") and path != note.path and not _NO_TOPIC.fullmatch(name):
        yield _gap(note, f"{subject} {name}", GapKind.DEEPEN, GapShape.DENSE, score, why)


def _facets(note: NoteRow, text: str) -> Iterator[Gap]:
    """Two angles on a note that holds hardly more than its name."""
    subject = subject_of(note, text)
    for facet, kind in (("fundamentals", GapKind.GAP), ("recent results", GapKind.DEEPEN)):
        topic = f"{subject} {facet}"
        yield _gap(note, topic, kind, GapShape.ASKED, 0.5, "asks for research")


def _gap(
    note: NoteRow, topic: str, kind: GapKind, shape: GapShape, score: float, why: str = ""
) -> Gap:
    """Make a gap of this note; a question of the user has no `why` but that it was asked."""
    name = f"“{note_name(note.path)}”"
    return Gap(
        kind=kind,
        shape=shape,
        topic=" ".join(topic.split()),
        notes=(note.path,),
        why=f"{name} {why}" if why else f"you asked in {name}",
        score=round(score, 3),
        parts={"from the note": round(score, 3)},
        keywords=(note.title,),
    )


def subject_of(note: NoteRow, text: str) -> str:
    """Return what the note is about: its title, or when that says nothing the words that its text
    repeats most, or begins with. It is "" for a note without a word.
    """
    if not _NO_TOPIC.fullmatch(note.title):
        return note.title
    return " ".join(commonest(text, _SUBJECT_WORDS) or telling(text)[:_SUBJECT_WORDS])


def _is_open(link: LinkRow) -> bool:
    label = link.target.rpartition("/")[2]
    return link.resolved is None and bool(telling(label)) and "." not in label[-5:-1]


def _thin_headings(note: NoteRow, text: str) -> Iterator[str]:
    """Give the headings under which hardly anything stands, other than those of every note."""
    for heading in note.headings:
        body = re.split(rf"^#+[ \t]+{re.escape(heading.text)}.*$", text, maxsplit=1, flags=re.M)
        if len(body) < 2 or heading.text.casefold() in _COMMON_HEADINGS:
            continue
        deeper = rf"^#{{1,{heading.level}}}[ \t]"  # what stands under its own headings counts
        section = re.split(deeper, body[1], maxsplit=1, flags=re.M)[0]
        own = topic_key(heading.text)
        if len(section.split()) < _THIN_WORDS and own and own != topic_key(note.title):
            yield heading.text


def _short(label: str) -> str:
    return label if len(label) <= _LABEL_LONGEST else label[: _LABEL_LONGEST - 1].rstrip() + "…"
