"""The names of groups, known from look to look: a group is named anew when anything moved that its
name hangs on.

With each name stand the terms and names that were asked for on the way to it. Where the answers are
the same, so is the name.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

import numpy as np
import numpy.typing as npt

from daemon.analysis.lexicon import Lexicon
from daemon.store.derived import Derived

_LABELS, _ASKED = "labels", "labels asked"

Named = tuple[tuple[str, ...], tuple[str, ...]]  # a name, longer ones, and keywords
_Terms = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class _Kept:
    named: Named
    names: dict[str, bool]  # asked for, and whether the vault has them
    terms: _Terms  # asked for; two of one number are taken for one


class KeptLabels:
    """What groups were named at the last look."""

    def __init__(self, lexicon: Lexicon, derived: Derived) -> None:
        self._lexicon, self._derived = lexicon, derived
        self._now: dict[str, _Kept] = {}
        self._before = _read(derived) if lexicon.moved is not None else {}
        self._moved = _numbers(lexicon.moved or ())

    def get(self, group: Sequence[str]) -> Named | None:
        """The name of a group if it is known."""
        key = self._key(group)
        kept = self._before.get(key)
        if kept is None or np.isin(kept.terms, self._moved).any():
            return None
        if any(self._lexicon.names.has(name) != was for name, was in kept.names.items()):
            return None
        self._now[key] = kept
        return kept.named

    def put(self, group: Sequence[str], named: Named, terms: set[str], names: set[str]) -> None:
        """Keep a name with what was asked for on the way to it."""
        told = {name: self._lexicon.names.has(name) for name in sorted(names)}
        self._now[self._key(group)] = _Kept(named, told, _numbers(terms))

    def keep(self) -> None:
        """Keep the names that were given or confirmed now, and no others."""
        kept = [(key, *each.named, each.names, len(each.terms)) for key, each in self._now.items()]
        self._derived.put_whole(_LABELS, json.dumps(kept).encode())
        asked = [each.terms for each in self._now.values()]
        self._derived.put_whole(_ASKED, b"".join(each.astype("<u4").tobytes() for each in asked))

    def _key(self, group: Sequence[str]) -> str:
        digest = blake2b(self._lexicon.sign, digest_size=16)
        for path in group:
            name = path.encode()
            digest.update(len(name).to_bytes(4, "big") + name + self._lexicon.key(path))
        return digest.hexdigest()


def _read(derived: Derived) -> dict[str, _Kept]:
    asked, at = np.frombuffer(derived.whole(_ASKED), "<u4"), 0
    found = {}
    for key, names, keywords, told, count in json.loads(derived.whole(_LABELS) or b"[]"):
        found[key] = _Kept((tuple(names), tuple(keywords)), told, asked[at : at + count])
        at += count
    return found


def _numbers(terms: set[str] | frozenset[str] | tuple[()]) -> _Terms:
    return np.array(sorted(crc32(term.encode()) for term in terms), np.uint32)
