"""Notices, and a recipient that records them."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from daemon.model.errors import NotifyError
from daemon.model.notice import Notice, NoticeKind
from daemon.ports import Notifier

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def a_notice(id: str = "digest-1", **values: object) -> Notice:
    notice = Notice(
        id,
        NoticeKind.DIGEST,
        NOW,
        "Lacuna: 2 findings to review",
        "1 document skipped.",
        {"findings": 2},
    )
    return replace(notice, **values)  # type: ignore[arg-type]


@dataclass
class FakeNotifier(Notifier):
    """Takes what it is sent, unless it is out of order."""

    label: str = "desktop"
    sent: list[Notice] = field(default_factory=list)
    trouble: str = ""
    tries: int = 0

    @property
    def name(self) -> str:
        return self.label

    def send(self, notice: Notice) -> None:
        self.tries += 1
        if self.trouble:
            raise NotifyError(self.trouble)
        self.sent.append(notice)
