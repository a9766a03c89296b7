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
from daemon.models.service import OnEvent
from daemon.models.source_passages import (
    Reading,
    SourcePassages,
    reader_notes,
    reading_form,
)

MAX_READERS = 5
_READ = (
    "Choose sentences of one source that help to answer a question, by their ids. `contribution`:"
    " the one that answers it best, often a result or a conclusion. `abstract`: up to four others"
    " that say what was found. `methods`: up to five that say how, such as the number of"
    " participants. Leave out what does not concern the question."
)
NO_BUDGET = "the token budget of this run ended"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Read:
    """What readers chose, and why they did not read a source, both by the ids of sources."""

    chosen: Mapping[str, Reading]
    unread: Mapping[str, str]

    @property
    def is_spent(self) -> bool:
        """Whether a budget ended it."""
        return NO_BUDGET in self.unread.values()


def shards(texts: Sequence[SourcePassages]) -> list[Sequence[SourcePassages]]:
    """Deal sources out to at most five readers: the same sources, the same shards."""
    return [texts[reader::MAX_READERS] for reader in range(min(MAX_READERS, len(texts)))]


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
    )
    for reader, shard in enumerate(dealt, start=1):
        notes = reader_notes(shard, found.chosen, found.unread)
        calls.record.keep_notes(reader, finding.id, finding.title, notes)
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
    for each in shard:
        block = Block(each.id, each.lines)
        prompt = Prompt(Role.READER, _READ, finding.task.query, [block], tokens)
        form = reading_form([line.id for line in each.lines])
        try:
            found[each.id] = await calls.ask(prompt, form, on_event, spare=spare)
        except SpentError:
            unread[each.id] = NO_BUDGET
        except LanguageModelError as error:
            _log.warning("A source was not read by a model: %s", error)
            unread[each.id] = str(error)
    return Read(found, unread)
