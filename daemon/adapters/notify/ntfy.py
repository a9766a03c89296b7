"""ntfy, on ntfy.sh or on the user's own server: JSON to the server's root.

See https://docs.ntfy.sh/publish/#publish-as-json; the access token is the key `ntfy`.
"""

import json
from urllib.parse import unquote, urlsplit

from daemon.adapters.notify.channel import ChannelSettings, PostFunction, deliver, key_of
from daemon.model.notice import Notice, NoticeKind
from daemon.ports import Notifier, Secrets

KEY = "ntfy"
_MAX_BYTES = 3000  # bytes of a message; ntfy turns one of more than 4096 into an attachment
_HIGH, _DEFAULT, _LOW = 4, 3, 2
_PRIORITIES = {NoticeKind.ERROR: _HIGH, NoticeKind.AGENDA: _DEFAULT, NoticeKind.BUDGET: _DEFAULT}
_TAGS = {
    NoticeKind.DIGEST: "mag",
    NoticeKind.AGENDA: "ballot_box_with_check",
    NoticeKind.ERROR: "warning",
    NoticeKind.BUDGET: "hourglass",
}


class Ntfy(Notifier):
    """One topic; `url` is the server's address with the topic as its last part."""

    def __init__(self, url: str, post: PostFunction, secrets: Secrets) -> None:
        parts = urlsplit(url)
        folder, _, topic = parts.path.rstrip("/").rpartition("/")
        self._root = parts._replace(path=f"{folder}/", query="", fragment="").geturl()
        self._topic = unquote(topic)
        self._post = post
        self._secrets = secrets

    @property
    def name(self) -> str:
        return "ntfy"

    def send(self, notice: Notice) -> None:
        body = {
            "topic": self._topic,
            "title": notice.title,
            "message": notice.text.encode()[:_MAX_BYTES].decode("utf-8", "ignore"),
            "priority": _PRIORITIES.get(notice.kind, _LOW),
            "tags": [_TAGS[notice.kind]],
        }
        token = key_of(self._secrets, KEY)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        deliver(self._post, self._root, json.dumps(body).encode(), headers)


def build(channels: ChannelSettings) -> Notifier | None:
    return Ntfy(channels.ntfy, channels.post("ntfy"), channels.secrets) if channels.ntfy else None
