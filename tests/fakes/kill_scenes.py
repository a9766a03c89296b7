"""Scenes to kill the daemon in, and a picture of everything that is kept, to be compared after."""

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from daemon.store.db import PAGE, Database
from daemon.store.requests import RequestStore
from tests.fakes.indexed_vault import IndexedVault
from tests.fakes.killable import BEGINNING, Ended, Place, start
from tests.fakes.run_parts import BREAD, MITES

INBOX = "Inbox/Research"
_WRITTEN_AT = 1_767_000_000  # long before any start, so that no note counts as just edited
_QUESTIONS = (
    "stale bread refrigerator",
    "varroa mites oxalic acid",
    "piano tuners stretch octaves",
    "kettle limescale vinegar",
    "violin rosin dust",
)
_LIBRARY = {
    "bread.txt": BREAD,
    "mites.txt": MITES,
    "piano.txt": """Stretched octaves

Piano tuners stretch the octaves because the thick strings of a piano make sharp overtones.
When piano tuners stretch octaves they listen to the beats between overtones of both strings.
""",
    "kettle.txt": """Limescale in a kettle

Vinegar dissolves the limescale of a kettle because limescale is mostly calcium carbonate.
A kettle with thick limescale needs warm vinegar for an hour, and two rinses with water.
""",
    "violin.txt": """Rosin dust on a violin

Rosin dust on a violin melts into the varnish when it is left there through a warm summer.
Players wipe rosin dust off the violin with a dry cloth, since alcohol would take the varnish.
""",
    "rope.txt": """Ropes

Climbers retire a rope after a hard fall because its core may be torn under a whole sheath.
""",
}
# Whatever hangs on when a start happened, or on what was drawn by chance.
_CHANGING = re.compile(
    r"\d{8}T\d{6}Z-[0-9a-f]{6}|\ba-[0-9a-f]{12}|\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}| \d{4})?"
    r"|(?:(?<=## )|(?<=\"))\d{2}:\d{2}(?= )"
)
# A run that goes on after a kill asks a library that is still being embedded, and says so.
_HOW_FAR = re.compile(
    r"^Sources that failed or answered only in part: .*\d+ of \d+ documents embedded.*\n\n", re.M
)
Scene = Callable[[Path], Place]


def research_scene(folder: Path) -> Place:
    """Nothing is known yet, and one note asks five questions."""
    place = Place(folder / "vault", folder / "home", folder / "library")
    for path in (place.vault, place.home, place.library):
        path.mkdir(parents=True)
    for name, text in _LIBRARY.items():
        (place.library / name).write_text(text)
    asked = "\n".join(f"  - {question}" for question in _QUESTIONS)
    write(
        place, "Questions.md", f"---\nresearch:\n{asked}\n---\nWhat I want to know, see [[Bees]].\n"
    )
    write(place, "Bees.md", "Varroa mites live in the brood. See [[Kettles]] and ![[bee.png]].\n")
    write(place, "bee.png", "not really")
    for number in range(7):
        heading = f"# Part one\n\nnote {number} on thing{number}\n\n# Part two\n\nmore of it\n"
        more = f"[[n{(number + 1) % 9}]] [[Questions]] [[Queen rearing]] [[Royal jelly]]"
        write(place, f"Folder/n{number}.md", f"{heading}{more}\n")
    return place


def review_scene(folder: Path) -> Place:
    """Five findings, each decided in another way, and a planned agenda that was edited."""
    place = _ready(folder)
    ask(place, "agenda-new", {})
    place = _undisturbed(place)
    found = finding_paths(place)
    assert len(found) == 5
    accepted, dismissed, never, moved, deleted = found
    edit(accepted, "- [ ] Accept", "- [x] Accept\n#good just what I needed")
    edit(dismissed, "- [ ] Dismiss", "- [x] Dismiss")
    edit(never, "- [ ] Never", "- [x] Never")
    moved.rename(place.vault / "Folder" / moved.name)
    deleted.unlink()
    agenda = next(path for path in inbox(place).glob("Agenda*") if "proposed" in path.read_text())
    lines = agenda.read_text().splitlines(keepends=True)
    tasks = [at for at, line in enumerate(lines) if line.startswith("- [x]")]
    assert len(tasks) >= 3, agenda.read_text()
    lines[tasks[0]] = lines[tasks[0]].replace("[x]", "[-]", 1)
    lines[tasks[1]] = lines[tasks[1]].replace("[x]", "[ ]", 1)
    agenda.write_text("".join(lines).replace("status: proposed", "status: approved"))
    (place.vault / "Bees.md").rename(place.vault / "Folder" / "Bees.md")
    (place.vault / "Questions.md").rename(place.vault / "Folder" / "Questions.md")
    return place


