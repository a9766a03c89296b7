"""Make audio of a report, or of findings."""

import click

from daemon.cli.event_output import emit_document, follower
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import ask, opened
from daemon.model.audio import AudioFormat
from daemon.usecases.audio import (
    AUDIO,
    AudioEpisode,
    AudioRequest,
    SpeechEngines,
    engines,
    length_of,
)
from daemon.usecases.document import NoRequest

_FORMATS = click.Choice([form.value for form in AudioFormat])


@click.command()
@click.argument("report", default="", metavar="[REPORT]")
@click.option("--daily", is_flag=True, help="Use the findings of the last 24 hours.")
@click.option(
    "--topical", is_flag=True, help="Use the topic with the most findings in the last 7 days."
)
@click.option(
    "--voice",
    "voices",
    multiple=True,
    help="Voice to use; pass twice to set the narrator and the quote reader.",
)
@click.option("--voices", "lists", is_flag=True, help="List speech engines and their voices.")
@click.option("--format", "form", type=_FORMATS, help="Format of the file.  [default: the setting]")
@click.option("--follow", is_flag=True, help="Show each event; with --json, one object per line.")
@common
def audio(
    options: Options,
    *,
    report: str,
    daily: bool,
    topical: bool,
    voices: tuple[str, ...],
    lists: bool,
    form: str | None,
    follow: bool,
) -> None:
    """Read a report aloud into an audio file, on this machine.

    REPORT is a note that Lacuna wrote: its path, name, title or id, or the run of a report. The
    file goes into the `Audio` folder in the inbox, with chapters, its script and a podcast feed.
    Tables are summarised, addresses omitted, numbers spelled out. It uses the first of Kokoro,
    Piper and espeak-ng that is installed; --voices shows which, and what the others need.

    Ctrl-C stops, and leaves no file behind.

    Example: lacuna audio "Report on Bread" --format mp3
    """
    if lists:
        with opened(options) as app:
            _list(options, engines(app, NoRequest()))
        return
    if [bool(report), daily, topical].count(True) != 1:
        raise click.UsageError("give a report, --daily or --topical")
    chosen = AudioFormat(form) if form is not None else None
    request = AudioRequest.of(
        {"report": report, "daily": daily, "topical": topical, "voices": voices, "format": chosen}
    )
    found = ask(options, AUDIO, request, follower(options) if follow else None)
    if options.json:
        emit_document(found, follow=follow)
    else:
        show_episode(found)


def show_episode(found: AudioEpisode) -> None:
    """Print an episode for a person."""
    for each in found.chapters if found.is_new else ():
        say(f"{length_of(each.start or 0):>6}  {each.title}")
    if found.seconds is not None:
        size = f"{(found.size or 0) / 1_000_000:.1f} MB"
        by = f"{found.engine} ({', '.join(found.voices)})"
        say(f"\n{length_of(found.seconds)} long, {size}, spoken by {by} in {found.took:.0f} s")
    if found.is_cut:
        say("Shortened to audio.max_minutes; the note has the rest.")
    say(f"{'Audio' if found.is_new else 'Made before, unchanged'}: {found.path}")
    say(f"Script: {found.script}")
    if found.feed:
        say(f"Feed: {found.feed}")


def _list(options: Options, found: SpeechEngines) -> None:
    if options.json:
        emit(found.as_json())
        return
    for each in found.engines:
        state = "speaks" if each.chosen else "ready" if not each.why else each.why
        say(f"{each.engine:<10} {state}")
        if each.voices:
            say(f"{'':10} voices: {', '.join(each.voices)}")
    if found.trouble:
        say(f"\nNo audio can be made: {found.trouble}")
