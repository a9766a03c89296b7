"""Runs: found again, shown, and the citations that they followed."""

from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, moment, say, say_folded
from daemon.cli.session import opened
from daemon.model.errors import LacunaError, StoreError
from daemon.request import finding_json
from daemon.research.citation_graph import graphml
from daemon.store.runs import RunRow

_CENTRAL_SHOWN = 10


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def runs(context: click.Context, options: Options) -> None:
    """List, find or show runs, and the citations that they followed."""
    if context.invoked_subcommand is None:
        context.invoke(runs_list)


@runs.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many at most."
)
@common
def runs_list(options: Options, *, words: tuple[str, ...], limit: int) -> None:
    """List runs, the newest first; or those about WORDs: topics, questions, titles of findings."""
    with opened(options) as app:
        found = [_listed(run) for run in app.stores.runs.find(" ".join(words), limit)]
    if options.json:
        emit(found)
        return
    for run in found:
        gone = "; its record was removed" if run["pruned"] else ""
        say(f"{run['run']}  {run['status']}, {counted(run['findings'], 'finding')}{gone}")
        say_folded("; ".join(run["topics"]) or run["trigger"], indent=6)
    if not found:
        say("No run was about that." if words else "Nothing was researched yet.")


@runs.command("show")
@click.argument("run")
@common
def runs_show(options: Options, *, run: str) -> None:
    """Show one run, by its id or the beginning of it: what was asked, what answered, what came."""
    with opened(options) as app:
        row = _the_run(app.stores.runs.get(run), run)
        findings = [finding_json(each) for each in app.stores.findings.of_run(row.id)]
        folder = app.stores.runs.folder(row.id).path
    found = {**_listed(row), "sources": row.told.get("sources", []), "folder": str(folder)}
    found["notes"] = findings
    if options.json:
        emit(found)
        return
    say(f"{row.id}  {row.status}, began {moment(row.started_at)}, {found['depth']}")
    for task in row.plan.tasks if row.plan else ():
        say(f"  {', '.join(task.sources)}: “{task.query}”")
    for source in found["sources"]:
        why = f" — {source['why']}" if source["why"] else ""
        say(f"  {source['name']} {source['status']}, {counted(source['results'], 'result')}{why}")
    if found["stopped_early"]:
        say(f"  ended early: {found['stopped_why'] or 'you stopped it'}")
    if found["unreached"]:
        say(f"  nothing was researched: {found['unreached']}")
    for finding in findings:
        say(f"  {finding['status']}: {finding['path']}")
    if row.pruned_at is not None:
        say(f"Its record was removed on {moment(row.pruned_at)}: it was old, or others needed room")
    else:
        say(f"Everything that it saw is in {folder}")


@runs.command("citations")
@click.argument("run")
@click.option(
    "--graphml",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the graph to this file, in GraphML.",
)
@common
def runs_citations(options: Options, *, run: str, file: Path | None) -> None:
    """Show which works a run found along citations, or export the graph.

    With --json the whole graph: works with their PageRank, and who cites whom.
    """
    with opened(options) as app:
        row = _the_run(app.stores.runs.get(run), run)
        if row.pruned_at is not None:
            raise LacunaError(f"{row.id}: its record was removed on {moment(row.pruned_at)}")
        graph = app.stores.runs.folder(row.id).citations.graph()
    if file is not None:
        _write(file, graphml(graph))
    if options.json:
        emit({"run": row.id, **graph})
        return
    works, links = graph["works"], graph["citations"]
    said = counted(len(links), "citation")
    say(f"{counted(len(works), 'work')}, {said}{f', in {file}' if file else ''}")
    for work in works[:_CENTRAL_SHOWN]:
        say(f"{work['pagerank']:.4f}  {work['title']}")
        reached = f" — {work['reached']}" if work["reached"] else ""
        say(f"        {work['url']}{reached}")
    if len(works) > _CENTRAL_SHOWN:
        say(f"… and {len(works) - _CENTRAL_SHOWN} more; --json shows all")


def _the_run(row: RunRow | None, ref: str) -> RunRow:
    if row is None:
        raise LacunaError(f"{ref}: no such run, or several; `lacuna runs` lists them")
    return row


def _listed(run: RunRow) -> dict[str, Any]:
    plan = run.plan
    return {
        "run": run.id,
        "status": run.status.value,
        "started": run.started_at.isoformat(),
        "ended": run.ended_at.isoformat() if run.ended_at else None,
        "agenda": run.agenda,
        "trigger": plan.trigger if plan else "",
        "depth": plan.depth.value if plan else "",
        "topics": [task.topic for task in plan.tasks] if plan else [],
        "findings": run.told.get("findings", 0),
        "stopped_early": run.told.get("stopped_early", False),
        "stopped_why": run.told.get("stopped_why", ""),
        "unreached": run.told.get("unreached", ""),
        "pruned": run.pruned_at.isoformat() if run.pruned_at else None,
        "digest": run.digest_path,
    }


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror or error}") from None