def command_scene(folder: Path) -> Place:
    """Commands wait for the daemon: questions, and decisions on three findings."""
    place = _ready(folder)
    write(place, "Ropes.md", "When is a rope too old?\n")
    ids = [_property(path, "lacuna_id") for path in finding_paths(place)]
    ask(place, "review", {"ids": ids[:1], "status": "accepted"})
    ask(place, "review", {"ids": ids[1:3], "status": "dismissed", "never": True})
    ask(place, "research", {"topics": ["climbers retire a rope after a fall"]})
    return place


def cli_scene(folder: Path) -> Place:
    """No daemon runs, and somebody researches from the command line, again after each kill."""
    body = {"topics": ["climbers retire a rope after a fall"], "note": None}
    return replace(_ready(folder), command=("research", body))


def corrupt_scene(folder: Path) -> Place:
    """The database has a bad page, and there are decisions that were not taken yet."""
    place = review_scene(folder)
    file = place.state / "lacuna.db"
    data = bytearray(file.read_bytes())
    at = data.index(b"note 3 on thing3") // PAGE * PAGE
    data[at : at + PAGE] = bytes(PAGE)
    file.write_bytes(data)
    return replace(place, is_corrupt=True)


def model_scene(folder: Path) -> Place:
    """The settings name another model, some notes changed, and the file of vectors is torn."""
    place = _ready(folder)
    write(place, "Folder/n3.md", "Rosin and rope, and nothing else.\n")
    (place.vault / "Folder").rename(place.vault / "Elsewhere")
    vectors = place.state / "vectors.faiss"
    vectors.write_bytes(vectors.read_bytes()[:100])
    return replace(place, model="another")


SCENES: dict[str, Scene] = {
    "research": research_scene,
    "review": review_scene,
    "command": command_scene,
    "cli": cli_scene,
    "corrupt": corrupt_scene,
    "model": model_scene,
}


def played(place: Place) -> tuple[Place, Ended]:
    """Play a scene to its end, undisturbed; return how its first start ended, with all errors."""
    place, first = start(unanswered(place))
    errors = first.errors
    if place.command is not None:  # what a command wrote is indexed by whoever comes next
        place, ended = start(replace(place, command=None))
        errors += ended.errors
    if place.is_corrupt:
        errors = tuple(line for line in errors if "it is kept as lacuna.db.corrupt-1" not in line)
    return place, replace(first, errors=errors)


def unanswered(place: Place) -> Place:
    """Return the place without its command if that was carried out: nobody gives it twice."""
    if place.command is None or not (place.state / "lacuna.db").exists():
        return place
    db = Database(place.state / "lacuna.db")
    done = db.value("SELECT 1 FROM requests WHERE kind = ? AND state = 'done'", place.command[:1])
    db.close()
    return replace(place, command=None) if done else place


def copied(place: Place, folder: Path) -> Place:
    """Copy a vault with its state; the library stays where it is, its addresses are in notes."""
    shutil.copytree(place.vault, folder / "vault")
    shutil.copytree(place.home, folder / "home")
    return replace(place, vault=folder / "vault", home=folder / "home")


@dataclass(frozen=True)
class Picture:
    """All that is to be the same after any kill; each part can be compared by itself."""

    users: dict[str, str]  # files outside the inbox, with their hashes
    notes: list[tuple[str, str]]  # in the inbox, without what hangs on the time
    kept: dict[str, Any]  # what the store holds besides the index
    index: dict[str, Any]
    state: list[str]  # names in the state folder


