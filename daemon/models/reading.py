"""Several light readers go through the sources of a finding side by side."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.finding import Finding
from daemon.model.language_models import Role
from daemon.models.barrier import Block
from daemon.models.calls import Calls, Prompt
from daemon.models.redaction import redact
from daemon.models.service import OnEvent
from daemon.models.source_passages import (
    Reading,
    SourcePassages,
    reader_notes,
    reading_form,
)
from daemon.research.quotable import keys_in

MAX_READERS = 5
_READ = (
    "Choose sentences of one source that help to answer a question, by their ids. `contribution`:"
    " the one that answers it best, often a result or a conclusion. `abstract`: up to four others"
    " that say what was found. `methods`: up to five that say how, such as the number of"
    " participants. Leave out what does not concern the question."
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Read:
    """What readers chose, and why they did not read a source, both by the ids of sources.

    `spent` names the budget that ended it, "" if none did.
    """

    chosen: Mapping[str, Reading]
    unread: Mapping[str, str]
    spent: str = ""


def shards(texts: Sequence[SourcePassages]) -> list[Sequence[SourcePassages]]:
    """Deal sources out to at most five readers: the same sources, the same shards.

    Each gets the best source that is left and those that are most similar to it.
    """
    words = {each.id: _words(each) for each in texts}
    left, dealt = list(texts), list[Sequence[SourcePassages]]()
    for readers in range(min(MAX_READERS, len(texts)), 0, -1):
        like = {each.id: _overlap(words[left[0].id], words[each.id]) for each in left[1:]}
        near = sorted(like, key=lambda id_: -like[id_])
        ids = {left[0].id, *near[: -(-len(left) // readers) - 1]}
        dealt.append([each for each in left if each.id in ids])
        left = [each for each in left if each.id not in ids]
    return dealt


def _words(source: SourcePassages) -> frozenset[str]:
    return keys_in(" ".join([source.title, *(each.text for each in source.lines)]))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the words of two sources that both have."""
    return len(one & other) / max(len(one | other), 1)


async def read(
    calls: Calls,
    finding: Finding,
    texts: Sequence[SourcePassages],
    *,
    tokens: int,
    spare: int,
    on_event: OnEvent,
) -> Read:
    """Have the sources read. An answer has at most `tokens`; the writer needs `spare` of them."""
    dealt = shards(texts)
    done = await asyncio.gather(
        *(_shard(calls, finding, shard, tokens, spare, on_event) for shard in dealt)
    )
    found = Read(
        {id_: one for each in done for id_, one in each.chosen.items()},
        {id_: why for each in done for id_, why in each.unread.items()},
        next(filter(None, (each.spent for each in done)), ""),
    )
    for reader, shard in enumerate(dealt, start=1):
        notes = reader_notes(shard, found.chosen, found.unread)
        calls.record.keep_notes(reader, finding.id, redact(finding.title).text, notes)
    return found


async def _shard(
    calls: Calls,
    finding: Finding,
    shard: Sequence[SourcePassages],
    tokens: int,
    spare: int,
    on_event: OnEvent,
) -> Read:
    """Read sources one after the other."""
    found: dict[str, Reading] = {}
    unread: dict[str, str] = {}
    spent = ""
    for each in shard:
        block = Block(each.id, each.lines)
        prompt = Prompt(Role.READER, _READ, finding.task.query, [block], tokens)
        form = reading_form([line.id for line in each.lines])
        try:
            found[each.id] = await calls.ask(prompt, form, on_event, spare=spare)
        except SpentError as error:
            spent = spent or error.budget
            unread[each.id] = f"{error.budget} ended"
        except LanguageModelError as error:
            _log.warning("A source was not read by a model: %s", error)
            unread[each.id] = str(error)
    return Read(found, unread, spent)
