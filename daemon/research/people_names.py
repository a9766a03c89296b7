"""Compare people's names: folded to ASCII, with family names, particles and initials recognised."""

import re
from collections.abc import Sequence
from functools import lru_cache

from anyascii import anyascii

_WORDS = re.compile(r"[^\W_]+(?:[-‐‑–'’ʼ`][^\W_]+)*")
_APOSTROPHES = re.compile(r"['’ʼ`]")
_HYPHENS = re.compile(r"[-‐‑–]")
_PARTICLES = frozenset(
    """
    af al am av bin ibn ben da das de del della den der di do dos du e el la las le les lo los op
    san st ten ter tho van vande vander vom von y zu zum zur
    """.split()  # noqa: SIM905 a list to read and extend
)
_SUFFIXES = frozenset(("jr", "sr", "junior", "senior", "ii", "iii", "iv", "phd", "md", "msc", "dr"))
_NOBODY = re.compile(
    r"^(?:anon(?:ymous)?|et al\.?|\[?no authors? listed\]?\.?|n/?a|unknown)$", re.I
)
# How German, Danish, Norwegian and Serbian letters are spelled in plain ASCII.
_SPELLED_OUT = re.compile(r"(?<![aeiouq])([aou])e|(?<![aeiou])(a)a")
_MAX_INITIALS = 4
_CJK = re.compile(r"^[\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]{2,4}$")


@lru_cache(maxsize=20_000)
def folded(text: str) -> str:
    """Return text in lower-case ASCII; every letter stays, whatever its script."""
    return text.lower() if text.isascii() else anyascii(text).lower()


@lru_cache(maxsize=20_000)
def surnames(name: str) -> frozenset[str]:
    """Return the words that may be a person's family name, in comparable form.

    "García Márquez, G." may be listed under either word, so there are two. Empty for "Anonymous".
    """
    if not name.strip() or _NOBODY.match(name.strip()):
        return frozenset()
    spelled = [_spelled(part) for word in _parted(name)[0] for part in _HYPHENS.split(word)]
    kept = [part for part in spelled if part not in _PARTICLES and len(part) > 1]
    whole = "".join(spelled)
    return frozenset(filter(None, [*(kept or [whole]), *([whole] if len(spelled) > 1 else [])]))


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names share a family name."""
    return not surnames(one).isdisjoint(surnames(other))


def is_same_writer(one: str, other: str) -> bool:
    """Return whether a family name is shared and the given names, which both must have, are
    consistent.
    """
    first, second = (_parted(name)[1] for name in (one, other))
    if not first or not second or surnames(one).isdisjoint(surnames(other)):
        return False
    ours, theirs = _spelled(first[0]), _spelled(second[0])
    is_initial = _is_initials(first[0]) or _is_initials(second[0])
    return ours == theirs or (
        ours[:1] == theirs[:1] and (is_initial or min(len(ours), len(theirs)) == 1)
    )


def are_same_people(
    ones: Sequence[str], others: Sequence[str], *, in_any_order: bool = False
) -> bool | None:
    """Return whether two lists of authors are of one work; None if one of them is not known.

    The first authors agree; or, with `in_any_order`, half of the shorter list is in the other:
    lists are shortened, and not all keep the order.
    """
    left = [found for name in ones if (found := surnames(name))]
    right = [found for name in others if (found := surnames(name))]
    if not left or not right:
        return None
    if not left[0].isdisjoint(right[0]):
        return True
    shorter, longer = sorted((left, right), key=len)
    shared = sum(any(not each.isdisjoint(one) for one in longer) for each in shorter)
    return in_any_order and shared >= 2 and 2 * shared >= len(shorter)


def _parted(name: str) -> tuple[list[str], list[str]]:
    """Return the words of a name as (family, given): of "Berg, J.", "Jan van den Berg", "Berg JV".

    A double name without a comma counts as family where that is possible.
    """
    parts = [_WORDS.findall(part) for part in name.split(",")]
    parts = [_without_suffix(words) for words in parts]
    parts = [words for words in parts if words]
    if len(parts) != 1:
        return (parts[0], parts[1]) if parts else ([], [])
    words = parts[0]
    if len(words) == 1 and _CJK.match(words[0]):
        return [words[0][0]], [words[0][1:]]  # the family name comes first, and is one character
    end = len(words)
    while end > 1 and _is_initials(words[end - 1]):
        end -= 1
    is_behind = end < len(words) and len(words[0]) > 1
    if is_behind and (end == 1 or not any(map(_is_initials, words[:end]))):
        return words[:end], words[end:]
    start = len(words) - 1
    while start > 1 and folded(words[start - 1]) in _PARTICLES:
        start -= 1
    is_double = start > 1 and start == len(words) - 1 and len(words[start - 1]) > 2
    return words[max(start - is_double, 0) :], words[:start]


def _without_suffix(words: list[str]) -> list[str]:
    """Remove "Jr" and "PhD", which are not part of a name."""
    last = len(words)
    while last and folded(words[last - 1]) in _SUFFIXES:
        last -= 1
    return words[:last]


def _is_initials(word: str) -> bool:
    return word.isupper() and len(word) <= _MAX_INITIALS and not _CJK.match(word)


def _spelled(word: str) -> str:
    """Fold a word: Müller, Mueller and Muller become equal, and so do Đorđević and Djordjevic."""
    plain = "".join(_WORDS.findall(_APOSTROPHES.sub("", folded(word)).replace(" ", "")))
    return _SPELLED_OUT.sub(lambda found: found[1] or found[2], plain.replace("dj", "d"))