def picture(place: Place) -> Picture:
    indexed = IndexedVault(place.home, root=place.vault, model=place.model)
    try:
        kept, index = _kept(indexed.db), index_of(indexed)
    finally:
        indexed.db.close()
    files = {path: path.relative_to(place.vault).as_posix() for path in _files(place.vault)}
    return Picture(
        users={
            # A finding that was moved out is still written by us.
            name: sha256(_settled(path.read_text(errors="replace")).encode()).hexdigest()
            for path, name in files.items()
            if not name.startswith(INBOX)
        },
        notes=sorted(
            (_settled(name), _settled(_HOW_FAR.sub("", path.read_text())))
            for path, name in files.items()
            if name.startswith(INBOX)
        ),
        kept=kept,
        index=index,
        state=sorted(
            {_settled(path.relative_to(place.state).as_posix()) for path in _files(place.state)}
            - {"daemon.lock", "lacuna.db-wal", "lacuna.db-shm"}
        ),
    )


def cold_index(place: Place, folder: Path) -> dict[str, Any]:
    """What an index made in one go of the same files holds."""
    cold = IndexedVault(folder, root=place.vault, model=place.model)
    try:
        cold.sync(now=place.now)
        assert len(cold.vectors) > 0
        return index_of(cold)
    finally:
        cold.db.close()


def index_of(indexed: IndexedVault) -> dict[str, Any]:
    """The index, without ids, times and what only tells how it came to be."""
    model = indexed.embedder.model
    asked = indexed.embedder.embed(_QUESTIONS)
    rows = {
        # What is ours is compared as text; a digest may say how far the library was.
        "notes": "SELECT path, role, title, iif(role = 'own', 0, size),"
        " iif(role = 'own', 0, words), frontmatter, tags, aliases, headings, trouble FROM notes",
        "links": "SELECT * FROM links",
        "chunks": "SELECT note, ordinal, heading, line, text, hash FROM chunks",
        "words": "SELECT c.note, c.ordinal FROM chunk_words AS w JOIN chunks AS c ON c.id = w.rowid"
        " WHERE chunk_words MATCH 'thing3 OR mites OR more OR rope'",
        "embedded": "SELECT DISTINCT e.hash FROM embeddings AS e"
        f" JOIN chunks AS c ON c.hash = e.hash WHERE e.model = '{model}'",
        "saved": "SELECT (SELECT value FROM meta WHERE key = 'vectors_at')"
        " IS (SELECT value FROM meta WHERE key = 'chunks_generation')",
    }
    index: dict[str, Any] = {
        name: sorted(tuple(_settled(value) for value in row) for row in indexed.db.rows(sql))
        for name, sql in rows.items()
    }
    index["near"] = [
        [(_settled(near.path), round(near.similarity, 4)) for near in found]
        for found in indexed.search.nearest_chunks(asked, 5)
    ]
    return index


def write(place: Place, path: str, text: str) -> None:
    file = place.vault / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (_WRITTEN_AT, _WRITTEN_AT))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def ask(place: Place, kind: str, body: dict[str, Any]) -> None:
    db = Database(place.state / "lacuna.db")
    RequestStore(db).ask(kind, body, now=BEGINNING)
    db.close()


def inbox(place: Place) -> Path:
    return place.vault / INBOX


def finding_paths(place: Place) -> list[Path]:
    """The findings of the inbox, in the order of their names."""
    return sorted(path for path in inbox(place).glob("*.md") if "type: finding" in path.read_text())


def _ready(folder: Path) -> Place:
    """What the first scene comes to, undisturbed."""
    return _undisturbed(research_scene(folder))


def _undisturbed(place: Place) -> Place:
    place, ended = start(place)
    assert not ended.errors, ended.errors
    return place


def _kept(db: Database) -> dict[str, Any]:
    rows = {
        "findings": "SELECT id, path, status, title, source, key, topic, written, note, feedback,"
        " missing_at, decided_at IS NULL FROM findings",
        "agendas": "SELECT path, status, written, note, json_extract(body, '$.tasks') FROM agendas",
        "digests": "SELECT id, path, written, note FROM digests",
        "runs": "SELECT id, status, digest_path FROM runs",
        "never": "SELECT topic FROM never_topics",
        "triggers": "SELECT note, value FROM triggers",
        "requests": "SELECT id, kind, body, state FROM requests",
    }
    return {
        name: sorted(tuple(_settled(value) for value in row) for row in db.rows(sql))
        for name, sql in rows.items()
    }


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _settled(value: Any) -> Any:
    return _CHANGING.sub("…", value) if isinstance(value, str) else "" if value is None else value


def _property(path: Path, name: str) -> str:
    found = re.search(rf'^{name}: "?([^"\n]+)', path.read_text(), re.MULTILINE)
    assert found is not None
    return found[1]
