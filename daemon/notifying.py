"""Hooks, notices and telemetry, according to the settings."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time

from tzlocal import get_localzone

from daemon.adapters.command_hooks import CommandHooks
from daemon.adapters.notify import ChannelSettings, build_notifiers, posting
from daemon.adapters.notify.channel import PostFunction
from daemon.child_environment import WITH_KEYS
from daemon.config import Settings, origin_text
from daemon.cycle.announce import Announcements
from daemon.cycle.delivery import Delivery
from daemon.cycle.hook_reader import HookReader
from daemon.cycle.notices import Notices
from daemon.gates import gate
from daemon.model.notice import NoticeKind
from daemon.model.spending import Sending
from daemon.parts import Ground
from daemon.ports import Secrets
from daemon.store.announcements import AnnouncementStore
from daemon.store.db import Database
from daemon.store.events import EventLog
from daemon.store.ledger import Ledger
from daemon.store.outbox import OutboxStore
from daemon.store.troubles import TroubleStore
from daemon.telemetry import Telemetry
from scheduler.conditions import quiet_until


@dataclass(frozen=True, slots=True)
class Notifying:
    """The readers of the event stream that inform others.

    `hook_failed` records for `lacuna status` that a hook failed.
    """

    hooks: CommandHooks
    hook_failed: Callable[[str, str], None]
    announce: Announcements
    hook_reader: HookReader
    notices: Notices
    telemetry: Telemetry | None
    delivery: Delivery

    def catch_up(self) -> None:
        """Continue where the readers of an ended process stopped. Only for the writer."""
        self.notices.catch_up()
        self.hook_reader.wake()

    def close(self) -> None:
        """Wait a little for hooks, deliveries and spans in progress."""
        self.hook_reader.close()
        self.delivery.close()
        if self.telemetry is not None:
            self.telemetry.close()


def notifying_of(
    ground: Ground, events: EventLog, store: AnnouncementStore, now: Callable[[], datetime]
) -> Notifying:
    """Make hooks, notices and telemetry read the event stream, according to the settings."""
    settings, announce = ground.settings, Announcements(events, TroubleStore(ground.db))

    def failed(hook: str, why: str) -> None:
        announce.failed_hook(hook, why, now())

    seconds = settings.hooks.timeout_seconds
    hooks = CommandHooks(settings.hooks.commands, seconds=seconds, cwd=ground.folder)
    hook_reader = HookReader(store, hooks, seconds=seconds, failed=failed)
    delivery = delivery_of(settings, ground.db, ground.ledger, ground.secrets)
    notices = notices_of(settings, store, delivery)
    spans = telemetry_of(settings)
    for reader in (notices, hook_reader, spans):
        if reader is not None:
            events.subscribe(reader.read)
    return Notifying(hooks, failed, announce, hook_reader, notices, spans, delivery)


def telemetry_of(settings: Settings) -> Telemetry | None:
    """Return what sends spans, if it is enabled."""
    if not settings.telemetry.enabled:
        return None
    names = ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
    headers = next((WITH_KEYS[name] for name in names if name in WITH_KEYS), "")
    return Telemetry(settings.telemetry.endpoint, headers)


def notices_of(settings: Settings, store: AnnouncementStore, delivery: Delivery) -> Notices:
    """Make the reader that writes notices of the enabled kinds."""
    wanted = {
        NoticeKind.DIGEST: settings.notifications.digest,
        NoticeKind.AGENDA: settings.notifications.agenda,
        NoticeKind.ERROR: settings.notifications.error,
        NoticeKind.BUDGET: settings.notifications.budget,
    }
    kinds = frozenset(kind for kind, is_on in wanted.items() if is_on)
    channels = tuple(delivery.notifiers)
    with_text = settings.notifications.include_text
    return Notices(store, delivery.outbox, channels, kinds, with_text=with_text)


def delivery_of(settings: Settings, db: Database, ledger: Ledger, secrets: Secrets) -> Delivery:
    """Make the notification channels; private addresses are reached at the exact origins set
    here.
    """
    addresses = {"ntfy": settings.notifications.ntfy, "webhook": settings.notifications.webhook}

    def post(name: str) -> PostFunction:
        origins = (origin_text(addresses[name]),)

        def record(host: str, body: bytes) -> None:
            text = body.decode("utf-8", "replace")
            ledger.record(Sending(name, "notice", host, text, keys=(name,)))

        return posting(gate(settings, allow_origins=origins), record)

    channels = ChannelSettings(
        settings.notifications.desktop,
        settings.notifications.ntfy,
        settings.notifications.webhook,
        secrets,
        post,
    )

    def quiet(at: datetime) -> datetime | None:
        begin, end = settings.quiet_hours.start, settings.quiet_hours.end
        if not begin or not end:
            return None
        return quiet_until(at, get_localzone(), time.fromisoformat(begin), time.fromisoformat(end))

    return Delivery(OutboxStore(db), build_notifiers(channels), quiet)
