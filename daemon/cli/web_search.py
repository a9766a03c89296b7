"""Search notes and sources in parallel, and process the result."""

import sys

import click

from daemon.cli import own_process
from daemon.cli.event_output import Follow, emit_document, follower
from daemon.cli.options import Options
from daemon.cli.output import say, say_folded, warn
from daemon.cli.research import check_reached, show_run
from daemon.cli.session import ask, opened, stoppable
from daemon.model.evidence import NO_NETWORK, SourceStatus
from daemon.model.wording import counted
from daemon.usecases.following import follower as to_follower
from daemon.usecases.research import RESEARCH, ResearchRequest
from daemon.usecases.searching import web_search
from daemon.usecases.web_search import (
    SAVE,
    SaveSearchRequest,
    WebSearch,
    WebSearchDone,
    WebSearchRequest,
)

_NOTES = 5  # that are shown
_QUESTION = "Save as a note [s], research in depth [d], or done [Enter]"


def run_web_search(
    options: Options,
    query: str,
    limit: int,
    began: float,
    *,
    saves: bool,
    deepens: bool,
    follows: bool = False,
) -> None:
    """Search, print, and do what was requested with the result.

    `began` is when the command began, on the monotonic clock.
    """
    show_event = follower(options) if follows else None
    asks = not (saves or deepens or options.json) and sys.stdin.isatty() and sys.stdout.isatty()
    makes_notes = saves or deepens or asks
    request = WebSearchRequest(query=query, limit=limit)
    with opened(options, confined=True, makes_notes=makes_notes) as app, stoppable() as stop:
        following = to_follower(show_event or (lambda _event: None), stop)
        found = web_search(app, request, began=began, follower=following)
    if options.json:
        _emit(options, found, show_event, saves=saves, deepens=deepens)
    else:
        show(found)
        if asks:
            choice = click.prompt(_QUESTION, default="", show_default=False).strip().lower()
            saves, deepens = choice.startswith("s"), choice.startswith("d")
        if saves:
            say(f"Saved: {ask(options, SAVE, SaveSearchRequest(found=found)).path}")
        if deepens:
            result = ask(options, RESEARCH, ResearchRequest(topics=(found.query,)), show_event)
            show_run(result)
            check_reached(result)
    own_process.end_at_once()  # a name look-up that hangs would keep it open


def _emit(
    options: Options, found: WebSearch, follow: Follow | None, *, saves: bool, deepens: bool
) -> None:
    saved = ask(options, SAVE, SaveSearchRequest(found=found)).path if saves else None
    topics = ResearchRequest(topics=(found.query,))
    run = ask(options, RESEARCH, topics, follow) if deepens else None
    done = WebSearchDone(**dict(found), saved=saved, research=run)
    emit_document(done, follow=follow is not None)


def show(found: WebSearch) -> None:
    """Print what the notes say, new results, and contradictions."""
    _show_notes(found)
    _show_new(found)
    if found.contradictions:
        say("\nContradictions")
    for each in found.contradictions:
        say_folded(f"[local] {each.path}: “{each.note_says}”", indent=2)
        say_folded(f"{each.title}: “{each.result_says}” ({each.kind})", indent=6)
    _show_sources(found)
    for line in found.remarks:
        warn(line)


def _show_notes(found: WebSearch) -> None:
    if not found.notes:
        say("[local] your notes say nothing about this")
    for note in found.notes[:_NOTES]:
        say(f"[local] {note.name} ({note.path}){f' › {note.heading}' if note.heading else ''}")
        say_folded(note.text, indent=6)
    if len(found.notes) > _NOTES:
        say(f"[local] {counted(len(found.notes) - _NOTES, 'more note')}")
    for known in found.known:
        say_folded(f"[local] {known.path} cites {known.title} <{known.url}>", indent=0)


def _show_new(found: WebSearch) -> None:
    if found.new:
        say("\nNew")
    for number, hit in enumerate(found.new, 1):
        dated = f", {hit.published}" if hit.published else ""
        say_folded(f"{number}. {hit.title} ({', '.join(hit.sources)}{dated})", indent=2)
        say_folded(hit.text, indent=6)
        for what, value in hit.figures:
            say(f"      {what}: {value}")
        say(f"      {hit.url}")


def _show_sources(found: WebSearch) -> None:
    answered = [each for each in found.sources if each.status is not SourceStatus.UNAVAILABLE]
    say("\nSources")
    for each in answered:
        why = f" — {each.why}" if each.why else ""
        say(f"  {each.name}: {counted(each.results, 'result')}, {each.seconds:.1f} s{why}")
    cut_off = [each.name for each in found.sources if each.why == NO_NETWORK]
    if cut_off:
        say(f"  {NO_NETWORK}: {', '.join(cut_off)}")
    for each in found.sources:
        if each not in answered and each.name not in cut_off:
            say(f"  {each.name}: skipped, {each.why}")
    for name, why in found.skipped.items():
        say(f"  {name}: not asked, {why}")
    say(f"  total: {found.seconds:.1f} s")
