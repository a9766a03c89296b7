"""Sources: which there are, and whether they answer."""

import asyncio
import sys

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, say, warn
from daemon.cli.session import opened
from daemon.model.errors import SourceError
from daemon.model.evidence import Answer, SourceStatus
from daemon.ports import Source
from daemon.request import source_states

_TEST_QUERY = "spaced repetition"


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def sources(context: click.Context, options: Options) -> None:
    """List or test the sources that are asked."""
    if context.invoked_subcommand is None:
        context.invoke(sources_list)


@sources.command("list")
@common
def sources_list(options: Options) -> None:
    """List every source, and why one is left out."""
    with opened(options) as app:
        states = {each.name: each for each in source_states(app)}
        found = [
            {
                "name": name,
                "type": entry.type,
                "on": states[name].is_on,
                "why": states[name].why,
                "description": entry.description,
                "layers": list(entry.layers),
                "cost_per_request": entry.cost.per_request,
                "note": entry.note,
            }
            for name, entry in app.registry.items()
        ]
    if options.json:
        emit(found)
        return
    width = max(len(str(each["name"])) for each in found)
    for each in found:
        say(f"{'on ' if each['on'] else 'off'}  {each['name']:<{width}} {each['description']}")
        for told in (each["why"], _cost(each["cost_per_request"]), each["note"]):
            if told:
                say(f"{'':<{width + 6}}{told}")


def _cost(dollars: object) -> str:
    return f"costs ${dollars:g} a request" if dollars else ""


@sources.command("test")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--query", default=_TEST_QUERY, show_default=True, help="What to ask.")
@common
def sources_test(options: Options, *, names: tuple[str, ...], query: str) -> None:
    """Ask each source one question, and say how it answered. Exit 1 when none works."""
    with opened(options) as app:
        chosen = app.at_once(sources=names).sources
        if not chosen:
            raise SourceError("no source is on; `lacuna sources list` says why")
        patience = {name: app.registry[name].timeout_seconds for name in chosen}
        states = source_states(app)
        missing = {each.name: each.why for each in states if each.why and not each.is_on}
        for name in filter(missing.get, chosen):
            warn(f"{name}: {missing[name]}")
        asked = [(app.sources[name], patience[name]) for name in chosen]
        answers = asyncio.run(_ask_all(asked, query))
    if options.json:
        emit([_answer_json(each) for each in answers])
    else:
        width = max(len(each.source) for each in answers)
        for each in answers:
            why = f" — {each.why}" if each.why else ""
            results = counted(len(each.hits), "result")
            say(f"{each.source:<{width}} {each.status}, {results}, {each.seconds:.1f} s{why}")
        for state in states:
            if state.is_on and not state.is_asked and not names:
                say(f"{state.name} not asked: it gives documents only")
    if not any(each.status in (SourceStatus.OK, SourceStatus.EMPTY) for each in answers):
        sys.exit(1)


def _answer_json(answer: Answer) -> dict[str, object]:
    return {
        "name": answer.source,
        "status": answer.status.value,
        "results": len(answer.hits),
        "why": answer.why,
        "seconds": round(answer.seconds, 2),
    }


async def _ask_all(chosen: list[tuple[Source, float]], query: str) -> list[Answer]:
    return list(await asyncio.gather(*(_ask(source, query, wait) for source, wait in chosen)))


async def _ask(source: Source, query: str, seconds: float) -> Answer:
    """Ask as a run would: for no longer than the entry's `max_latency_ms` says."""
    try:
        async with asyncio.timeout(seconds):
            return await source.search(query, limit=5)
    except TimeoutError:
        why = f"no answer in {seconds:g} s"
        return Answer(source.name, query, SourceStatus.UNAVAILABLE, why=why, seconds=seconds)
