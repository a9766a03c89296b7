"""What the vault already has: the works that its notes are about, and documents ingested before."""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from daemon.model.evidence import Document, Hit, SourceType
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.literature import INGEST, Work
from daemon.model.notes import NoteRow
from daemon.model.topics import topic_key
from daemon.research.cited import cited_in
from daemon.research.identity import keys_of
from vault_adapters.note import Role
from vault_adapters.wikilink import note_name

# Properties that say what a note is about; others, such as `references`, name further works.
_PROPERTIES = frozenset(
    {"doi", "arxiv", "arxiv_id", "url", "urls", "link", "source", "uri", "website", "address"}
    | {"permalink", "href", "canonical"}
)
_MIN_WORDS, _MIN_LENGTH = 3, 16  # of a title that only one work has


def keys_of_work(document: Document, work: Work) -> tuple[str, ...]:
    """Return the identities of a document: what it says of itself, its text and its bytes."""
    hits = [
        Hit("", SourceType.WEB, "", "", doi=work.doi, arxiv_id=work.arxiv_id),
        *(Hit("", SourceType.WEB, url, "") for url in (work.url, document.hit.url) if url),
    ]
    named = [key for hit in hits for key in keys_of(hit) if not key.startswith("file:")]
    text = " ".join(document.text.split()).casefold()
    hashed = sha256(text.encode("utf-8", "replace")).hexdigest()
    return tuple(
        dict.fromkeys(
            [*named, f"sha256:{document.sha256}", f"text:{hashed}", *title_keys(document.hit.title)]
        )
    )


def title_keys(title: str) -> list[str]:
    """Return the key of a title; none for one that other works may have, too."""
    key = topic_key(title)
    is_informative = len(key.split()) >= _MIN_WORDS and len(key) >= _MIN_LENGTH
    return [f"title:{key}"] if is_informative else []


class Known:
    """The note of each work that the vault has, by the keys of the work."""

    def __init__(self, notes: Iterable[NoteRow], records: Iterable[FindingRecord]) -> None:
        """`notes` are those of the vault; of Lacuna's own, only those of `records` count."""
        self._paths: dict[str, str] = {}
        self._records = {record.id: record for record in records if record.run == INGEST}
        kept = {id_ for id_, each in self._records.items() if not _is_dismissed(each)}
        for row in notes:
            id_ = str(row.frontmatter.get("lacuna_id") or "")
            if id_ in kept or (row.role is Role.NOTE and not id_):
                self.add(_keys_of_note(row), row.path)
        for id_ in kept:
            self.add(self._records[id_].keys, self._records[id_].path)

    def record(self, id_: str) -> FindingRecord | None:
        """Return the record of a note that was written before, or None."""
        return self._records.get(id_)

    def add(self, keys: Iterable[str], path: str) -> None:
        for key in keys:
            self._paths.setdefault(key, path)

    def find(self, keys: Iterable[str]) -> str:
        """Return the note of a work with one of these keys, or ""."""
        return next((self._paths[key] for key in keys if key in self._paths), "")


def _is_dismissed(record: FindingRecord) -> bool:
    return record.status is FindingStatus.DISMISSED


def _keys_of_note(row: NoteRow) -> Iterator[str]:
    named = {name: value for name, value in row.frontmatter.items() if _is_about_it(name)}
    yield from cited_in([(row.path, text) for text in _texts(named.values())])
    titles = [row.title, note_name(row.path), *row.aliases, *_texts([row.frontmatter.get("title")])]
    for title in titles:
        yield from title_keys(title)


def _is_about_it(name: str) -> bool:
    return name.strip().casefold().replace("-", "_").replace(" ", "_") in _PROPERTIES


def _texts(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, str))
