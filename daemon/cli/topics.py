"""Topics that are not suggested just now, and letting them be suggested again."""

from datetime import datetime
from typing import Any

import click

from daemon.app import now
from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, moment, say
from daemon.cli.session import ask, reading
from daemon.request import topics_json


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def topics(context: click.Context, options: Options) -> None:
    """List the topics that are not suggested: why, and until when; or change that."""
    if context.invoked_subcommand is None:
        context.invoke(topics_list)


@topics.command("list")
@common
def topics_list(options: Options) -> None:
    """List the topics that are not suggested, those that rest longest first."""
    with reading(options, embed=False, review=True) as app:
        found = topics_json(app, now())
    _tell(options, found)


@topics.command("restore")
@click.argument("topic")
@common
def topics_restore(options: Options, *, topic: str) -> None:
    """Let a topic be suggested again, whatever was done with it or said of it until now."""
    _tell(options, ask(options, "topic-restore", {"topic": topic})["topics"])


@topics.command("never")
@click.argument("topic")
@common
def topics_never(options: Options, *, topic: str) -> None:
    """Never suggest a topic, nor what is near it."""
    _tell(options, ask(options, "topic-never", {"topic": topic})["topics"])


def _tell(options: Options, found: list[dict[str, Any]]) -> None:
    if options.json:
        emit(found)
        return
    for each in found:
        if each["until"] is None:
            say(f"{each['topic']}: never, since {moment(datetime.fromisoformat(each['since']))}")
        else:
            until = moment(datetime.fromisoformat(each["until"]))
            say(f"{each['topic']}: until {until}, because {each['why']}")
    if not found:
        say("No topic is kept from being suggested.")
