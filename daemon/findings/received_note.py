"""A finding that a hub delivered, as a note: with whose it is, and no active content. Pure."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from hashlib import sha256

from daemon.findings.block import REVIEW_BLOCK
from daemon.findings.safe_links import outside_link, safe_url
from daemon.findings.sources import attacks
from daemon.model.evidence import Flag
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.shared_findings import Delivery, SharedQuote
from daemon.model.topics import sentence_key
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text

HUB = "hub"  # stands for the run in the record of such a note


def received_id(delivery: Delivery) -> str:
    """Return the id of the note: the same finding of the same vault is one note."""
    whose = f"{delivery.origin}\n{delivery.finding.key}"
    return f"h-{sha256(whose.encode('utf-8', 'replace')).hexdigest()[:12]}"


def received_record(delivery: Delivery, now: datetime) -> FindingRecord:
    """Return the record by which a delivered finding is reviewed; it has no path."""
    finding = delivery.finding
    source = next(iter(_addresses(delivery)), "")
    return FindingRecord(
        id=received_id(delivery),
        run=HUB,
        path="",
        status=FindingStatus.PENDING,
        title=finding.title,
        source=source,
        key=source or received_id(delivery),
        topic=delivery.gap,
        credibility=finding.credibility,
        created_at=now,
        question=finding.question,
        sources=tuple(_addresses(delivery)),
        keys=tuple(sentence_key(quote.text) for quote in finding.quotes),
    )


def received_text(delivery: Delivery, flags: tuple[Flag, ...], *, now: datetime, tz: tzinfo) -> str:
    """Return the whole note; `flags` are what screening saw and removed."""
    finding = delivery.finding
    whose = f"{inert_line(delivery.owner)} ({inert_line(delivery.origin)})"
    parts = [
        _properties(delivery, now, tz),
        f"# {inert_line(finding.title) or 'Untitled'}",
        f"**From {whose}**, through your hub: it was not checked on this machine.",
        *attacks(flags, "this finding"),
        *(_quote(each) for each in finding.quotes),
        f"**Found because:** your notes link to “{inert_line(delivery.gap)}”, which has no note.",
        _sources(delivery),
        REVIEW_BLOCK,
    ]
    return "\n\n".join(part for part in parts if part)


def with_quotes(delivery: Delivery, title: str, quotes: tuple[SharedQuote, ...]) -> Delivery:
    """Return a delivery of which only these quotes are shown."""
    finding = delivery.finding.model_copy(update={"title": title, "quotes": quotes})
    return delivery.model_copy(update={"finding": finding})


def _properties(delivery: Delivery, now: datetime, tz: tzinfo) -> str:
    addresses = [yaml_text(url) for url in _addresses(delivery)]
    lines = [
        "---",
        "type: finding",
        f"lacuna_id: {yaml_text(received_id(delivery))}",
        "status: pending",
        f"created: {stamp(now, tz)}",
        *([f"source: {addresses[0]}", "sources:"] if addresses else []),
        *(f"  - {url}" for url in addresses),
        f"credibility: {delivery.finding.credibility:.2f}",
        f"topic: {yaml_text(delivery.gap)}",
        f"from: {yaml_text(f'{delivery.owner}, {delivery.origin}')}",
        f"run: {HUB}",
        "tags:",
        "  - research-agent",
        "---",
    ]
    return "\n".join(lines)


def _quote(quote: SharedQuote) -> str:
    credit = inert_line(quote.credit)
    link = f" [↗]({safe})" if (safe := _web(quote.url)) else ""
    lines = [f"> {inert_line(quote.text)}{link}"]
    return "\n".join([*lines, ">", f"> — {credit}"] if credit else lines)


def _sources(delivery: Delivery) -> str:
    lines = [
        f"{number}. {outside_link(url, url)}" for number, url in enumerate(_addresses(delivery), 1)
    ]
    return "\n".join(["## Sources", "", *lines]) if lines else ""


def _addresses(delivery: Delivery) -> Iterator[str]:
    found = (_web(url) for url in delivery.finding.sources)
    return iter(dict.fromkeys(url for url in found if url))


def _web(url: str) -> str:
    """Return an address on the web that is safe in a note, or "": no file of this machine."""
    return (safe_url(url) or "") if url.startswith(("http://", "https://")) else ""
