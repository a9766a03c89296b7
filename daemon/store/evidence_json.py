"""Evidence as plain JSON values, and back."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from daemon.model.evidence import Answer, Document, Flag, Hit, Match, SourceStatus, SourceType


def hit_to_json(hit: Hit) -> dict[str, Any]:
    return asdict(hit)


def hit_from_json(body: dict[str, Any]) -> Hit:
    return Hit(
        **{
            **body,
            "source_type": SourceType(body["source_type"]),
            "authors": tuple(body["authors"]),
            "figures": tuple((str(what), str(value)) for what, value in body.get("figures", ())),
            "passages": tuple((int(start), int(end)) for start, end in body.get("passages", ())),
        }
    )


def answer_to_json(answer: Answer) -> dict[str, Any]:
    return asdict(answer)


def answer_from_json(body: dict[str, Any]) -> Answer:
    return Answer(
        source=body["source"],
        query=body["query"],
        status=SourceStatus(body["status"]),
        hits=tuple(hit_from_json(hit) for hit in body["hits"]),
        why=body["why"],
        seconds=body["seconds"],
        requests=int(body.get("requests", 1)),
    )


def document_to_json(document: Document) -> dict[str, Any]:
    """Everything but the text, which has a file of its own."""
    body = asdict(document)
    del body["text"]
    return {**body, "fetched_at": document.fetched_at.isoformat(), "method": document.method}


def document_from_json(body: dict[str, Any], text: str) -> Document:
    kept = {key: value for key, value in body.items() if key != "method"}  # derived from its parts
    return Document(
        **{
            **kept,
            "hit": hit_from_json(body["hit"]),
            "fetched_at": datetime.fromisoformat(body["fetched_at"]),
            "also_from": tuple(body["also_from"]),
            "places": tuple((int(at), str(name)) for at, name in body.get("places", ())),
        },
        text=text,
    )


def flags_to_json(flags: tuple[Flag, ...]) -> list[list[Any]]:
    return [[flag.kind, flag.count, flag.score] for flag in flags]


def flags_from_json(body: list[list[Any]]) -> tuple[Flag, ...]:
    """Read flags; those of older runs have no score."""
    return tuple(Flag(str(kind), int(count), float(*score)) for kind, count, *score in body)


def near_to_json(near: Match) -> list[Any]:
    return [near.path, near.heading, near.similarity]


def near_from_json(body: list[Any]) -> Match:
    return Match(str(body[0]), str(body[1]), float(body[2]))
