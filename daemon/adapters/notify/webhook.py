"""The user's own webhook, signed according to Standard Webhooks.

https://www.standardwebhooks.com: `webhook-signature` is `v1,` and the base64 of the HMAC-SHA256 of
`<webhook-id>.<webhook-timestamp>.<body>`. The key is the secret `webhook`: `whsec_` and base64, or
any other text, whose UTF-8 bytes are then the key. A receiver rejects old timestamps, and
recognises a repeated notice by its id.
"""

import hmac
import json
from base64 import b64decode, b64encode
from binascii import Error as NoBase64Error
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256

from daemon.adapters.notify.channel import ChannelSettings, PostFunction, deliver, key_of
from daemon.model.errors import NotifyError
from daemon.model.notice import Notice
from daemon.ports import Notifier, Secrets

KEY = "webhook"
FORMAT = 1
_PREFIX = "whsec_"


class Webhook(Notifier):
    """Sends each notice as JSON, signed when it is sent."""

    def __init__(
        self,
        url: str,
        post: PostFunction,
        secrets: Secrets,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._url = url
        self._post = post
        self._secrets = secrets
        self._clock = clock

    @property
    def name(self) -> str:
        return "webhook"

    def send(self, notice: Notice) -> None:
        secret = key_of(self._secrets, KEY)
        if not secret:
            raise NotifyError("no signing secret: set one with `lacuna secrets set webhook`")
        body = json.dumps(body_of(notice)).encode()
        id_, timestamp = f"msg_{notice.id}", str(int(self._clock().timestamp()))
        headers = {
            "webhook-id": id_,
            "webhook-timestamp": timestamp,
            "webhook-signature": signature(secret, id_, timestamp, body),
        }
        deliver(self._post, self._url, body, headers)


def body_of(notice: Notice) -> dict[str, object]:
    """The body: `{format, type, timestamp, data: {title, text, counts}}`."""
    return {
        "format": FORMAT,
        "type": f"lacuna.{notice.kind}",
        "timestamp": notice.created_at.isoformat(),
        "data": {"title": notice.title, "text": notice.text, "counts": dict(notice.counts)},
    }


def signature(secret: str, id: str, timestamp: str, body: bytes) -> str:
    """Sign a body. Raises NotifyError for a secret with a base64 prefix that is not base64."""
    key = secret.encode()
    if secret.startswith(_PREFIX):
        try:
            key = b64decode(secret.removeprefix(_PREFIX), validate=True)
        except (NoBase64Error, ValueError):
            raise NotifyError(
                "the secret `webhook` begins with whsec_, but is not base64"
            ) from None
    signed = hmac.digest(key, f"{id}.{timestamp}.".encode() + body, sha256)
    return f"v1,{b64encode(signed).decode()}"


def build(channels: ChannelSettings) -> Notifier | None:
    if not channels.webhook:
        return None
    return Webhook(channels.webhook, channels.post("webhook"), channels.secrets)
