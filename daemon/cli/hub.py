"""A hub of several vaults."""

import json
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import urlsplit

import click

from daemon.cli.group import LazyGroup
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.secrets import passphrase, read_secret
from daemon.cli.session import ask, opened
from daemon.model.wording import counted
from daemon.usecases import hub as usecase
from daemon.usecases import hub_asking as asking
from daemon.usecases import hub_contradictions as comparing
from daemon.usecases import hub_findings as reviewing
from daemon.usecases import settings
from daemon.usecases.secrets import key_ring

_KEY = "hub"
_HERE, _OPERATING = "daemon.cli.hub", "daemon.cli.hub_operating"
_DECISIONS = {"accept": "accepted", "dismiss": "dismissed"}
_limit = click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True,
                      help="Maximum number.")  # fmt: skip


class HubGroup(LazyGroup):
    """The commands of a vault, and those of an operator, which need the extra `hub`."""

    places: ClassVar[Mapping[str, tuple[str, str]]] = {
        "login": ("daemon.cli.hub_login", "Sign in to a hub with single sign-on."),
        "join": (_HERE, "Connect this vault to a hub."),
        "account": (_HERE, "Show who you are on the hub."),
        "publish": (_HERE, "Publish what the settings share."),
        "search": (_HERE, "Search all vaults that you may read."),
        "ask": (_HERE, "Answer a question from all vaults that you may read."),
        "experts": (_HERE, "Show who has the best notes on a topic."),
        "gaps": (_HERE, "Show linked topics that no vault covers, and topics that several do."),
        "contradictions": (_HERE, "Show where people's notes contradict each other."),
        "findings": (_HERE, "Show findings of other vaults that you may review."),
        "decide": (_HERE, "Accept or dismiss a finding of another vault."),
        "init": (_OPERATING, "Create the tables of a hub."),
        "migrate": (_OPERATING, "Bring the tables up to date."),
        "backup": (_OPERATING, "Copy the hub's database into a file."),
        "restore": (_OPERATING, "Restore a backup into an empty database."),
        "serve": (_OPERATING, "Serve the hub to vaults, until Ctrl-C."),
        "status": (_OPERATING, "Show the version, the size and the counts of the hub."),
        "invite": (_OPERATING, "Add people with a vault and a token each, who read each other."),
        "person": (_OPERATING, "Add, disable or delete an account."),
        "group": (_OPERATING, "Create a group of people."),
        "vault": (_OPERATING, "Add or delete a vault."),
        "grant": (_OPERATING, "Give a person or a group access to a vault."),
        "revoke": (_OPERATING, "Revoke all access to a vault."),
        "key": ("daemon.cli.hub_keys", "Store an API key of a person or a group."),
        "jobs": (_OPERATING, "Show the work of the hub, and what failed."),
        "budget": (
            _OPERATING,
            "Show or set what workers may spend in a night.",
        ),
        "token": (_OPERATING, "Create a token for a device, or revoke it."),
    }


@click.group(cls=HubGroup, invoke_without_command=True)
@click.pass_context
@common
def hub(context: click.Context, options: Options) -> None:
    """Share notes with other vaults, and search what others share.

    The commands up to `decide` are for a vault; with the others, you operate a hub on
    PostgreSQL.

    Example: lacuna hub join https://hub.example.org "ada's notes"
    """
    if context.invoked_subcommand is None:
        context.invoke(hub_account)


@click.command("join")
@click.argument("url")
@click.argument("name")
@click.option(
    "--share",
    multiple=True,
    metavar="FOLDER",
    help="Share a folder with its text; `.` is the whole vault. Repeatable.",
)
@click.option("--findings", type=click.Choice(["accepted", "pending"]),
              help="Share your findings: accepted ones, or also pending ones.")  # fmt: skip
