"""The script of an episode as a note beside its audio file. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from urllib.parse import quote

from daemon.model.audio import KIND, READER, Script, ScriptChapter, Speech
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker


def script_text(
    script: Script,
    speech: Speech,
    *,
    id: str,
    file_name: str,
    link: Linker,
    created_at: datetime,
    tz: tzinfo,
) -> str:
    """Return the note: an embedded player, the chapters with their times, what each voice says."""
    about = f" From {link(script.source)}." if script.source else ""
    spoken = f"Spoken by {inert_line(speech.engine.value)}"
    parts = [
        _properties(script, speech, id, file_name, stamp(created_at, tz)),
        f"# {inert_line(script.title) or 'Untitled'}",
        f"![Audio]({quote(file_name)})",
        f"{spoken} ({', '.join(map(inert_line, speech.voices))}), {clock(speech.seconds)}.{about}",
        *_chapters(script.chapters, speech.starts),
    ]
    return "\n\n".join(parts) + "\n"


def clock(seconds: float) -> str:
    """Return a time in an episode as minutes and seconds, or with hours."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def _properties(script: Script, speech: Speech, id: str, file_name: str, created: str) -> str:
    lines = [
        "---",
        f"type: {KIND}",
        f"lacuna_id: {yaml_text(id)}",
        f"created: {created}",
        f"topic: {yaml_text(script.title)}",
        f"audio: {yaml_text(file_name)}",
        f"seconds: {speech.seconds:.0f}",
        "tags:",
        "  - research-agent",
        "---",
    ]
    return "\n".join(lines)


def _chapters(chapters: Sequence[ScriptChapter], starts: Sequence[float]) -> Iterator[str]:
    for chapter, start in zip(chapters, starts, strict=True):
        yield f"## {inert_line(chapter.title) or 'Chapter'} ({clock(start)})"
        for line in chapter.lines:
            text = f"{inert_line(line.text.removesuffix(':'))}{':' * line.text.endswith(':')}"
            yield f"> {text}" if line.voice == READER else text
