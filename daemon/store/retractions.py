"""A local copy of the Retraction Watch data set: which papers were retracted, and when."""

import csv
from collections.abc import Collection, Iterator
from datetime import date
from pathlib import Path

from daemon.model.errors import SettingsError

SETTING = "research.retraction_watch"
_DOI, _PUBMED = "OriginalPaperDOI", "OriginalPaperPubMedID"
_NATURE, _DATE = "RetractionNature", "RetractionDate"
_COLUMNS = (_DOI, _PUBMED, _NATURE, _DATE)
# Corrections and expressions of concern are not retractions.
_WEIGHT = {"retraction": True, "reinstatement": False}
_MAX_FIELD_LENGTH = 10_000_000


class RetractionFile:
    """`retraction_watch.csv` as Crossref publishes it; without a file, nothing is known."""

    def __init__(self, path: Path | None) -> None:
        """Raises SettingsError if the file does not exist or has other columns."""
        self._path = path
        if path is not None:
            next(self._rows(), None)

    def find(self, ids: Collection[str]) -> dict[str, str]:
        """Return the retracted DOIs (bare, lower case) and PubMed ids, with the date of retraction.

        A reinstated one counts as never retracted. Raises SettingsError.
        """
        wanted = {id_.lower() for id_ in ids if id_}
        last: dict[str, tuple[date, bool]] = {}
        for row in self._rows() if wanted else ():
            weight = _WEIGHT.get((row[_NATURE] or "").strip().lower())
            for id_ in (row[_DOI], row[_PUBMED]):
                key = (id_ or "").strip().lower()
                if weight is None or key not in wanted or key in ("0", "unavailable"):
                    continue
                last[key] = max(last.get(key, (date.min, False)), (_day(row[_DATE]), weight))
        return {
            key: f"Retraction Watch{f' ({day:%Y-%m-%d})' if day.year > 1 else ''}"
            for key, (day, is_retracted) in last.items()
            if is_retracted
        }

    def _rows(self) -> Iterator[dict[str, str | None]]:
        if self._path is None:
            return
        csv.field_size_limit(_MAX_FIELD_LENGTH)
        try:
            with self._path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
                rows = csv.DictReader(file)
                missing = [name for name in _COLUMNS if name not in (rows.fieldnames or ())]
                if missing:
                    raise SettingsError(
                        f"{self._path}: {SETTING}: no column {missing[0]}; it must be the"
                        " retraction_watch.csv that Crossref publishes"
                    )
                yield from rows
        except OSError as error:
            raise SettingsError(f"{self._path}: {SETTING}: {error.strerror}") from None
        except csv.Error as error:
            raise SettingsError(f"{self._path}: {SETTING}: {error}") from None


def _day(text: str | None) -> date:
    """Return the day of `12/31/2020 0:00`; the first of all days if it contains none."""
    try:
        month, day, year = (text or "").split(" ")[0].split("/")
        return date(int(year), int(month), int(day))
    except ValueError:
        return date.min
