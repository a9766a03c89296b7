"""Any service that answers with JSON: how it is asked, and what it means, is in sources.yaml."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote, urlsplit

from daemon.adapters.sources.api import ApiSource, Found
from daemon.adapters.sources.entry import API_KEY, Entry, Paging
from daemon.adapters.sources.filling import filled, named_in
from daemon.adapters.sources.mapping import check_paths, error_in, hits_of, records_at
from daemon.adapters.sources.paths import at, fault
from daemon.adapters.sources.reply import Blame, TroubleError, parsed, unavailable
from daemon.adapters.sources.source_parts import Parts
from daemon.adapters.sources.word_index import terms
from daemon.model.errors import SourceError
from daemon.model.evidence import Hit
from daemon.ports import Fetched

_KEY_REFUSED = (401, 403)
_MAX_WORDS = 8  # of a question, where a service is asked by words
_MAX_RETRY_AFTER = 3600.0  # seconds that a service may ask to be left alone


class JsonSource(ApiSource):
    """Asks the address that the entry's `url` is a template of, page by page."""

    kind: ClassVar[str] = "json"

    @classmethod
    def build(cls, parts: Parts) -> Self:
        """Raises SourceError when something that is needed is missing."""
        entry = parts.entry
        if not entry.base_url:
            raise SourceError("url or base_url is missing in sources.yaml")
        for name in () if entry.key_optional else entry.keys:
            if name not in parts.keys and not (name == entry.api_key and parts.key):
                raise SourceError(f"no key: lacuna secrets set {name}")
        if "contact" in named_in([entry.headers, entry.arguments]) and not parts.contact:
            raise SourceError("requires a contact address: set `contact` in the settings")
        check_paths(entry.results)
        _check_paging(entry.paging)
        return cls(parts)

    async def find(self, question: str, limit: int) -> Found:
        paging, hits, missing, cursor = self.parts.entry.paging, list[Hit](), "", ""
        for page in range(paging.pages):
            try:
                found, cursor, is_last = await self._page(question, limit, page, cursor)
            except TroubleError as trouble:
                if not hits:
                    raise
                missing = f"page {page + 1}: {trouble.why}"
                break
            hits += found.hits
            missing = missing or found.missing
            if is_last or len(hits) >= limit:
                break
        return Found(tuple(hits), missing)

    async def _page(
        self, question: str, limit: int, page: int, cursor: str
    ) -> tuple[Found, str, bool]:
        """Ask for one page; return its hits, the next page's cursor, and whether it is the last."""
        entry, paging = self.parts.entry, self.parts.entry.paging
        size = min(limit, paging.size)
        arguments = {
            **_worded(question),
            "limit": size,
            "page": paging.first + page,
            "offset": page * size,
            "cursor": cursor,
            "model": entry.models[0] if entry.models else "",
            "contact": self.parts.contact,
        }
        fetched = await self._ask({**arguments, **self.parts.keys, API_KEY: self.parts.key})
        try:
            body = parsed(fetched)
            records = self._records(body)
        except TroubleError as trouble:
            trouble.why += _moved(fetched)
            raise
        if wait := _seconds(at(body, paging.wait) if paging.wait else None):
            self._line.pause(wait)
        following = at(body, paging.next) if paging.next else ""
        cursor = str(following) if isinstance(following, str | int) else ""
        is_last = len(records) < size or bool(paging.next and not cursor)
        return Found(*hits_of(_named(records, entry, question), entry, self.name)), cursor, is_last

    async def _ask(self, values: Mapping[str, Any]) -> Fetched:
        entry = self.parts.entry
        quoted = {name: quote(str(each), safe="") for name, each in values.items()}
        url = str(filled(entry.base_url, quoted))
        headers = {"Accept": "application/json", **_filled_arguments(_headers(entry), values)}
        arguments = _filled_arguments(entry.arguments, values)
        try:
            if entry.method == "post":
                return await self.post("", arguments, headers, base_url=url)
            arguments = {name: _as_text(value) for name, value in arguments.items()}
            return await self.get("", arguments, headers, base_url=url)
        except TroubleError as trouble:
            if trouble.http in _KEY_REFUSED:
                trouble.why += _key_trouble(entry, self.parts)
            raise

    def _records(self, body: Any) -> list[dict[str, Any]]:
        """Raises TroubleError when the answer is an error, or holds no records."""
        path = self.parts.entry.results.records
        records = records_at(body, path)
        if isinstance(body, dict) and not (path and records) and _is_error(body):
            raise unavailable(f"reports an error: {error_in(body) or 'it gives no reason'}")
        return records


def _is_error(body: Mapping[str, Any]) -> bool:
    return any(body.get(name) for name in ("error", "errors", "error_message", "errCode"))


def _worded(question: str) -> dict[str, str]:
    """The question as it is, its significant words, and those joined for a boolean search.

    Raises TroubleError when it has no words.
    """
    words = terms(question, _MAX_WORDS)
    if not words:
        raise unavailable("the query contains no searchable words", Blame.QUESTION)
    return {"query": question, "words": " ".join(words), "all_words": " AND ".join(words)}


def _filled_arguments(arguments: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in the placeholders; a part whose placeholder has no value is omitted."""
    return {
        name: filled(each, values)
        for name, each in arguments.items()
        if all(values.get(one, "") != "" for one in named_in(each))
    }


def _headers(entry: Entry) -> dict[str, str]:
    named = {*named_in(entry.headers), *named_in(entry.arguments), *named_in(entry.base_url)}
    if entry.api_key and not named & {API_KEY, entry.api_key}:
        return {**entry.headers, "Authorization": f"Bearer {{{API_KEY}}}"}
    return entry.headers


def _named(records: list[dict[str, Any]], entry: Entry, question: str) -> list[dict[str, Any]]:
    """Keep the records whose name the question has, where the entry says what their name is."""
    if not (path := entry.results.match):
        return records
    words = {*terms(question, 40)}
    named = ((record, terms(str(at(record, path) or ""))) for record in records)
    return [record for record, name in named if name and words >= {*name}]


def _as_text(value: Any) -> str:
    """Format an argument for an address."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(_as_text, value)) if isinstance(value, list) else str(value)


def _moved(fetched: Fetched) -> str:
    """Describe where the answer came from, if the request was redirected."""
    requested, final = urlsplit(fetched.url), urlsplit(fetched.final_url)
    if (requested.netloc, unquote(requested.path).rstrip("/")) == (
        final.netloc,
        unquote(final.path).rstrip("/"),
    ):
        return ""
    return f"; the address redirects to {final.scheme}://{final.netloc}{final.path}"[:200]


def _key_trouble(entry: Entry, parts: Parts) -> str:
    if not entry.api_key:
        return "; if it needs a key, name it in `api_key`"
    if not parts.key:
        return f"; without a key: lacuna secrets set {entry.api_key}"
    return f"; set its key again: lacuna secrets set {entry.api_key}"


def _seconds(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(float(value), _MAX_RETRY_AFTER) if is_number and value > 0 else 0.0


def _check_paging(paging: Paging) -> None:
    for field, path in (("next", paging.next), ("wait", paging.wait)):
        if path and (why := fault(path)):
            raise SourceError(f"paging.{field}: {why}")
