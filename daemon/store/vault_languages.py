"""Which languages the vault's notes are in, detected in a sample of their chunks."""

import json
from collections.abc import Collection
from itertools import chain
from zlib import crc32

from daemon.language.guess import by_script, count_languages
from daemon.store.db import Database

_META = "languages"
_SAMPLED = 100
# By their hashes chunks are drawn as if at random, and an edit draws hardly any others.
_SAMPLE = "SELECT hash, text FROM chunks WHERE text != '' ORDER BY hash LIMIT ?"


class VaultLanguages:
    """The languages of one index; read from the database on each call."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._read: tuple[str, dict[str, int], dict[str, list[str]]] = ("", {}, {})

    def update(self) -> None:
        """Detect the languages again if the sample has changed."""
        rows = self._db.rows(_SAMPLE, (_SAMPLED,))
        drawn = crc32("".join(row["hash"] for row in rows).encode())
        known = json.loads(self._db.get_meta(_META) or "{}")
        if known.get("drawn") != drawn:
            counts = count_languages(row["text"] for row in rows)
            self._db.set_meta(_META, json.dumps({"drawn": drawn, "counts": counts}))

    def sample(self) -> list[str]:
        """Return the texts of chunks from all over the vault."""
        return [row["text"] for row in self._db.rows(_SAMPLE, (_SAMPLED,))]

    def counts(self) -> dict[str, int]:
        """Return how many of the sampled chunks are in each language, most frequent first."""
        return self._known()[1]

    def by_script(self) -> dict[str, list[str]]:
        """Return the languages of each script, by its main language; see `guess.by_script`."""
        return self._known()[2]

    def share_known(self, languages: Collection[str], script: str = "") -> float:
        """Return the share of the notes, or of those in one script, that are in some `languages`.

        For a script that no note uses, 1 if its main language is one of them.
        """
        of_script = self.by_script()
        named = of_script.get(script, ()) if script else chain.from_iterable(of_script.values())
        counts = {language: self.counts()[language] for language in named}
        total = sum(counts.values())
        if not total:
            return float(not script or script in languages)
        return sum(count for language, count in counts.items() if language in languages) / total

    def _known(self) -> tuple[str, dict[str, int], dict[str, list[str]]]:
        raw = self._db.get_meta(_META) or "{}"
        if raw != self._read[0]:
            counts: dict[str, int] = json.loads(raw).get("counts", {})
            self._read = (raw, counts, by_script(counts))
        return self._read
