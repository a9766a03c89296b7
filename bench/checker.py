"""Does a model in the role of the checker tell supported sentences from unsupported ones?

LACUNA_TEST_MODEL names the weights. Sentences of abstracts, drawn by LACUNA_SEED, are altered once
in a way that keeps what they say, and once in a way that does not (see `bench.altered`). Answers
are kept in the folder `checker` of the cache, and used again.
"""

import asyncio
import json
import os
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.altered import names_in, other, same
from bench.model_server import serving, weights
from bench.model_work import DATA, SECRET, Kept, service_of
from bench.places import Places
from bench.table import Row
from daemon.adapters.llm.models import ChildLanguageModel
from daemon.adapters.llm.process import ProviderProcess
from daemon.model.evidence import Passage
from daemon.model.language_models import Connection, ProviderKind, Role
from daemon.models.answers import CheckedSentence
from daemon.models.barrier import Barrier
from daemon.models.calls import Calls
from daemon.models.checking import unsupported
from daemon.research.sentences import sentences
from daemon.store.model_calls import NoRecord

_PAIRS, _QUICK = 20, 2
_LENGTHS = range(60, 301)  # characters of a sentence
_CALL_SECONDS = 1800.0
_Pair = tuple[str, str, str, str]  # question, what is cited, supported, unsupported


def rows(places: Places) -> Iterator[Row]:
    """Ask about each sentence alone."""
    path = weights()
    if path is None or not DATA.is_dir():
        yield Row("checker", "not measured: set LACUNA_TEST_MODEL to a GGUF file")
        return
    chance = random.Random(os.environ.get("LACUNA_SEED", "1"))
    pairs = _pairs(chance, _QUICK if places.quick else _PAIRS)
    with serving(path) as url:
        removed = asyncio.run(_removed(url, pairs, places.cache / "checker"))
    good, bad = (sum(each[place] for each in removed) for place in (0, 1))
    yield Row(f"supported sentences that the checker removes, of {len(pairs)}", str(good))
    yield Row(f"unsupported sentences that the checker removes, of {len(pairs)}", str(bad))


def _pairs(chance: random.Random, most: int) -> list[_Pair]:
    entries = list(json.loads((DATA / "pubmedqa_dev.json").read_text("utf-8")).values())
    found: list[_Pair] = []
    for each in chance.sample(entries, len(entries)):
        texts = [one.text for one in sentences("\n\n".join(each["CONTEXTS"]), wrapped=False)]
        whole = [one for one in texts if len(one) in _LENGTHS and re.search(r"\w[.]$", one)]
        for cited in chance.sample(whole, len(whole)):
            rest = tuple(one for one in whole if one != cited)
            kept = [one.text for one in same(cited) if one.text != cited]
            changed = [one.text for one in other(cited, rest, names_in(" ".join(texts)))]
            if kept and changed:
                pair = (chance.choice(kept), chance.choice(changed))
                found.append((each["QUESTION"], cited, *pair))
                break
        if len(found) == most:
            break
    return found


async def _removed(url: str, pairs: Sequence[_Pair], folder: Path) -> list[tuple[bool, bool]]:
    """Return for each pair whether the checker removes the supported and the unsupported one."""
    process = ProviderProcess("llamacpp", Connection(ProviderKind.OPENAI, url))
    model = Kept(ChildLanguageModel("llamacpp", "measured", process), folder)
    with tempfile.TemporaryDirectory() as ledger:
        service = service_of({Role.CHECKER: model}, Path(ledger), process.close)
        calls = Calls(service, NoRecord(), Barrier(SECRET), _CALL_SECONDS)
        try:
            return [
                (await _is_bad(calls, q, cited, good), await _is_bad(calls, q, cited, bad))
                for q, cited, good, bad in pairs
            ]
        finally:
            await service.close()


async def _is_bad(calls: Calls, question: str, cited: str, text: str) -> bool:
    sentence = CheckedSentence(text, (Passage("d", 0, len(cited), cited),))
    return bool(await unsupported(calls, question, [sentence], lambda _line: None))
