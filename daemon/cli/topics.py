"""Topics that are not suggested, and how to restore them."""

from collections.abc import Sequence

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import ask, reading
from daemon.model.clock import now
from daemon.model.wording import moment
from daemon.usecases import topics as usecase
from daemon.usecases.topics import Topic, TopicRequest, Topics


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def topics(context: click.Context, options: Options) -> None:
    """List topics that are not suggested; restore or exclude topics."""
    if context.invoked_subcommand is None:
        context.invoke(topics_list)


@topics.command("list")
@common
def topics_list(options: Options) -> None:
    """List topics that are not suggested, longest pause first."""
    with reading(options, embed=False, review=True) as app:
        found = usecase.topics(app, now=now())
    _show(options, found.root)


@topics.command("restore")
@click.argument("topic")
@common
def topics_restore(options: Options, *, topic: str) -> None:
    """Allow a topic again, regardless of past decisions."""
    _show(options, ask(options, usecase.RESTORE, TopicRequest(topic=topic)).topics)


@topics.command("never")
@click.argument("topic")
@common
def topics_never(options: Options, *, topic: str) -> None:
    """Never suggest a topic, or topics similar to it."""
    _show(options, ask(options, usecase.NEVER, TopicRequest(topic=topic)).topics)


def _show(options: Options, found: Sequence[Topic]) -> None:
    if options.json:
        emit(Topics(tuple(found)).as_json())
        return
    for each in found:
        if each.until is None:
            say(f"{each.topic}: never, since {moment(each.since)}")
        else:
            say(f"{each.topic}: until {moment(each.until)}, because {each.why}")
    if not found:
        say("All topics may be suggested.")
