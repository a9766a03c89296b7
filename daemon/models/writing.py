"""From sources to text: shard → read → write → check, for each finding of a run.

Readers choose sentences by their ids; the writer writes from what they chose; every sentence is
checked against what it cites. Whatever goes wrong, the extractive finding stands as it is.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from string import ascii_lowercase
from typing import Any

from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.finding import Finding
from daemon.model.language_models import ModelCall, Role
from daemon.models.answers import KeptSentence, Text, kept_sentences
from daemon.models.barrier import Barrier, Block
from daemon.models.checks import Scorer
from daemon.models.service import ModelService, OnEvent
from daemon.models.source_passages import Reading, SourcePassages, chosen, passages_of, reader_notes
from daemon.ports import Stop
from daemon.store.evidence import RunFolder
from daemon.store.reporter import Reporter

MAX_SOURCES = 10
MAX_READERS = 5
_READ = (
    "You read one source for a question. Choose its sentences by their ids: `contribution`, the one"
    " that best says what the source found; `abstract`, up to four that summarise it; `methods`, up"
    " to five that say how it was found out. Choose only sentences that bear on the question."
)
_WRITE = (
    "You write two or three short sentences that answer the question from the numbered sentences"
    " alone. Each of yours restates one or two of them closely, with their own words, numbers and"
    " names, adds nothing, and lists their ids in `cites`. `concepts` are three to five terms that"
    " occur in them. If they do not answer the question, write what they do say about it."
)
_LATE = "partial: the time limit of this run ended before a text was written"
_STOP_POLL_SECONDS = 0.1
_HANDOFF = (Role.READER, Role.WRITER)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    """Tokens of one answer, seconds of one call and of all calls of a run."""

    reader_tokens: int = 300
    writer_tokens: int = 600
    call_seconds: float = 180.0
    run_seconds: float = 1800.0


class Writing:
    """Writes texts of findings; `scorer` is the cross-encoder that judges support."""

    def __init__(
        self, service: ModelService, scorer: Scorer, options: Options | None = None
    ) -> None:
        self._service = service
        self._scorer = scorer
        self._options = options or Options()

    async def __call__(
        self, findings: Sequence[Finding], folder: RunFolder, stop: Stop, report: Reporter
    ) -> None:
        """Write for each finding in turn, and keep what passed. Raises StoppedError."""
        written = folder.models.written()
        with report.step("write", plan=tuple(each.title for each in findings)) as progress:
            work = _Run(self._service, self._scorer, self._options, folder, report)
            ends = asyncio.get_running_loop().time() + self._options.run_seconds
            for number, finding in enumerate(findings):
                if finding.id in written:
                    continue
                work.show = partial(report.state, "write", number, len(findings))
                try:
                    async with asyncio.timeout_at(ends):
                        written[finding.id] = await _until_stopped(work.write(finding), stop)
                except TimeoutError:
                    written[finding.id] = work.nothing(finding, _LATE)
                folder.models.keep_written(written)
                progress(number + 1, len(findings), finding.title)


class _Run:
    """The calls of one run."""

    def __init__(
        self,
        service: ModelService,
        scorer: Scorer,
        options: Options,
        folder: RunFolder,
        report: Reporter,
    ) -> None:
        self._service = service
        self._scorer = scorer
        self._options = options
        self._folder = folder
        self._report = report
        self.show: OnEvent = lambda _line: None  # is called with the state of each call
        self._barrier = Barrier(folder.models.secret)

    async def write(self, finding: Finding) -> dict[str, object]:
        """Return what is kept of the text of a finding."""
        sources = finding.sources[:MAX_SOURCES]
        texts = [
            passages_of(ascii_lowercase[place], each, finding) for place, each in enumerate(sources)
        ]
        texts = [each for each in texts if each.lines]
        readings, partial = await self._read(finding, texts)
        given = [chosen(each, reading) for each, reading in zip(texts, readings, strict=True)]
        passages = sum(len(each.lines) for each in given)
        body = {**self.nothing(finding, partial), "passages": passages}
        if not given:
            return body
        self._report_handoff(finding, readings)
        try:
            text = await self._text(finding, given)
        except SpentError:
            read = sum(reading is not None for reading in readings)
            return {**body, "partial": partial or _ended(read, len(texts))}
        except LanguageModelError as error:
            _log.warning("No text was written for “%s”: %s", finding.title, error)
            return {**body, "removed": [{"text": "", "why": str(error)}]}
        kept = kept_sentences(text, given, finding, self._barrier, self._scorer)
        if kept.why:
            _log.warning("The text for “%s” was dropped: %s", finding.title, kept.why)
        return {
            **body,
            **_kept_as_json(kept.sentences),
            "removed": kept.removed,
            "concepts": kept.concepts,
        }

    def nothing(self, finding: Finding, partial: str) -> dict[str, object]:
        """Return what is kept where no text is, with the sources that no reader was given."""
        omitted = [each.document.hit.url for each in finding.sources[MAX_SOURCES:]]
        return {
            "model": self._service.name(Role.WRITER),
            "sentences": [],
            "concepts": [],
            "passages": 0,
            "removed": [],
            "partial": partial,
            "omitted": omitted,
        }

    async def _read(
        self, finding: Finding, texts: Sequence[SourcePassages]
    ) -> tuple[list[Reading | None], str]:
        """Have the sources read side by side; None where a source was not read."""
        if not self._service.name(Role.READER):
            return [None] * len(texts), ""
        readers = min(MAX_READERS, max(len(texts), 1))
        shards = [texts[reader::readers] for reader in range(readers)]
        read = await asyncio.gather(*(self._shard(finding, shard) for shard in shards))
        by_id = {id_: reading for found in read for id_, reading in found.items()}
        for reader, shard in enumerate(shards):
            if shard:
                notes = reader_notes(shard, by_id)
                self._folder.models.keep_notes(reader + 1, notes)
        spent = [each for each in texts if each.id not in by_id]
        partial = _ended(len(texts) - len(spent), len(texts)) if spent else ""
        return [by_id.get(each.id) for each in texts], partial

    async def _shard(
        self, finding: Finding, shard: Sequence[SourcePassages]
    ) -> dict[str, Reading | None]:
        """Read sources one after the other; those that no budget allows are missing."""
        found: dict[str, Reading | None] = {}
        for each in shard:
            block = Block(each.id, each.lines)
            call = self._call(_READ, finding, [block], Reading, self._options.reader_tokens)
            try:
                reply = await self._service.ask(
                    Role.READER, call, self._folder.models, on_event=self.show
                )
            except SpentError:
                return found
            except LanguageModelError as error:
                _log.warning("A source was not read by a model: %s", error)
                found[each.id] = None
                continue
            assert isinstance(reply.value, Reading)  # noqa: S101 - by its schema
            found[each.id] = reply.value
        return found

    def _report_handoff(self, finding: Finding, readings: Sequence[Reading | None]) -> None:
        """Report that the readers are done, if any source was read by one."""
        if read := sum(reading is not None for reading in readings):
            giver, taker = (f"{role} {self._service.name(role)}" for role in _HANDOFF)
            why = f"sources read for “{finding.title}”: {read} of {len(readings)}"
            self._report.handoff(giver, taker, why)

    async def _text(self, finding: Finding, given: Sequence[SourcePassages]) -> Text:
        blocks = [Block(each.id, each.lines) for each in given]
        call = self._call(_WRITE, finding, blocks, Text, self._options.writer_tokens)
        with self._report.tokens(finding.id) as on_text:
            reply = await self._service.ask(
                Role.WRITER, call, self._folder.models, on_event=self.show, on_text=on_text
            )
        assert isinstance(reply.value, Text)  # noqa: S101 - by its schema
        return reply.value

    def _call(
        self,
        instructions: str,
        finding: Finding,
        blocks: Sequence[Block],
        schema: type[Reading] | type[Text],
        tokens: int,
    ) -> ModelCall:
        system = self._barrier.system(instructions)
        user = self._barrier.user(finding.task.query, blocks)
        return ModelCall(system, user, schema, tokens, self._options.call_seconds)


def _kept_as_json(sentences: Sequence[KeptSentence]) -> dict[str, object]:
    return {
        "sentences": [
            {
                "text": each.text,
                "cites": [
                    {"document": one.document, "start": one.start, "end": one.end, "text": one.text}
                    for one in each.cites
                ],
            }
            for each in sentences
        ]
    }


def _ended(read: int, sources: int) -> str:
    return f"partial: the token budget of this run ended after {read} of {sources} sources"


async def _until_stopped(
    work: Coroutine[Any, Any, dict[str, object]], stop: Stop
) -> dict[str, object]:
    """Return what came of the work; end it, with all its calls, when a stop is asked for."""
    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait([task], timeout=_STOP_POLL_SECONDS))[0]:
            stop.check()
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])
