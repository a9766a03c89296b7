"""A language model that reads and writes, beside the extractive default on the same questions.

LACUNA_TEST_MODEL names the weights, a GGUF file for llama.cpp. Every other question of COVID-QA and
PubMedQA is taken, each with the page that answers it. What was written is kept, with what it cites,
in the folder `models` of the cache. Answers are kept there, too, and used again by the next
measurement.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from bench.model_server import serving, weights
from bench.model_work import (
    DATA,
    Judges,
    Kept,
    Question,
    finding_of,
    prepare,
    questions,
    removed_from,
    share_of_answer,
    writing,
)
from bench.places import Places
from bench.table import Row
from daemon.adapters.llm.models import ChildLanguageModel
from daemon.adapters.llm.process import ProviderProcess
from daemon.composition import open_models
from daemon.config import Settings
from daemon.findings.render import finding_text
from daemon.model.finding import Finding
from daemon.model.language_models import Connection, ProviderKind
from vault_adapters.wikilink import Linker

_PER_FILE, _QUICK = 10, 2
_CALL_SECONDS = 1800.0
_ANSWERED = 0.5  # share of a reference answer's telling words
_QUOTES = 3  # about as long as what is written


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one question."""

    question: Question
    finding: Finding
    removed: int
    calls: int
    invalid: int
    tokens: int
    seconds: float

    @property
    def written(self) -> str:
        """The text of the model, "" when none of it was kept."""
        sentences = self.finding.written.sentences if self.finding.written is not None else ()
        return " ".join(each.text for each in sentences)

    @property
    def quoted(self) -> str:
        """The text of the extractive default, in about the same length."""
        return " ".join(each.passage.text for each in self.finding.quotes[:_QUOTES])


def rows(places: Places) -> Iterator[Row]:
    """Measure with the weights that are named."""
    path = weights()
    if path is None or not DATA.is_dir():
        yield Row("language model", "not measured: set LACUNA_TEST_MODEL to a GGUF file")
        return
    folder = places.cache / "models"
    done = _measured(path, folder, _QUICK if places.quick else _PER_FILE)
    yield from _rows(done)


def _measured(path: Path, folder: Path, per_file: int) -> list[Done]:
    done = []
    with serving(path) as url, open_models(Settings()) as (embedder, reranker):
        if reranker is None:
            return []
        judges = Judges(embedder, reranker)
        for number, question in enumerate(questions(per_file), start=1):
            one = _one(question, folder / question.name, judges, url)
            if one is not None:
                done.append(one)
                (folder / f"{number:02}.md").write_text(_report(one), "utf-8")
    return done


def _one(question: Question, folder: Path, judges: Judges, url: str) -> Done | None:
    prepare(folder)
    process = ProviderProcess("llamacpp", Connection(ProviderKind.OPENAI, url))
    asked = ChildLanguageModel("llamacpp", "measured", process)
    model = Kept(asked, folder.parent / "answers")
    write = writing(model, folder / "state", judges.score, _CALL_SECONDS)
    finding = finding_of(question, folder / "run", judges, write)
    if finding is None:
        return None
    removed = len([each for each in removed_from(folder / "run") if each["text"]])
    return Done(question, finding, removed, model.calls, model.invalid, model.tokens, model.seconds)


def _rows(done: Sequence[Done]) -> Iterator[Row]:
    if not done:
        yield Row("language model", "not measured: it needs a cross-encoder")
        return
    calls, invalid = sum(each.calls for each in done), sum(each.invalid for each in done)
    kept = sum(len(each.finding.written.sentences) for each in done if each.finding.written)
    removed = sum(each.removed for each in done)
    yield Row(f"answers of the form asked for, of {calls}", _percent(1 - invalid / calls))
    yield Row(f"sentences that pass the check, of {kept + removed}", _share(kept, kept + removed))
    yield Row(f"findings with a text, of {len(done)}", str(sum(bool(x.written) for x in done)))
    for name, prefix in (("COVID-QA", "c"), ("PubMedQA", "p")):
        ours = [each for each in done if each.question.name.startswith(prefix)]
        yield Row(
            f"answer within the text, {name}, of {len(ours)}",
            _answered(ours, lambda each: each.written or each.quoted),
            beside=f"extraction: {_answered(ours, lambda each: each.quoted)}",
        )
    yield Row("tokens per finding", f"{mean(each.tokens for each in done):.0f}", beside="0")
    seconds = mean(each.seconds for each in done)
    yield Row("seconds per finding, of the model", f"{seconds:.0f}", beside="0")


def _answered(done: Sequence[Done], text: Callable[[Done], str]) -> str:
    return str(sum(share_of_answer(each.question.answer, text(each)) >= _ANSWERED for each in done))


def _share(part: int, whole: int) -> str:
    return _percent(part / whole) if whole else "none"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _report(one: Done) -> str:
    """Return the note, and what each written sentence cites, for the judge."""
    sentences = one.finding.written.sentences if one.finding.written is not None else ()
    parts = [f"# Question: {one.question.text}", f"Reference answer: {one.question.answer}"]
    for number, each in enumerate(sentences, start=1):
        cited = [f"> {cite.passage.text}" for cite in each.cites]
        parts += [f"## Sentence {number}", each.text, "It cites:", "\n>\n".join(cited)]
    parts += ["## The whole note", finding_text(one.finding, link=Linker([]))]
    parts += ["## The pages", *one.question.pages]
    return "\n\n".join(parts) + "\n"
