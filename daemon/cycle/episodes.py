"""Episodes in the inbox: an audio file, its script, and an entry in the feed; each only added."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from daemon.cycle.knowledge import Knowledge
from daemon.findings.feed_file import Channel, FeedItem, empty_feed, has_item, with_item
from daemon.findings.script_note import script_text
from daemon.inbox.inbox import Inbox
from daemon.model.audio import AudioFormat, Engine, Episode, Script, Speech, SpeechOptions
from daemon.model.errors import VaultError
from daemon.store.own_notes import OwnNoteStore
from vault_adapters.inert import NAME_BYTES, safe_name

FOLDER = "Audio"
_SCRIPT = ".script"
_FEED = "feed"
_MAX_FEEDS = 9  # a new one where the last is no longer a feed


@dataclass(frozen=True, slots=True)
class Episodes:
    """Adds episodes. What the user changed in a script or the feed stays."""

    knowledge: Knowledge
    inbox: Inbox
    own: OwnNoteStore
    channel: Channel

    def find(self, id: str, script: Script, form: AudioFormat) -> Episode | None:
        """Return an episode whose script and audio file are in the inbox."""
        path = self.own.path(id)
        text = self.inbox.files.read(path) if path is not None else None
        if path is None or text is None or not self.inbox.files.has(_audio_path(path, form)):
            return None
        audio = _audio_path(path, form)
        return Episode(id, script.title, audio, path, "", text, is_new=False, speech=None)

    def add(
        self, id: str, script: Script, made: tuple[Path, Speech], form: AudioFormat, now: datetime
    ) -> Episode:
        """Write the script, then the audio file, then the feed. Raises StoreError, VaultError.

        After a kill in between, the same call completes what is missing.
        """
        file, speech = made
        known = self.own.path(id)
        script_path = known if known is not None and self.inbox.files.read(known) else ""
        if not script_path:
            script_path = self._write_script(id, script, speech, form, now)
        audio = _audio_path(script_path, form)
        if not self.inbox.files.add_file(audio, file.read_bytes()):
            raise VaultError(f"{audio} is there already, and was left as it is")
        feed = self._add_to_feed(FeedItem(id, audio, script, speech, form, now))
        text = self.inbox.files.read(script_path) or ""
        return Episode(id, script.title, audio, script_path, feed, text, is_new=True, speech=speech)

    def _write_script(
        self, id: str, script: Script, speech: Speech, form: AudioFormat, now: datetime
    ) -> str:
        day = f"{now.astimezone(self.inbox.tz):%Y-%m-%d}"
        name = safe_name(f"{day} {script.title}", max_bytes=NAME_BYTES - len(_SCRIPT) - 4)
        taken = {*self.knowledge.paths(), *self.own.paths()}
        files = self.inbox.files
        path = files.free_path(f"{files.folder}/{FOLDER}", f"{name}{_SCRIPT}", taken)
        text = script_text(
            script,
            speech,
            id=id,
            file_name=_audio_path(path, form).rpartition("/")[2],
            link=self.knowledge.linker(),
            created_at=now,
            tz=self.inbox.tz,
        )
        stem = path.rpartition("/")[2].removesuffix(".md")
        return self.inbox.write_own(id, stem, text, taken=taken, folder=FOLDER)

    def _add_to_feed(self, item: FeedItem) -> str:
        """Add an episode to the feed, and return its path; "" if it is just being edited."""
        files = self.inbox.files
        for number in range(1, _MAX_FEEDS + 1):
            own = f"{_FEED}{f' {number}' if number > 1 else ''}.xml"
            path = f"{files.folder}/{FOLDER}/{own}"
            seen = files.check(path)
            before = seen.text if seen is not None else empty_feed(self.channel, path)
            if has_item(before, item.id):
                return path
            text = with_item(before, item, self.channel)
            if text is None:
                continue  # the user made something else of it
            if seen is None:
                files.create(path, text, "")
            elif files.rewrite(seen, text) is None:
                return ""
            return path
        return ""


def episode_id(script: Script, engine: Engine, options: SpeechOptions) -> str:
    """Return the id of what an engine makes of a script: the same for the same voices."""
    made_by = f"{script.id} {engine} {' '.join(options.voices)} {options.speed:g}"
    return f"audio-{sha256(made_by.encode()).hexdigest()[:12]}"


def _audio_path(script_path: str, form: AudioFormat) -> str:
    folder, _, name = script_path.rpartition("/")
    return f"{folder}/{name.removesuffix('.md').replace(_SCRIPT, '', 1)}{form.suffix}"
