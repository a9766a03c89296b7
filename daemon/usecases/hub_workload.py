"""What the database of a hub knows of its work, as documents. Needs the extra `hub`."""

from collections.abc import Collection, Iterable

from daemon.hub.database import Database
from daemon.hub.members import Person
from daemon.hub.night_budget import NightBudget, budget, set_budget, spent_tonight
from daemon.hub.worker_jobs import Jobs
from daemon.hub.workload import VaultWork, by_vault, done_this_hour, owned, workers
from daemon.model.spending import MICROS, Amounts
from daemon.usecases.hub_work import (
    HubBudget,
    HubFailedJob,
    HubJobs,
    HubPersonWork,
    HubQueue,
    HubSpent,
    HubVaultWork,
    HubWorker,
)


def work_of(database: Database, jobs: Jobs, person: Person | None = None) -> HubJobs:
    """Return the work of the hub; of a person, only the vaults that they own, or are owner of."""
    with database.begin() as connection:
        mine = owned(connection, person.id) if person is not None else None
        shares = [each for each in by_vault(connection) if mine is None or each.id in mine]
        alive, done = workers(connection), done_this_hour(connection)
        limits, spent = budget(connection), spent_tonight(connection)
    counts = jobs.counts()
    none = dict.fromkeys(("todo", "doing", "failed"), 0)
    names = sorted(counts.keys() | {name for name, number in done.items() if number})
    return HubJobs(
        queues=tuple(
            HubQueue.model_validate({"name": name, "hour": done.get(name, 0)} | none).model_copy(
                update={key: counts.get(name, none)[key] for key in none}
            )
            for name in names
        ),
        failed=tuple(
            HubFailedJob.model_validate(job, from_attributes=True) for job in jobs.failed()
        ),
        workers=tuple(HubWorker.model_validate(each, from_attributes=True) for each in alive),
        vaults=tuple(
            HubVaultWork.model_validate(_sums([each]) | {"vault": each.vault}) for each in shares
        ),
        people=_people(shares),
        budget=_budget(limits, spent),
    )


def change_budget(database: Database, new: NightBudget | None) -> HubBudget:
    """Replace the budget of a night, if there is a new one, and return it."""
    with database.begin() as connection:
        if new is not None:
            set_budget(connection, new)
        return _budget(budget(connection), spent_tonight(connection))


def _people(shares: Collection[VaultWork]) -> tuple[HubPersonWork, ...]:
    names = dict.fromkeys(each.owner for each in shares)
    return tuple(
        HubPersonWork.model_validate(_sums(each for each in shares if each.owner == name))
        for name in names
    )


def _sums(shares: Iterable[VaultWork]) -> dict[str, object]:
    """Return the sums of vaults of one owner."""
    found = list(shares)
    names = ("waiting", "hour", "day", "asking", "requests", "tokens")
    sums: dict[str, object] = {name: sum(getattr(each, name) for each in found) for name in names}
    return {**sums, "owner": found[0].owner, "usd": sum(each.money for each in found) / MICROS}


def _budget(limits: NightBudget, spent: Amounts) -> HubBudget:
    return HubBudget(
        requests=limits.requests,
        tokens=limits.tokens,
        usd=limits.money / MICROS,
        share=limits.share,
        spent=HubSpent(requests=spent.requests, tokens=spent.tokens, usd=spent.money / MICROS),
    )
