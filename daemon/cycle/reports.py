"""Write reports into the inbox, each once."""

from dataclasses import dataclass

from daemon.cycle.knowledge import Knowledge
from daemon.findings.report_note import FOLDER, report_text
from daemon.inbox.inbox import Inbox
from daemon.model.agenda import Depth
from daemon.model.errors import LacunaError
from daemon.model.report import Report, record_of_report
from daemon.reports.of_run import report_id, report_of_run
from daemon.research.replay import replay
from daemon.store.findings import FindingStore
from daemon.store.run_notes import NOTES, read_notes
from daemon.store.runs import RunStore


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """A report, and the path of its note. One that is not new was written before."""

    path: str
    report: Report
    is_new: bool


class Reports:
    """Makes reports of runs that are kept."""

    def __init__(
        self, runs: RunStore, findings: FindingStore, knowledge: Knowledge, inbox: Inbox
    ) -> None:
        self._runs = runs
        self._findings = findings
        self._knowledge = knowledge
        self._inbox = inbox

    def of_run(self, ref: str, depth: Depth | None = None) -> WrittenReport:
        """Write the report of a run from its folder alone; its depth is the run's by default.

        Raises LacunaError if the run found nothing, ReplayError, StoreError, VaultError.
        """
        folder = self._runs.to_replay(ref)
        written = read_notes(folder.files).written if folder.files.has(NOTES) else {}
        known = {id_: self._path_now(id_, path) for id_, path in written.items()}
        report = report_of_run(folder, replay(folder), known, depth)
        if not report.sections:
            raise LacunaError(f"{folder.id} found nothing that a report could be made of")
        return self.write(report)

    def write(self, report: Report) -> WrittenReport:
        """Write a report; one that exists stays as it is. Raises StoreError, VaultError."""
        is_new = self._findings.get(report.id) is None
        record = self._inbox.add_reviewed(
            record_of_report(report),
            report_text(report, link=self._knowledge.linker(), tz=self._inbox.tz),
            taken=self._knowledge.paths(),
            folder=FOLDER,
        )
        return WrittenReport(record.path, report, is_new)

    def known(self, run: str) -> str:
        """Return the path of the report of a run, or "" if there is none."""
        record = self._findings.get(report_id(run))
        return record.path if record is not None else ""

    def _path_now(self, id_: str, path: str) -> str:
        """Return where the note of a finding is now."""
        record = self._findings.get(id_)
        return record.path if record is not None else path
