"""A property that sets something off: what it asks for, and when it does so anew. Pure.

Values are kept in one comparable form, so that `yes` edited into `true` is no new wish.
"""

import json
from collections.abc import Collection, Iterator, Mapping

_YES = {"true", "yes", "on", "y", "1"}
_NO = {"", "false", "no", "off", "n", "0", "null", "none", "~"}
_MOST = 20  # questions in one note
_LONGEST = 500  # characters of one question


def wants(value: object) -> str | None:
    """Return what a property's value asks for, in its comparable form, or None for nothing.

    `true`, `"true"`, `yes`, `on`, `1` ask for research on the note itself; a text or a list of
    texts are questions. `false`, `no`, empty ones and anything else ask for nothing.
    """
    texts = list(dict.fromkeys(_texts(value)))
    asked = [text for text in texts if text.lower() not in _YES | _NO]
    if asked:
        return json.dumps(asked[:_MOST], ensure_ascii=False)
    return "[]" if any(text.lower() in _YES for text in texts) else None


def questions(wanted: str) -> tuple[str, ...]:
    """Return the questions in what `wants` returned; none when the note itself is the question."""
    return tuple(json.loads(wanted))


def changed(
    previous: Mapping[str, str], current: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the keys whose wish is new or another one, in order, and what to compare with next.

    A wish fires once; it fires again when it changes, or is taken back and made again.
    """
    fired = tuple(key for key, wanted in current.items() if previous.get(key) != wanted)
    return fired, dict(current)


def carried(
    previous: Mapping[str, str], current: Mapping[str, str], gone: Collection[str]
) -> dict[str, str]:
    """Return what was last seen, the wishes of keys that are gone under their new keys.

    A wish has moved when it is the only one of its kind that is gone, and the only one that is new.
    """
    lost = {key: wanted for key, wanted in previous.items() if key in gone}
    new = {key: wanted for key, wanted in current.items() if key not in previous}
    seen = dict(previous)
    for wanted in set(lost.values()) & set(new.values()):
        olds = [key for key in lost if lost[key] == wanted]
        news = [key for key in new if new[key] == wanted]
        if len(olds) == len(news) == 1:
            seen[news[0]] = seen.pop(olds[0])
    return seen


def _texts(value: object, depth: int = 2) -> Iterator[str]:
    if isinstance(value, (list, tuple)) and depth:  # [[Note]] is a list in a list to YAML
        for item in value:
            yield from _texts(item, depth - 1)
    elif isinstance(value, (str, bool)) or (isinstance(value, int) and value in (0, 1)):
        yield " ".join(str(value).split())[:_LONGEST]
