"""Hooks, notices and telemetry, according to the settings."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path

from tzlocal import get_localzone

from daemon import telemetry
from daemon.adapters.command_hooks import CommandHooks
from daemon.adapters.notify import ChannelSettings, build_notifiers, posting
from daemon.adapters.notify.parts import Post
from daemon.child_environment import WITH_KEYS
from daemon.config import Settings, origin_text
from daemon.cycle.announce import Announcements
from daemon.cycle.delivery import Delivery
from daemon.cycle.notices import Notices
from daemon.model.notice import NoticeKind
from daemon.model.spending import Sending
from daemon.parts import Ground
from daemon.ports import Secrets
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from daemon.store.outbox import OutboxStore
from daemon.store.troubles import TroubleStore
from scheduler.conditions import quiet_until


@dataclass(frozen=True, slots=True)
class Notifying:
    """The listeners for events: `hook_failed` records for `lacuna status` that a hook failed."""

    hooks: CommandHooks
    hook_failed: Callable[[str, str], None]
    delivery: Delivery
    announce: Announcements
    telemetry_off: Callable[[], None]


def notifying_of(ground: Ground, now: Callable[[], datetime]) -> Notifying:
    """Wire hooks, notices and telemetry according to the settings."""
    settings, db = ground.settings, ground.db
    troubles = TroubleStore(db)
    hooks, failed = hooks_of(settings, ground.folder, troubles, now)
    delivery = delivery_of(settings, db, ground.ledger, ground.secrets)
    announce = announcements_of(settings, hooks, delivery, troubles)
    return Notifying(hooks, failed, delivery, announce, telemetry_of(settings))


def telemetry_of(settings: Settings) -> Callable[[], None]:
    """Turn it on if it is enabled; return what turns it off, unless another App turned it on."""
    if not settings.telemetry.enabled:
        return lambda: None
    names = ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
    headers = next((WITH_KEYS[name] for name in names if name in WITH_KEYS), "")
    return telemetry.turn_on(settings.telemetry.endpoint, headers=headers)


def hooks_of(
    settings: Settings, folder: Path, troubles: TroubleStore, now: Callable[[], datetime]
) -> tuple[CommandHooks, Callable[[str, str], None]]:
    """Make the user's hooks, and the record for `lacuna status` of failed ones."""
    keeping = Announcements(troubles=troubles)

    def failed(hook: str, why: str) -> None:
        keeping.failed_hook(hook, why, now())

    made = CommandHooks(
        settings.hooks.commands, seconds=settings.hooks.timeout_seconds, cwd=folder, failed=failed
    )
    return made, failed


def announcements_of(
    settings: Settings, hooks: CommandHooks, delivery: Delivery, troubles: TroubleStore
) -> Announcements:
    wanted = {
        NoticeKind.DIGEST: settings.notifications.digest,
        NoticeKind.AGENDA: settings.notifications.agenda,
        NoticeKind.ERROR: settings.notifications.error,
        NoticeKind.BUDGET: settings.notifications.budget,
    }
    kinds = frozenset(kind for kind, is_on in wanted.items() if is_on)
    channels = tuple(delivery.notifiers)
    notices = Notices(
        delivery.outbox, channels, kinds, with_text=settings.notifications.include_text
    )
    return Announcements(hooks, notices, troubles)


def delivery_of(settings: Settings, db: Database, ledger: Ledger, secrets: Secrets) -> Delivery:
    """Make the notification channels; private addresses are reached at the exact origins set
    here.
    """
    addresses = {"ntfy": settings.notifications.ntfy, "webhook": settings.notifications.webhook}

    def post(name: str) -> Post:
        from daemon.network import gate  # noqa: PLC0415 only who sends needs it

        origins = (origin_text(addresses[name]),)

        def record(host: str, body: bytes) -> None:
            told = body.decode("utf-8", "replace")
            ledger.record(Sending(name, "notice", host, told, keys=(name,)))

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
