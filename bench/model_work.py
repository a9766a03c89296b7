"""Questions with known answers, taken through a whole run with a language model that writes."""

import asyncio
import json
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import Any

from daemon.adapters.llm.models import object_in
from daemon.analysis.note_words import key
from daemon.language.stop_words import is_significant
from daemon.language.words import segments
from daemon.model.errors import InvalidReplyError
from daemon.model.finding import Finding
from daemon.model.language_models import ModelCall, Reply, Role, Usage
from daemon.models.checks import Scorer
from daemon.models.limits import Lanes, Limit
from daemon.models.service import ModelService, RoleModel
from daemon.models.writing import Writing
from daemon.ports import Embedder, LanguageModel, Reranker
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from daemon.store.model_calls import call_key
from daemon.store.run_files import RunDirectory
from tests.fakes.language_model import OPTIONS
from tests.fakes.planted import NoNotes
from tests.fakes.run_parts import NOW, Pages, Surroundings, a_hit, a_task, an_agenda
from tests.fakes.source import FakeSource

DATA = Path(__file__).resolve().parents[1] / "../shared/data/qa"
SECRET = b"0" * 32
_NO_PACE = Limit(1, 0.001)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the texts that a run finds for it, and what a reference answers."""

    name: str
    text: str
    pages: tuple[str, ...]
    answer: str


@dataclass(slots=True)
class Kept:
    """A model whose answers are kept in `folder`, with what they took, and given again from there.

    An interrupted measurement continues with them, and other checks can be tried on them.
    """

    model: LanguageModel
    folder: Path
    calls: int = 0
    invalid: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return self.model.name

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        path = self.folder / f"{call_key(self.name, call)}.json"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            kept = json.dumps(await self._asked(call, on_text), ensure_ascii=False, indent=1)
            part = path.with_suffix(".part")
            part.write_text(kept, "utf-8")
            part.rename(path)
        return self._reply(json.loads(path.read_text("utf-8")), call)

    async def _asked(
        self, call: ModelCall, on_text: Callable[[str], None] | None
    ) -> dict[str, Any]:
        began = time.monotonic()
        kept: dict[str, Any] = {"user": call.user, "error": ""}
        try:
            reply = await self.model.ask(call, on_text)
            kept |= {"answer": reply.text, "tokens": reply.usage.total}
        except InvalidReplyError as error:
            kept["error"] = str(error)
        return kept | {"seconds": time.monotonic() - began}

    def _reply(self, kept: dict[str, Any], call: ModelCall) -> Reply:
        self.calls += 1
        self.seconds += kept["seconds"]
        if kept["error"]:
            self.invalid += 1
            raise InvalidReplyError(kept["error"])
        self.tokens += kept["tokens"]
        text = str(kept["answer"])
        value = call.schema.model_validate_json(object_in(text)) if call.schema else None
        return Reply(text, Usage(0, kept["tokens"]), self.name, value)


@dataclass(frozen=True, slots=True)
class Judges:
    """What a run ranks and checks with."""

    embedder: Embedder
    reranker: Reranker

    def score(self, sentence: str, texts: Sequence[str]) -> Sequence[float]:
        return [float(each) for each in self.reranker.score(sentence, texts)]


def writing(
    model: LanguageModel, folder: Path, score: Scorer, seconds: float, *, reads: bool = True
) -> Writing:
    """Return what writes with one model, which also `reads` first, as slow as it may be."""
    folder.mkdir(parents=True, exist_ok=True)
    service = service_of({Role.WRITER: model} | ({Role.READER: model} if reads else {}), folder)
    options = replace(OPTIONS, call_seconds=seconds, run_seconds=10 * seconds)
    return Writing(service, score, options)


def service_of(
    models: Mapping[Role, LanguageModel],
    folder: Path,
    close: Callable[[], Awaitable[None]] | None = None,
) -> ModelService:
    """Return what calls models on this machine, without a pace; its ledger is in a folder."""
    ledger = Ledger(Database(folder / "lacuna.db"), clock=lambda: NOW, zone=lambda: UTC)
    roles = {role: RoleModel(model, "llamacpp") for role, model in models.items()}
    lanes = Lanes({"llamacpp": 1}, heavy=_NO_PACE, light=_NO_PACE)
    return ModelService(roles, ledger, lanes, close)


def prepare(folder: Path) -> None:
    """Empty the folder of a question, and give its run the secret of every measurement.

    Prompts are the same in each measurement by that, and kept answers are found.
    """
    shutil.rmtree(folder, ignore_errors=True)
    RunDirectory(folder / "run").write("models/secret", SECRET)


def finding_of(
    question: Question, folder: Path, judges: Judges, write: Writing | None
) -> Finding | None:
    """Return what a run finds for a question, or None."""
    hits = [a_hit(f"{question.name}-{n}", title=question.text) for n in range(len(question.pages))]
    pages = Pages({f"{question.name}-{n}": text for n, text in enumerate(question.pages)})
    source = FakeSource("one", hits)
    around = Surroundings(
        {"one": source},
        pages,
        NoNotes(),
        judges.embedder,
        reranker=judges.reranker,
        write=write,
    )
    task = a_task(question.text, question.text, note=None, sources=("one",))
    result = asyncio.run(around.run(an_agenda(task), folder))
    return next(iter(result.findings), None)


def questions(per_file: int, offset: int = 1) -> list[Question]:
    """Return questions spread over both files; those of another offset are for choosing."""
    both = zip(pubmed(per_file, offset), _covid(per_file, offset), strict=True)
    return [each for two in both for each in two]


def pubmed(most: int, offset: int) -> list[Question]:
    """Return questions of PubMedQA, each with its abstract and another."""
    entries = list(json.loads((DATA / "pubmedqa_dev.json").read_text("utf-8")).values())
    texts = ["\n\n".join(each["CONTEXTS"]) for each in entries]
    found = []
    for number in range(offset, len(entries), max(len(entries) // most, 1))[:most]:
        each = entries[number]
        near = _nearest(each["QUESTION"], texts, number)
        pages = (texts[number], texts[near])
        found.append(Question(f"p{number}", each["QUESTION"], pages, each["LONG_ANSWER"]))
    return found


def _covid(most: int, offset: int) -> list[Question]:
    content = json.loads((DATA / "covidqa_dev.json").read_text("utf-8"))
    papers = [one for each in content["data"] for one in each["paragraphs"]]
    asked = [(paper["context"], one) for paper in papers for one in paper["qas"] if one["answers"]]
    return [
        Question(f"c{one['id']}", one["question"], (text,), one["answers"][0]["text"])
        for text, one in asked[offset :: max(len(asked) // most, 1)][:most]
    ]


def _nearest(question: str, texts: Sequence[str], own: int) -> int:
    """Return the other text that shares most words with a question."""
    wanted = stems(question)
    return max(
        (n for n in range(len(texts)) if n != own), key=lambda n: len(wanted & stems(texts[n]))
    )


def stems(text: str) -> set[str]:
    return {key(word) for word in segments(text.casefold()) if is_significant(word)}


def share_of_answer(answer: str, text: str) -> float:
    """Return the share of a reference answer's telling words that a text has."""
    wanted = stems(answer)
    return len(wanted & stems(text)) / len(wanted) if wanted else 0.0


def removed_from(folder: Path) -> list[dict[str, Any]]:
    """Return the sentences that did not pass, with why."""
    path = folder / "models" / "written.json"
    written = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return [each for one in written.values() for each in one["removed"]]
