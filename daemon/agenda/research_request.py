"""Research requests of notes, by a property or a tag: what is requested, and when it is new. Pure.

A request is kept in one comparable form, so that `yes` edited into `true` is no new request: that
of the property, if there is one, and a mark if there is the tag.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from daemon.model.agenda import Depth
from daemon.model.research_options import ResearchOptions

_YES = {"true", "yes", "on", "y", "1"}
_NO = {"", "false", "no", "off", "n", "0", "null", "none", "~"}
_TAG = "#"  # stands after what the property asks for; JSON never ends so
_MAX_QUESTIONS = 20  # questions in one note
_MAX_LENGTH = 500  # characters of one question


def requested(value: object) -> str | None:
    """Return what a property's value requests, in its comparable form, or None for nothing.

    `true`, `"true"`, `yes`, `on`, `1` ask for research on the note itself; a text or a list of
    texts are questions. `false`, `no`, empty ones and anything else ask for nothing, and neither do
    the first letters of these words: someone who typed `tr` is about to write `true`.
    """
    texts = list(dict.fromkeys(text for text in _texts(value) if not _is_half_typed(text)))
    asked = [text for text in texts if text.lower() not in _YES | _NO]
    if asked:
        return json.dumps(asked[:_MAX_QUESTIONS], ensure_ascii=False)
    return "[]" if any(text.lower() in _YES for text in texts) else None


def with_tag(request: str | None, *, tagged: bool) -> str | None:
    """Return the request of a note by its property's `request` and its tag; None for none."""
    return f"{request or ''}{_TAG}" if tagged else request


def questions(request: str) -> tuple[str, ...]:
    """Return the questions in a request; none when the note itself is the question."""
    return tuple(json.loads(request.removesuffix(_TAG) or "[]"))


def newly_requested(
    previous: Mapping[str, str], current: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the keys whose request is new or changed, in order, and what to compare with next.

    A request fires once; it fires again when it changes, or is taken back and made again. Property
    and tag do so each for itself: what is taken away of the two fires nothing.
    """
    fired = tuple(
        key for key, request in current.items() if _is_new(previous.get(key, ""), request)
    )
    return fired, dict(current)


def carried_over(
    previous: Mapping[str, str], current: Mapping[str, str], gone: Collection[str]
) -> dict[str, str]:
    """Return what was last seen, the requests of keys that are gone under their new keys.

    A request has moved when it is the only one of its kind that is gone, and the only new one.
    """
    removed = {key: request for key, request in previous.items() if key in gone}
    new = {key: request for key, request in current.items() if key not in previous}
    seen = dict(previous)
    for request in set(removed.values()) & set(new.values()):
        olds = [key for key in removed if removed[key] == request]
        new_keys = [key for key in new if new[key] == request]
        if len(olds) == len(new_keys) == 1:
            seen[new_keys[0]] = seen.pop(olds[0])
    return seen


def _is_new(before: str, now: str) -> bool:
    asked = now.removesuffix(_TAG)
    is_new_request = bool(asked) and asked != before.removesuffix(_TAG)
    return is_new_request or (now.endswith(_TAG) and not before.endswith(_TAG))


def _is_half_typed(text: str) -> bool:
    """Return whether a text is the unfinished beginning of a yes or a no."""
    begun = text.lower()
    answers = _YES | _NO
    return bool(begun) and begun not in answers and any(word.startswith(begun) for word in answers)


def _texts(value: object, depth: int = 2) -> Iterator[str]:
    if isinstance(value, (list, tuple)) and depth:  # [[Note]] is a list in a list to YAML
        for item in value:
            yield from _texts(item, depth - 1)
    elif isinstance(value, (str, bool)) or (isinstance(value, int) and value in (0, 1)):
        yield " ".join(str(value).split())[:_MAX_LENGTH]


def own_options(
    options: ResearchOptions, frontmatter: Mapping[str, Any]
) -> tuple[ResearchOptions | None, list[str]]:
    """Apply `research_depth` and `research_sources`; return the invalid ones, in words.

    The options are None if no source named there is on: a note that is limited to certain sources
    is never sent to others.
    """
    remarks = []
    depth, wanted = frontmatter.get("research_depth"), frontmatter.get("research_sources")
    if isinstance(depth, str) and depth.strip().casefold() in tuple(Depth):
        options = replace(options, depth=Depth(depth.strip().casefold()))
    elif depth is not None:
        known = " or ".join((", ".join(list(Depth)[:-1]), list(Depth)[-1]))
        remarks.append(f"research_depth: {str(depth)[:40]!r} is not {known}")
    if wanted is None or options.named:
        return options, remarks
    names = list(dict.fromkeys(str(name).strip().casefold() for name in _listed(wanted)))
    chosen = tuple(name for name in options.sources if name in names)
    there_are = ", ".join(options.sources) or "none"
    if not chosen:
        return None, [*remarks, f"research_sources names none that is on ({there_are})"]
    if off := [name[:40] for name in names if name not in chosen]:
        remarks.append(f"research_sources: not on: {', '.join(off)}")
    return replace(options, sources=chosen, named=True), remarks


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
