"""A hub over HTTPS."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol
from urllib.parse import quote

from pydantic import ValidationError

from daemon.model.errors import (
    FetchError,
    HubConflictError,
    HubError,
    HubUnknownError,
    SecretError,
)
from daemon.model.finding import FindingStatus
from daemon.model.shared_findings import Deliveries
from daemon.model.shared_notes import Batch, Published
from daemon.ports import Fetched

_OK, _UNAUTHORISED = (200, 201), 401
_REFUSALS = {404: HubUnknownError, 409: HubConflictError}
_MAX_REASON = 200  # characters of what a hub says


class _Gate(Protocol):
    async def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Fetched: ...

    async def post(
        self, url: str, *, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Fetched: ...


_Ask = Callable[[str, Mapping[str, str]], Awaitable[Fetched]]


class HubClient:
    """Asks the hub at `url`."""

    def __init__(self, url: str, gate: _Gate, token: Callable[[], str | None]) -> None:
        """`token` looks the token up, and may raise SecretError."""
        self.url = url
        self._gate, self._token = gate, token

    def published(self, vault: str) -> Published:
        """Return what the hub has of a vault of ours. Raises HubError."""
        found = self._answer(_getting(self._gate), _notes(vault))
        try:
            return Published.model_validate_json(found)
        except ValidationError:
            raise HubError(_unknown(self.url)) from None

    def publish(self, vault: str, batch: Batch) -> int:
        """Send changes; return the new revision. Raises HubError, HubConflictError."""
        # Defaults are not sent: a hub of the version before may not know them.
        found = self.post(_notes(vault), batch.model_dump(mode="json", exclude_defaults=True))
        if not isinstance(found, dict) or not isinstance(found.get("revision"), int):
            raise HubError(_unknown(self.url))
        return int(found["revision"])

    def delivered(self, vault: str, after: int) -> Deliveries:
        """Return what changed of the findings for a vault of ours. Raises HubError."""
        found = self._answer(_getting(self._gate), f"{_vault(vault)}/findings?after={after}")
        try:
            return Deliveries.model_validate_json(found)
        except ValidationError:
            raise HubError(_unknown(self.url)) from None

    def decide(self, delivery: int, status: FindingStatus) -> None:
        """Decide a finding. Raises HubError, HubConflictError if somebody else was first."""
        self.post(f"/hub/v1/findings/{delivery}", {"status": status})

    def get(self, path: str) -> Any:
        """Return the JSON at a path. Raises HubError."""
        return self._parsed(self._answer(_getting(self._gate), path))

    def post(self, path: str, body: Mapping[str, Any], *, with_token: bool = True) -> Any:
        """Send JSON to a path, and return the JSON of the answer. Raises HubError."""
        sent = json.dumps(body).encode()

        def ask(to: str, keys: Mapping[str, str]) -> Awaitable[Fetched]:
            headers = {**keys, "Content-Type": "application/json"}
            return self._gate.post(to, body=sent, headers=headers)

        return self._parsed(self._answer(ask, path, self._bearer() if with_token else {}))

    def _bearer(self) -> Mapping[str, str]:
        try:
            token = self._token()
        except SecretError as error:
            raise HubError(str(error)) from None
        if not token:
            raise HubError("this vault has no token for the hub: `lacuna hub join`")
        return {"Authorization": f"Bearer {token}"}

    def _answer(self, ask: _Ask, path: str, keys: Mapping[str, str] | None = None) -> bytes:
        headers = self._bearer() if keys is None else keys

        async def asked() -> Fetched:
            return await ask(f"{self.url}{path}", headers)

        try:
            answer = asyncio.run(asked())
        except FetchError as error:
            raise HubError(f"the hub does not answer: {error}") from None
        if answer.status in _OK:
            return answer.body
        if answer.status == _UNAUTHORISED:
            raise HubError(
                "the hub refuses the token: `lacuna hub login`, or ask its operator for a new one"
            )
        raise _REFUSALS.get(answer.status, HubError)(_reason(answer))

    def _parsed(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except ValueError:
            raise HubError(_unknown(self.url)) from None


def _getting(gate: _Gate) -> _Ask:
    return lambda to, keys: gate.get(to, headers=keys)


def _notes(vault: str) -> str:
    return f"{_vault(vault)}/notes"


def _vault(vault: str) -> str:
    return f"/hub/v1/vaults/{quote(vault, safe='')}"


def _unknown(url: str) -> str:
    return f"{url}: this is no hub, or one of another version"


def _reason(answer: Fetched) -> str:
    """Return why a hub refused, in one line."""
    try:
        detail = str(json.loads(answer.body)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"the hub answered with HTTP {answer.status}"
    return " ".join(detail.split())[:_MAX_REASON]
