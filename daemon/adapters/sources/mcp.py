"""Any MCP server: sources.yaml describes its tool and the form of its answers."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Self

from daemon.adapters.sources.api import ApiSource, Found
from daemon.adapters.sources.entry import API_KEY, Entry, with_keys
from daemon.adapters.sources.filling import filled
from daemon.adapters.sources.mapping import check_paths, hits_of
from daemon.adapters.sources.mcp_child import Address, Command, EndedError, RefusedCallError
from daemon.adapters.sources.mcp_http import MAX_ANSWER_BYTES
from daemon.adapters.sources.mcp_results import error_in, records_in, says_nothing_found
from daemon.adapters.sources.mcp_session import McpSession
from daemon.adapters.sources.reply import Blame, TroubleError, parsed, unavailable, unreached
from daemon.adapters.sources.source_parts import Parts
from daemon.model.errors import SourceError, SpentError
from daemon.model.evidence import SourceStatus
from daemon.ports import Fetched

_ASKED = {"query": "{query}"}  # unless `arguments` says otherwise


class McpSource(ApiSource):
    """Calls one tool of a server, which is started by `command` or reached at `url`."""

    kind: ClassVar[str] = "mcp"

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.session = McpSession(_way(parts))

    @classmethod
    def build(cls, parts: Parts) -> Self:
        """Raises SourceError if a required setting is missing."""
        entry = parts.entry
        if not entry.command and not entry.base_url:
            raise SourceError("command or base_url is missing in sources.yaml")
        if not entry.tool:
            raise SourceError("tool is missing in sources.yaml")
        check_paths(entry.results)
        for name in entry.keys:
            if name not in parts.keys:
                raise SourceError(f"no key: lacuna secrets set {name}")
        return cls(parts)

    def close(self) -> None:
        """Stop the server, if it was started."""
        self.session.close()

    async def find(self, question: str, limit: int) -> Found:
        arguments = filled(self.parts.entry.arguments or _ASKED, self._values(question, limit))
        fetched = await self._send(lambda: self._counted_call(arguments))
        body = parsed(fetched)
        if body.get("isError"):
            raise unavailable(f"reports an error: {error_in(body)}")
        if says_nothing_found(body):
            return Found(())
        records = records_in(body, self.parts.entry.results.records)
        return Found(*hits_of(records, self.parts.entry, self.name))

    def _values(self, question: str, limit: int) -> dict[str, Any]:
        model = self.parts.entry.models[0] if self.parts.entry.models else ""
        return {"query": question, "limit": limit, "model": model}

    async def _counted_call(self, arguments: dict[str, Any]) -> Fetched:
        """Count data sent to a command; data sent to an address is counted at the gate."""
        words, meter = self.parts.entry.command, self.parts.meter
        if not words or meter is None:
            return await self._call(arguments)
        what = f"{self.parts.entry.tool} {json.dumps(arguments, ensure_ascii=False)}"
        try:
            with meter.command(Path(words[0]).name, what) as counted:
                fetched = await self._call(arguments)
                counted.take(len(fetched.body))
                return fetched
        except SpentError as error:
            raise unreached(error) from error

    async def _call(self, arguments: dict[str, Any]) -> Fetched:
        """Raises TroubleError, a temporary one if the server went away."""
        entry = self.parts.entry
        patience = entry.timeout_seconds
        try:
            text = await self.session.call(entry.tool, arguments, patience=patience)
        except TimeoutError:
            raise unavailable(f"no answer in time ({patience:g} s)") from None
        except EndedError as error:
            why = f": {error}" if str(error) else ""
            raise TroubleError(
                SourceStatus.UNAVAILABLE, f"ended without an answer{why}", is_transient=True
            ) from None
        except RefusedCallError as error:
            raise unavailable(str(error), Blame.SOURCE) from None
        body = text.encode("utf-8", "replace")
        if len(body) > MAX_ANSWER_BYTES:
            raise unavailable(f"the answer is larger than {MAX_ANSWER_BYTES / 1e6:g} MB")
        now = datetime.fromtimestamp(self.parts.clock(), UTC)
        return Fetched("mcp:", "mcp:", 200, {"content-type": "application/json"}, body, now)


def _way(parts: Parts) -> Command | Address:
    entry, keys = parts.entry, {**parts.keys, API_KEY: parts.key}
    env = {name: with_keys(text, keys) for name, text in entry.env.items()}
    if entry.command:
        words = (*entry.command, *entry.args)
        return Command(words, env, parts.cache_dir / "mcp")
    headers = {name: with_keys(text, keys) for name, text in _headers(entry).items()}
    return Address(entry.base_url, headers, parts.fetcher)


def _headers(entry: Entry) -> dict[str, str]:
    if entry.api_key and not any("{" in text for text in entry.headers.values()):
        return {**entry.headers, "Authorization": f"Bearer {{{API_KEY}}}"}
    return entry.headers
