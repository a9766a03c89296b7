"""Research at once."""

import sys

import click

from daemon.cli.audio import show_episode
from daemon.cli.choosing import research_chosen
from daemon.cli.event_output import Follow, emit_json, follower
from daemon.cli.options import Options, common, source_option
from daemon.cli.output import say, say_folded
from daemon.cli.session import ask
from daemon.model.agenda import Depth
from daemon.model.errors import LacunaError
from daemon.model.evidence import NO_NETWORK
from daemon.model.wording import counted, moment
from daemon.usecases import research as usecase
from daemon.usecases.audio import AUDIO, AudioEpisode, AudioRequest
from daemon.usecases.choosing import DiscoverRequest
from daemon.usecases.report import REPORT, ReportRequest
from daemon.usecases.research import ResearchRequest, RunDocument

_DEPTHS = click.Choice([depth.value for depth in Depth])


@click.command()
@click.argument("topics", nargs=-1, metavar="[TOPIC]...")
@click.option("--note", help="Research the open questions of this note: its path, name or title.")
@click.option("--depth", type=_DEPTHS, help="Depth limit.  [default: from the settings]")
@source_option
@click.option(
    "--choose", is_flag=True, help="List the results first, and read only those that you pick."
)
@click.option("--audio", is_flag=True, help="Also write a report, and make an audio file of it.")
@click.option("--follow", is_flag=True, help="Show each event; with --json, one object per line.")
@click.option("--run", default="", help="With --choose: continue this run.")
@click.option("--pick", default="", metavar="NUMBERS", help="With --choose: all, none or 1,3-5.")
@common
def research(
    options: Options,
    *,
    topics: tuple[str, ...],
    note: str | None,
    depth: str | None,
    sources: tuple[str, ...],
    run: str,
    pick: str,
    **ways: bool,
) -> None:
    """Research now: topics, one note, or the gaps of the vault.

    Each TOPIC is one question; quote it. Shows answers and findings as they arrive. Ctrl-C
    writes findings from the answers so far and exits with 130; a second Ctrl-C stops
    immediately; run the same command again to resume. If no source can be reached, prints the
    reason and exits with 1; nothing is queued.

    Example: lacuna research "why does bread go stale in the fridge" --depth quick
    """
    if topics and note:
        raise click.UsageError("give topics or --note, not both")
    chosen = Depth(depth) if depth is not None else None
    if (pick or run) and not ways["choose"]:
        raise click.UsageError("--pick and --run need --choose")
    request = ResearchRequest(topics=topics, note=note, depth=chosen, sources=sources)
    follow = follower(options) if ways["follow"] else None
    if ways["choose"]:  # None when nothing is read
        discover = DiscoverRequest(**request.model_dump(), run=run)
        found = research_chosen(options, discover, pick, follow)
    else:
        found = ask(options, usecase.RESEARCH, request, follow)
    if found is None:
        return
    episode = _read_aloud(options, found, follow) if ways["audio"] and found.findings else None
    if options.json:
        heard = {} if episode is None else {"audio": episode.as_json()}
        emit_json({**found.as_json(), **heard}, follow=ways["follow"])
    else:
        show_run(found)
        if episode is not None:
            say()
            show_episode(episode)
    check_reached(found)
    if found.was_stopped_by_user:
        sys.exit(130)


def _read_aloud(options: Options, found: RunDocument, follow: Follow | None) -> AudioEpisode:
    """Write the report of a run, and make audio of it."""
    report = ask(options, REPORT, ReportRequest(run=found.run), follow)
    return ask(options, AUDIO, AudioRequest(report=report.path), follow)


def show_run(found: RunDocument) -> None:
    """Print a run for a person."""
    cut_off = [each for each in found.sources if each.why == NO_NETWORK]
    others = [each for each in found.sources if each not in cut_off]
    width = max([10, *(len(each.name) for each in others)])
    for source in others:
        why = f" — {source.why}" if source.why else ""
        say(f"{source.name:<{width}} {source.status}, {counted(source.results, 'result')}{why}")
    if cut_off:
        say(f"{NO_NETWORK}: {counted(len(cut_off), 'source')} unavailable")
    if found.stopped_early:
        by = "" if found.was_stopped_by_user else f" as {found.stopped_why}"
        say(f"\nStopped early{by}: these findings use the answers so far.")
    skipped = counted(len(found.skipped), "document")
    say(f"\n{counted(len(found.findings), 'finding')}, {skipped} skipped")
    for finding in found.findings:
        say(f"  {finding.path} ({finding.credibility:.2f})")
        say(f"      {finding.source}")
    for known in found.answered:
        say(f"  “{known.question}” is already answered in {known.path}")
    if found.findings:
        _show_next(found)
    if found.digest:
        say(f"\nDigest: {found.digest}")
    elif not found.unreached:
        say(f"\nNothing new: no note was written. `lacuna runs show {found.run}` shows details.")


def _show_next(found: RunDocument) -> None:
    say("\nSuggested next actions")
    say(f"  Sum it up: lacuna report --run {found.run}")
    for finding in found.findings:
        if len(finding.sources) == 1:
            say(f"  Look for a second source: {finding.path}")
    ids = " ".join(finding.id for finding in found.findings)
    say_folded(f"Accept or dismiss: lacuna findings accept {ids}", indent=2)


def check_reached(found: RunDocument) -> None:
    """Raise LacunaError if a run reached nothing: why, and whether it is retried."""
    if not found.unreached:
        return
    if found.retries_at:
        again = f"the daemon retries {moment(found.retries_at)}"
    else:
        again = "there is no automatic retry: repeat the command later"
    raise LacunaError(f"{_result_line(found)}: {found.unreached}; {again}")


def _result_line(found: RunDocument) -> str:
    """Describe a run without findings: no results, or nothing read."""
    answered = [each.name for each in found.sources if each.results]
    return f"no answer in {', '.join(answered)}" if answered else "nothing was researched"