@common
def hub_join(
    options: Options, *, url: str, name: str, share: tuple[str, ...], findings: str | None
) -> None:
    """Connect this vault to a hub as NAME; prompts for the token, or reads standard input.

    A token in the environment (LACUNA_HUB_API_KEY) is used and not stored.

    Nothing is shared without --share or --findings. You can change both in the settings.

    Example: lacuna hub join https://hub.example.org "ada's notes" --share Baking
    """
    keys = key_ring(options, passphrase(options))
    given = keys.given(_KEY)
    token = given or read_secret(_KEY)
    if not token:
        raise click.UsageError("no token; the operator of the hub makes one: `lacuna hub token`")
    if given is None:
        keys.require(_KEY)
    found = usecase.join(options, url, name, token)
    if given is None:
        keys.set(_KEY, token)
    chosen = {"hub.vault": name, "hub.url": url}
    chosen |= {"hub.folders": json.dumps(share), "hub.text": "true"} if share else {}
    chosen |= {"hub.findings": findings} if findings else {}
    for key, value in chosen.items():
        settings.change(options, settings.SetRequest(key=key, value=value))
    if options.json:
        emit(found.as_json())
    else:
        say(f"Connected to {urlsplit(url).hostname} as {found.name}.")
        _say_rights(found)
    owns = any(right.vault == name and right.role == "owner" for right in found.rights)
    if owns and (share or findings):
        done = ask(options, usecase.PUBLISH, usecase.PUBLISH.request())
        if not options.json:
            _say_published(done)
    elif not options.json:
        say(
            "Choose what is shared: `lacuna config set hub.folders Baking`"
            if owns
            else f"You own no vault called {name}, so you can search, but not publish."
        )


@click.command("account")
@common
def hub_account(options: Options) -> None:
    """Show who you are on the hub, and what you may read."""
    with opened(options) as app:
        found = usecase.account(app)
    if options.json:
        emit(found.as_json())
        return
    say(found.name)
    _say_rights(found)


def _say_rights(found: usecase.HubAccount) -> None:
    for right in found.rights:
        say(f"  {right.role} of {right.vault}{f': {right.folder}' if right.folder else ''}")


@click.command("publish")
@common
def hub_publish(options: Options) -> None:
    """Publish what the settings share, withdraw all else, and receive findings of others.

    The daemon does this after each change.
    """
    done = ask(options, usecase.PUBLISH, usecase.PUBLISH.request())
    if options.json:
        emit(done.as_json())
    else:
        _say_published(done)


def _say_published(done: usecase.HubPublished) -> None:
    shared = counted(done.shared, "note or finding", "notes and findings")
    say(f"{shared} shared: {done.sent} sent, {done.withdrawn} withdrawn.")
    if done.received:
        say(f"{counted(done.received, 'finding')} of other vaults in the inbox.")


@click.command("search")
@click.argument("query")
@_limit
@common
def hub_search(options: Options, *, query: str, limit: int) -> None:
    """Search all vaults that you may read.

    Example: lacuna hub search "wild yeast"
    """
    with opened(options) as app:
        found = usecase.search(app, usecase.HubQuery.of({"query": query, "limit": limit}))
    if options.json:
        emit(found.as_json())
        return
    for hit in found.root:
        _say_hit(hit)
    if not found.root:
        say("Nothing that you may read matches.")


@click.command("ask")
@click.argument("question")
@common
def hub_ask(options: Options, *, question: str) -> None:
    """Answer a question from all vaults that you may read: passages, with whose they are.

    Example: lacuna hub ask "how long does an autolyse take?"
    """
    with opened(options) as app:
        found = asking.ask(app, asking.HubAskRequest.of({"question": question}))
    if options.json:
        emit(found.as_json())
        return
    if not found.citations:
        say("No note answers this." + (" The nearest passages:" if found.nearest else ""))
    for each in found.citations or found.nearest:
        say_folded(each.text, indent=0)
        say(f"    ({each.owner}, {each.vault}: {each.name})")
    if found.unread:
        say(f"{counted(found.unread, 'more note')} may match: only embeddings are shared.")


