"""Figures of decentralised finance, through DefiLlama: a table, not a text."""

from collections.abc import Iterable
from typing import Any, ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.adapters.sources.record import day_of, first, web_of
from daemon.adapters.sources.reply import data, parsed, plain, unavailable
from daemon.adapters.sources.word_index import stems
from daemon.model.evidence import Hit

_ROWS = (
    ("Category", "category"),
    ("Chains", "chains"),
    ("Value locked, USD", "tvl"),
    ("Change in a day, %", "change_1d"),
    ("Change in a week, %", "change_7d"),
    ("Market value, USD", "mcap"),
)
_CHAINS = 6


class DefiLlamaSource(ApiSource):
    """Reads `{base_url}/protocols` and keeps those that the query names, largest first."""

    kind: ClassVar[str] = "defillama"

    async def find(self, question: str, limit: int) -> Iterable[Hit]:
        fetched = await self.get("/protocols", {})
        body = parsed(fetched)
        if isinstance(body, dict):
            data(fetched)  # names the error
        known = [each for each in body if isinstance(each, dict)] if isinstance(body, list) else []
        if not known and body != []:
            raise unavailable("the answer does not have the expected form")
        asked = set(stems(question))
        named = [each for each in known if asked & set(stems(plain(each.get("name"))))]
        named.sort(key=lambda each: -_number(each.get("tvl")))
        return [hit for hit in map(self._hit, named[:limit]) if hit.url]

    def _hit(self, protocol: dict[str, Any]) -> Hit:
        slug = plain(protocol.get("slug"))
        url = f"https://defillama.com/protocol/{slug}" if slug else web_of(protocol.get("url"))
        return Hit(
            source=self.name,
            source_type=self.parts.entry.source_type,
            url=url,
            title=plain(protocol.get("name")) or url,
            snippet=plain(protocol.get("description")),
            published=day_of(protocol.get("listedAt")),
            figures=tuple(_figures(protocol)),
        )


def _figures(protocol: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Return the known figures, as rows of a table."""
    rows = ((title, _shown(protocol.get(key))) for title, key in _ROWS)
    return ((title, value) for title, value in rows if value)


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(plain, value[:_CHAINS])))
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:,.2f}".removesuffix(".00")
    return plain(first(value))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
