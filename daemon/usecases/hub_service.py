"""What the hub does for a person who shows a token, whatever server they ask.

Only `lacuna hub serve` imports this: it needs the extra `hub`.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import BaseModel
from sqlalchemy import Connection

from daemon.asking.recent import RecentAnswers
from daemon.hub import deliveries
from daemon.hub.database import Database
from daemon.hub.log import record
from daemon.hub.members import People, Person, Role
from daemon.hub.person_keys import has_key
from daemon.hub.published import Vault
from daemon.hub.rates import RATES, seconds_to_wait
from daemon.hub.service_requests import Requests
from daemon.hub.shared_gaps import SharedGaps
from daemon.hub.shared_pairs import SharedPairs
from daemon.hub.shared_search import SharedHit, SharedSearch
from daemon.hub.web_documents import Documents
from daemon.hub.worker_jobs import Jobs
from daemon.model.errors import HubError
from daemon.model.shared_documents import DocumentAnswer, DocumentRequest
from daemon.model.shared_findings import Deliveries
from daemon.model.shared_notes import Batch, Published, unpacked
from daemon.model.shared_requests import MODELS, RequestAnswer
from daemon.usecases.hub import (
    HubAccount,
    HubExpert,
    HubExperts,
    HubGaps,
    HubHit,
    HubHits,
    HubRevision,
    HubRight,
    HubSearchRequest,
)
from daemon.usecases.hub_contradictions import HubPair, HubPairs, HubPairsRequest
from daemon.usecases.hub_findings import (
    HubDecisionRequest,
    HubFinding,
    HubFindings,
    HubFindingsRequest,
    hub_finding,
)
from daemon.usecases.hub_logins import SignIn
from daemon.usecases.hub_work import HubJobs
from daemon.usecases.hub_workload import work_of

Caller: TypeAlias = Person
"""Who shows a token."""

D = TypeVar("D", bound=BaseModel)
_ORDER = list(Role)
_GRAPH_SECONDS = 3_600.0  # for which links between notes are kept
_NOTES_OF_EXPERTS = 100  # notes among which somebody's are counted


class HubService:
    """Answers requests on behalf of people; every object is checked on every access."""

    def __init__(
        self,
        database: Database,
        jobs: Jobs,
        now: Callable[[], datetime],
        sign_in: SignIn,
    ) -> None:
        self._database, self._jobs, self._now = database, jobs, now
        self.sign_in = sign_in
        self._answers = RecentAnswers[BaseModel]()
        self._graph = RecentAnswers[BaseModel](seconds=_GRAPH_SECONDS)

    def close(self) -> None:
        """Close all connections to the database."""
        self._jobs.close()
        self._database.close()

    def caller(self, token: str) -> Caller | None:
        """Return whose token it is. Raises HubError if the database does not answer."""
        with self._database.begin() as connection:
            return People(connection, "hub").who(token, self._now())

    def seconds_to_wait(self, person: Caller) -> int:
        """Count a request by the person's highest role; 0: it may be answered."""
        with self._database.begin() as connection:
            rights = People(connection, "hub").rights(person)
            role = max((right.role for right in rights), key=_ORDER.index, default=Role.READER)
            return seconds_to_wait(connection, person, RATES[role])

    def account(self, person: Caller) -> HubAccount:
        """Return who somebody is for the hub, and what they may do."""
        with self._database.begin() as connection:
            rights = People(connection, person.name).rights(person)
        found = (
            HubRight(vault=each.vault, folder=each.folder, role=each.role.value) for each in rights
        )
        return HubAccount(name=person.name, rights=tuple(found))

    def published(self, person: Caller, vault: str) -> Published:
        """Return what the hub has of a vault of this person. Raises HubError."""
        with self._database.begin() as connection:
            return Vault(connection, vault, person).published()

    def publish(self, person: Caller, vault: str, batch: Batch) -> HubRevision:
        """Change what is published of a vault. Raises HubError, HubConflictError."""
        with self._database.begin() as connection:
            revision = Vault(connection, vault, person).apply(batch)
            counts = {"notes": str(len(batch.notes)), "withdrawn": str(len(batch.withdrawn))}
            record(connection, person.name, "published", vault, **counts)
        if batch.waiting:  # after the commit; what is lost here is found by the workers
            self._jobs.hand_over(batch.waiting)
        return HubRevision(revision=revision)

    def want_document(self, person: Caller, request: DocumentRequest) -> None:
        """Have a web document fetched for a vault of this person, unless there is a fresh one.

        Raises HubError.
        """
        host = _host(request.url)
        with self._database.begin() as connection:
            vault = Vault(connection, request.vault, person).id if request.vault else None
            is_new = Documents(connection).ask(person.id, request.url, host, vault)
        if is_new:
            self._jobs.hand_over_document()

    def document(self, person: Caller, request: DocumentRequest) -> DocumentAnswer:
        """Return what there is of a document that this person wants."""
        with self._database.as_person(person.id) as connection:
            return Documents(connection).answer(request.url, request.model)

    def ask_service(
        self, person: Caller, vault: str, queue: str, service: str, question: bytes
    ) -> bytes:
        """Have workers ask a source or a model for a vault of this person; return its key.

        What models are asked is kept apart by vault: it has text of notes. So is what is asked with
        a key of this person or their group, which pays for nobody else. Raises HubError.
        """
        with self._database.begin() as connection:
            id_ = Vault(connection, vault, person).id
            apart = queue == MODELS or has_key(connection, id_, service)
            requests = Requests(connection)
            key, is_new = requests.ask(queue, service, id_, question, apart=apart)
        if is_new:
            self._jobs.hand_over_request(queue)
        return key

    def answered(self, person: Caller, key: bytes) -> RequestAnswer:
        """Return what there is of a request of a vault of this person."""
        with self._database.as_person(person.id) as connection:
            return Requests(connection).answer(key)

    def models(self, person: Caller, vault: str) -> list[str]:
        """Return the models that workers call for a vault of this person. Raises HubError."""
        with self._database.begin() as connection:
            Vault(connection, vault, person)
            return Requests(connection).offered(MODELS)

    def search(self, person: Caller, request: HubSearchRequest) -> HubHits:
        """Search every vault that this person may read. Raises HubError."""

        def found(connection: Connection) -> HubHits:
            hits = _hits(connection, request, request.limit)
            return HubHits(tuple(HubHit.model_validate(hit, from_attributes=True) for hit in hits))

        return self._recently(self._answers, person, request, found)

    def experts(self, person: Caller, request: HubSearchRequest) -> HubExperts:
        """Return whose notes answer best, among those that this person may read."""

        def found(connection: Connection) -> HubExperts:
            return _experts(_hits(connection, request, _NOTES_OF_EXPERTS), request.limit)

        return self._recently(self._answers, person, request, found)

    def work(self, person: Caller) -> HubJobs:
        """Return the work of the hub: of vaults, only those that this person is an owner of."""
        return work_of(self._database, self._jobs, person)

    def gaps(self, person: Caller, limit: int) -> HubGaps:
        """Return linked topics that no vault this person may read covers, and topics of several."""

        def found(connection: Connection) -> HubGaps:
            gaps = SharedGaps(connection)
            both = {"missing": gaps.missing(limit), "doubled": gaps.doubled(limit)}
            return HubGaps.model_validate(both, from_attributes=True)

        return self._recently(self._graph, person, limit, found)

    def pairs(self, person: Caller, request: HubPairsRequest) -> HubPairs:
        """Return passages of different people about the same, which this person may read both."""

        def found(connection: Connection) -> HubPairs:
            embedding = unpacked(request.embedding) if request.embedding is not None else None
            pairs = SharedPairs(connection).similar(request.query, embedding, request.limit)
            shown = (HubPair.model_validate(each, from_attributes=True) for each in pairs)
            return HubPairs(tuple(shown))

        return self._recently(self._graph, person, request, found)

    def delivered(self, person: Caller, vault: str, after: int) -> Deliveries:
        """Deliver to a vault of this person what fills its gaps; return the changes since."""
        with self._database.begin() as connection:
            id_ = Vault(connection, vault, person).id
        deliveries.deliver(self._database, id_, person)
        with self._database.as_person(person.id) as connection:
            return deliveries.delivered(connection, id_, after)

    def findings(self, person: Caller, request: HubFindingsRequest) -> HubFindings:
        """Return what this person may review."""
        with self._database.as_person(person.id) as connection:
            found = deliveries.to_review(connection, request.limit, is_decided=request.decided)
        return HubFindings(tuple(map(hub_finding, found)))

    def decide(self, person: Caller, delivery: int, request: HubDecisionRequest) -> HubFinding:
        """Decide a finding once. Raises HubError, HubConflictError."""
        decided = deliveries.decide(self._database, delivery, request.status, person)
        return hub_finding(decided)

    def _recently(
        self,
        kept: RecentAnswers[BaseModel],
        person: Caller,
        request: HubSearchRequest | HubPairsRequest | int,
        answer: Callable[[Connection], D],
    ) -> D:
        """Return a recent answer, if since then nothing has changed that this person may read, nor
        their rights; both are read at the moment of the answer.
        """
        asked = request if isinstance(request, int) else request.model_dump_json()
        with self._database.snapshot(person.id) as (connection, state):
            key = (person.id, answer.__qualname__, asked, state)
            found = kept.answer(key, lambda: answer(connection), is_whole=lambda _: True)
        return cast(D, found)


def _hits(connection: Connection, request: HubSearchRequest, limit: int) -> Sequence[SharedHit]:
    embedding = unpacked(request.embedding) if request.embedding is not None else None
    return SharedSearch(connection).search(request.query, embedding, limit)


def _experts(hits: Sequence[SharedHit], limit: int) -> HubExperts:
    found: dict[str, list[SharedHit]] = {}
    for hit in hits:
        found.setdefault(hit.owner, []).append(hit)
    ranked = sorted(found.items(), key=lambda each: -sum(hit.score for hit in each[1]))
    return HubExperts(
        tuple(
            HubExpert(
                name=owner,
                notes=len(hits),
                best=HubHit.model_validate(hits[0], from_attributes=True),
            )
            for owner, hits in ranked[:limit]
        )
    )


def _host(url: str) -> str:
    """Return the host of an address. Raises HubError for one that is no web page."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise HubError("this is no address of a web page") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or "\0" in url:
        raise HubError("this is no address of a web page")
    return parts.hostname
