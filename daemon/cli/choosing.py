"""Choose what a run reads: list the results, and let the user pick."""

import re
import sys

import click

from daemon.cli.event_output import Follow, emit_document
from daemon.cli.options import Options
from daemon.cli.output import say, say_folded
from daemon.cli.session import ask
from daemon.model.wording import counted
from daemon.usecases.choosing import (
    DISCOVER,
    READ,
    DiscoverRequest,
    Discovery,
    Offered,
    ReadRequest,
)
from daemon.usecases.research import RunDocument

_QUESTION = "Read which? [a]ll, numbers such as 1 3-5, or [n]one"
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def research_chosen(
    options: Options, request: DiscoverRequest, pick: str, follow: Follow | None = None
) -> RunDocument | None:
    """Ask sources, let the user pick, and read that; None when nothing is to be read.

    With --json and nothing picked yet, what was found is printed.
    """
    found = ask(options, DISCOVER, request, follow)
    if found.skips_choice:
        return ask(options, READ, ReadRequest(run=found.run), follow)
    if options.json and not pick:
        emit_document(found, follow=follow is not None)
        return None
    if not options.json:
        _show(found)
    if not found.offers:
        return None
    if not pick and not sys.stdin.isatty():
        example = "1,2" if len(found.offers) > 1 else "1"
        say(f"Go on with: lacuna research --choose --run {found.run} --pick {example}")
        return None
    chosen = pick or str(click.prompt(_QUESTION, default="none", show_default=False))
    return read_picked(options, found, chosen, follow)


def read_picked(
    options: Options, found: Discovery, pick: str, follow: Follow | None = None
) -> RunDocument | None:
    """Read what was picked of a discovery; None for nothing. Raises UsageError."""
    numbers = picked(pick, len(found.offers))
    if numbers == ():
        if not options.json:
            say("Nothing was read.")
        return None
    chosen = None if numbers is None else tuple(found.offers[each - 1].id for each in numbers)
    return ask(options, READ, ReadRequest(run=found.run, chosen=chosen), follow)


def picked(text: str, most: int) -> tuple[int, ...] | None:
    """Return the numbers in what the user typed; None for all. Raises UsageError."""
    answer = text.strip().casefold()
    if answer in ("a", "all"):
        return None
    if answer in ("", "n", "none"):
        return ()
    numbers: list[int] = []
    for part in re.split(r"[\s,]+", answer.strip(", ")):
        found = _RANGE.fullmatch(part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last <= most:
            raise click.UsageError(f"{part}: give numbers from 1 to {most}, all or none")
        numbers += range(first, last + 1)
    return tuple(dict.fromkeys(numbers))


def _show(found: Discovery) -> None:
    question = ""
    for number, offer in enumerate(found.offers, 1):
        if offer.question != question:
            question = offer.question
            say(f"\n{question}")
        _show_offer(number, offer)
    requests = sum(offer.requests for offer in found.offers)
    if found.offers:
        sent = counted(requests, "request") if requests else "no requests"
        say(f"\n{counted(len(found.offers), 'document')}. Reading all of them sends {sent}.")
    else:
        say("Nothing was found.")


def _show_offer(number: int, offer: Offered) -> None:
    dated = f", {offer.published}" if offer.published else ""
    by = f"{', '.join(offer.sources)}{dated}, provisional credibility {offer.credibility:.2f}"
    say_folded(f"{number:>3}. {offer.title} ({by})", indent=0)
    if offer.note:
        say(f"     in your notes: {offer.note}")
    elif offer.known:
        say("     offered before")
    say(f"     {offer.url}")
