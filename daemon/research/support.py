"""How a finding stands among the evidence: who says so too, who only repeats it, who denies it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from daemon.model.evidence import Document, Passage
from daemon.model.finding import Agreement, Dispute, Said
from daemon.research.claims import SPEAKS_OF_IT, Claim, Claims, claims_on
from daemon.research.evidence import Evidence
from daemon.research.judge import Judged
from daemon.research.recall import Recall, similarity
from daemon.research.sentences import Sentence, sentences
from daemon.research.stance import Relation, Stance
from daemon.research.synthesise import Reading, passage, plain
from daemon.research.voices import Voice
from daemon.research.weigh import retracted

_DISPUTES_MOST = 2
_NOTES_MOST = 4
_NOTE_SENTENCE = (15, 400)  # characters


class Support:
    """Answers for the findings of one run; what documents claim is compared once per task."""

    def __init__(
        self,
        chosen: Sequence[Reading],
        judged: Judged,
        evidence: Evidence,
        recall: Recall,
        taken_back: Mapping[str, str],
    ) -> None:
        """`taken_back` says of documents, by their ids, why they count as retracted."""
        self._chosen = chosen
        self._judged = judged
        self._evidence = evidence
        self._recall = recall
        self._taken_back = taken_back
        self._claims: dict[str, Claims] = {}
        self._voices: dict[str, Voice] = {}
        self._notes: dict[str, list[tuple[Sentence, Stance]]] = {}

    def of(
        self, reading: Reading, quotes: Sequence[Sentence], notes: Sequence[str]
    ) -> tuple[Agreement, list[Document]]:
        """Say how a reading's quotes stand; return the documents that agree, each independent.

        `notes` are the vault's paths that may contradict it.
        """
        own, claims = reading.document, self._on(reading)
        denying = self._denying(claims, own, quotes)
        against = self._disputes(own, denying)
        agreeing = self._agreeing(claims, own, quotes)
        # Who denies one thing that is quoted supports nothing of it, whatever else they say.
        voices, echoes = self._sorted_out(
            own, [one for one in agreeing if one[0].id not in denying]
        )
        disputes = [*against, *self._in_notes(quotes, notes)]
        heard = [own, *(document for document, _ in voices)]
        heard += [self._evidence.documents[each.other.document] for each in against]
        agreement = Agreement(
            sources=self._speaking(reading.task.id, heard),
            voices=tuple(said for _, said in voices),
            echoes=tuple(said for _, said in echoes),
            disputes=tuple(disputes),
        )
        return agreement, [document for document, _ in voices]

    def _on(self, reading: Reading) -> Claims:
        task = reading.task
        if task.id not in self._claims:
            ids = self._usable(task.id)
            asked = self._recall.vectors(list(dict.fromkeys((task.query, task.topic))))
            its = [one for one in self._chosen if one.task.id == task.id]
            known = {id_: self._judged.sentences[id_] for id_ in ids}
            quoted = {one.document.id: one.quotes for one in its}
            self._claims[task.id] = claims_on(asked, known, self._judged.vectors, quoted)
        return self._claims[task.id]

    def _usable(self, task: str) -> list[str]:
        """Return the documents of a task that say anything and were not taken back, and quoted."""
        quoted = {one.document.id for one in self._chosen if one.task.id == task}
        return [
            id_
            for id_ in self._evidence.tasks[task]
            if id_ in self._judged.sentences
            and (id_ in quoted or not self._is_taken_back(self._evidence.documents[id_]))
        ]

    def _is_taken_back(self, document: Document) -> bool:
        return document.id in self._taken_back or bool(retracted(document.hit))

    def _agreeing(
        self, claims: Claims, own: Document, quotes: Sequence[Sentence]
    ) -> Iterator[tuple[Document, Passage]]:
        """Go over those that say what the quote says that most say: each document once."""
        found = [
            {claim.document: claim for claim, _ in reversed(claims.agreeing(own.id, quote))}
            for quote in quotes
        ]
        for its in found:
            its.pop(own.id, None)
        best = max(found, key=len, default={})
        for claim in best.values():
            document = self._evidence.documents[claim.document]
            if not self._is_taken_back(document):
                yield document, passage(document, claim.sentence)

    def _sorted_out(
        self, own: Document, agreeing: Sequence[tuple[Document, Passage]]
    ) -> tuple[list[tuple[Document, Said]], list[tuple[Document, Said]]]:
        """Part those with a voice of their own from those that repeat one that was heard."""
        heard = [own]
        voices: list[tuple[Document, Said]] = []
        echoes: list[tuple[Document, Said]] = []
        for document, said in sorted(agreeing, key=lambda each: self._order[each[0].id]):
            why = next(filter(None, (self._echo(document, other) for other in heard)), "")
            (echoes if why else voices).append((document, Said(document.hit, said, why)))
            if not why:
                heard.append(document)
        echoes += [
            (document, Said(document.hit, Passage(document.id, 0, 0, ""), "the same text"))
            for document in self._evidence.copies.get(own.id, ())
        ]
        return voices, echoes

    def _denying(
        self, claims: Claims, own: Document, quotes: Sequence[Sentence]
    ) -> dict[str, tuple[float, Sentence, Claim]]:
        """Return by document id the nearest pair of a quote and what says the opposite."""
        found: dict[str, tuple[float, Sentence, Claim]] = {}
        for quote in quotes:
            for claim, near in claims.opposed(own.id, quote):
                if claim.document not in found or found[claim.document][0] < near:
                    found[claim.document] = (near, quote, claim)
        return found

    def _disputes(
        self, own: Document, denying: Mapping[str, tuple[float, Sentence, Claim]]
    ) -> list[Dispute]:
        """Show the nearest of them, each with a voice of its own."""
        ordered = sorted(
            denying.values(), key=lambda each: (-each[0], self._order[each[2].document])
        )
        disputes, heard = [], list[Document]()
        for _, quote, claim in ordered:
            document = self._evidence.documents[claim.document]
            if self._is_taken_back(document) or any(self._echo(document, one) for one in heard):
                continue
            heard.append(document)
            said = passage(document, claim.sentence)
            disputes.append(Dispute(passage(own, quote), said, document.hit))
        shown = disputes[:_DISPUTES_MOST]
        return sorted(shown, key=lambda dispute: dispute.quote.start)

    def _in_notes(self, quotes: Sequence[Sentence], notes: Sequence[str]) -> Iterator[Dispute]:
        """Find what the user's notes say to the contrary, at most one sentence of each note."""
        said = [(quote, Stance(plain(quote.text))) for quote in quotes]
        for path in list(dict.fromkeys(notes))[:_NOTES_MOST]:
            opposed = [
                (quote, one)
                for one, stance in self._of_note(path)
                for quote, own in said
                if own.relation(stance) is Relation.OPPOSED
            ]
            best = max(opposed, key=lambda pair: self._nearness(*pair), default=None)
            if best is not None and self._nearness(*best) >= SPEAKS_OF_IT:
                quote, one = best
                yield Dispute(
                    Passage("", quote.start, quote.end, quote.text),
                    Passage(path, one.start, one.end, one.text),
                    note=path,
                )

    def _of_note(self, path: str) -> list[tuple[Sentence, Stance]]:
        """Return what a note states, each sentence read once for all findings."""
        if path not in self._notes:
            self._notes[path] = [
                (one, Stance(plain(one.text)))
                for one in sentences(self._recall.note(path), wrapped=True)
                if _NOTE_SENTENCE[0] <= len(one.text) <= _NOTE_SENTENCE[1]
            ]
        return self._notes[path]

    def _nearness(self, one: Sentence, other: Sentence) -> float:
        vectors = self._recall.vectors([plain(one.text), plain(other.text)])
        return float(similarity(vectors[:1], vectors[1:])[0, 0])

    def _speaking(self, task: str, first: Sequence[Document]) -> int:
        """Count the independent sources that speak to a task: `first`, and who is about it."""
        answering = {one.document.id for one in self._judged.readings if one.task.id == task}
        others = [self._evidence.documents[id_] for id_ in self._usable(task) if id_ in answering]
        heard: list[Document] = []
        for document in {each.id: each for each in (*first, *others)}.values():
            is_counted = document is first[0] or not self._is_taken_back(document)
            if is_counted and not any(self._echo(document, other) for other in heard):
                heard.append(document)
        return len(heard)

    def _echo(self, one: Document, other: Document) -> str:
        return self._voice(one).echoes(self._voice(other))

    def _voice(self, document: Document) -> Voice:
        if document.id not in self._voices:
            self._voices[document.id] = Voice(document)
        return self._voices[document.id]

    @cached_property
    def _order(self) -> Mapping[str, int]:
        return {id_: number for number, id_ in enumerate(self._evidence.documents)}