@click.command("experts")
@click.argument("query")
@_limit
@common
def hub_experts(options: Options, *, query: str, limit: int) -> None:
    """Show who has the best notes on a topic.

    Example: lacuna hub experts "wild yeast"
    """
    with opened(options) as app:
        found = usecase.experts(app, usecase.HubQuery.of({"query": query, "limit": limit}))
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        say(f"{each.name}: {each.notes} notes, such as")
        _say_hit(each.best)
    if not found.root:
        say("Nobody whose notes you may read writes about this.")


@click.command("gaps")
@_limit
@common
def hub_gaps(options: Options, *, limit: int) -> None:
    """Show linked topics that no vault you may read covers, and topics that several cover.

    Example: lacuna hub gaps
    """
    with opened(options) as app:
        found = usecase.gaps(app, limit)
    if options.json:
        emit(found.as_json())
        return
    for line, names in (("Linked to, but in no vault:", found.missing),
                        ("In several vaults:", found.doubled)):  # fmt: skip
        if names:
            say(line)
        for each in names:
            say(f"  {each.name}: {counted(each.notes, 'note')} of {', '.join(each.vaults)}")
    if not found.missing and not found.doubled:
        say("Nothing is missing in several notes, and no name is in several vaults.")


@click.command("contradictions")
@click.argument("topic", default="")
@_limit
@common
def hub_contradictions(options: Options, *, topic: str, limit: int) -> None:
    """Show where notes of different people contradict each other, as far as you may read both.

    Without TOPIC, the notes that were published last are compared.

    Example: lacuna hub contradictions autolyse
    """
    asked = comparing.HubTopicRequest.of({"topic": topic, "limit": limit})
    with opened(options) as app:
        found = comparing.contradictions(app, asked)
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        for said in (each.one, each.other):
            say_folded(said.text, indent=0)
            say(f"    ({said.owner}, {said.vault}: {said.name})")
        say()
    if not found.root:
        say("No two people state different things, as far as you may read them.")


def _say_hit(hit: usecase.HubHit) -> None:
    say(f"{hit.name or hit.path}: {hit.owner}, {hit.vault}")
    if hit.text is not None:
        say_folded(hit.text[:200], indent=4)


@click.command("findings")
@click.option("--decided", is_flag=True, help="Those that are decided, instead of pending.")
@_limit
@common
def hub_findings(options: Options, *, decided: bool, limit: int) -> None:
    """Show findings of other vaults that you may review.

    Example: lacuna hub findings
    """
    asked = reviewing.HubFindingsRequest.of({"decided": decided, "limit": limit})
    with opened(options) as app:
        found = reviewing.findings(app, asked)
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        _say_finding(each)
    if not found.root:
        say("Nothing is decided yet." if decided else "Nothing waits for your review.")
    elif not decided:
        say("Decide: `lacuna hub decide NUMBER accept`, or `dismiss`")


@click.command("decide")
@click.argument("number", type=click.IntRange(1))
@click.argument("decision", type=click.Choice(sorted(_DECISIONS)))
@common
def hub_decide(options: Options, *, number: int, decision: str) -> None:
    """Accept or dismiss a finding of another vault. The first decision counts.

    Example: lacuna hub decide 17 accept
    """
    asked = reviewing.HubDecisionRequest.of({"status": _DECISIONS[decision]})
    with opened(options) as app:
        done = reviewing.decide(app, number, asked)
    if options.json:
        emit(done.as_json())
    else:
        say(f"{done.title}: {done.status} for {done.vault}.")


def _say_finding(found: reviewing.HubFinding) -> None:
    say(f"{found.id}  {found.title}")
    say(f"    of {found.owner} ({found.origin}), for “{found.gap}” in {found.vault}")
    for quote in found.quotes[:2]:
        say_folded(f"“{quote.text[:200]}”", indent=4)
    if found.decided_at is not None:
        say(f"    {found.status} by {found.decided_by or 'somebody who has left'}")
