"""From a question to reviewed findings, command by command, without a daemon."""

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import chain, repeat
from pathlib import Path

import pytest

from daemon.store.db import Database
from daemon.store.run_files import RunDirectories
from daemon.store.runs import RunStore
from tests.fakes.cli import NOTES, Cli, contents
from tests.fakes.impatient import ImpatientTimer
from tests.fakes.only_library import only_arxiv

QUESTION = "why does bread go stale in the fridge"
INBOX = "Inbox/Research"


def outside_the_inbox(vault: Path) -> dict[str, bytes]:
    return {path: data for path, data in contents(vault).items() if not path.startswith(INBOX)}


@pytest.fixture
def researched(ready: Cli, vault: Path) -> Cli:
    """After one run that found something."""
    before = outside_the_inbox(vault)
    assert ready("research", QUESTION).code == 0
    assert outside_the_inbox(vault) == before
    return ready


def test_research_json_has_its_documented_shape(ready: Cli, vault: Path) -> None:
    found = ready("research", QUESTION, "--json").json
    assert found.keys() >= {"run", "agenda", "findings", "skipped", "sources", "seconds"}
    (finding,) = found["findings"]
    assert list(finding) == ["id", "path", "title", "source", "credibility", "sources"]
    assert (vault / finding["path"]).is_file()
    assert (vault / found["digest"]).is_file()
    (source,) = found["sources"]
    assert source.pop("seconds") >= 0
    assert source == {"name": "library", "status": "ok", "results": 1, "why": ""}
    assert all("why" in skip for skip in found["skipped"])


def test_research_shows_people_what_it_found_and_where(ready: Cli) -> None:
    out = ready("research", QUESTION).out
    assert "library    ok, 1 result\n" in out
    assert "1 finding, 0 documents skipped\n" in out
    assert "Suggested next actions\n  Sum it up: lacuna report --run " in out
    assert re.search(rf"^  {INBOX}/\d{{4}}-\d\d-\d\d .+\.md \(0\.\d\d\)$", out, re.MULTILINE)
    assert re.search(rf"^Digest: {INBOX}/Digest \d{{4}}-\d\d-\d\d\.md$", out, re.MULTILINE)


def test_limits_answers_and_findings_are_shown_as_they_become_known(ready: Cli) -> None:
    lines = ready("research", QUESTION, "--depth", "quick").err.splitlines()
    assert lines[0] == "library: “why does bread go stale in the fridge”"
    assert lines[1] == (
        "Quick. Per task: up to 10 results per source, 3 documents read."
        " Citations are not followed."
    )
    assert lines[2] == "library: ok, 1 results for why does bread go stale in the fridge"
    assert lines[3].startswith("found: Why does bread go stale in the fridge? (0.")
    assert len(lines) == 4


def test_progress_is_not_printed_in_json_output(ready: Cli) -> None:
    assert ready("research", QUESTION, "--json").err == ""


def test_a_run_may_have_a_folder_of_its_own_in_the_inbox(ready: Cli, vault: Path) -> None:
    ready.environment(LACUNA_INBOX_LAYOUT="runs")
    found = ready("research", QUESTION, "--json").json
    (finding,) = found["findings"]
    folder = Path(finding["path"]).parent
    assert re.fullmatch(rf"{INBOX}/\d{{4}}-\d\d-\d\d why does bread go stale.*", str(folder))
    assert Path(found["digest"]).parent == Path(INBOX)
    assert all(note["identical"] for note in ready("replay", found["run"], "--json").json["notes"])
    decided = ready("findings", "dismiss", finding["id"], "--json").json
    assert Path(decided[0]["path"]).parent == Path(INBOX, "Archive")
    assert ready("findings", "list", "--json").json
    assert not (vault / folder).exists()


def test_a_run_that_reaches_no_source_says_so_queues_nothing_and_exits_with_1(
    lacuna: Cli, vault: Path
) -> None:
    lacuna.settings(vault=vault)
    lacuna.sources.write_text(only_arxiv("http://127.0.0.1:9"))  # which the gate refuses
    done = lacuna("research", QUESTION)
    assert done.code == 1
    assert "nothing was researched: could not reach arXiv (" in done.err
    assert done.err.strip().endswith("; there is no automatic retry: repeat the command later")
    found = lacuna("research", QUESTION, "--json")
    assert (found.code, json.loads(found.out)["retries_at"]) == (1, None)
    assert "could not reach arXiv" in json.loads(found.out)["unreached"]
    assert lacuna("agenda", "--json").json == []
    assert list(vault.rglob("Agenda*")) == list(vault.rglob("Digest*")) == []


def test_what_was_offered_once_is_not_offered_again(researched: Cli) -> None:
    again = researched("research", QUESTION, "--json").json
    assert again["findings"] == []
    assert len(researched("findings", "list", "--json").json) == 1


def test_research_of_a_note_and_of_the_whole_vault(ready: Cli) -> None:
    of_note = ready("research", "--note", "Sourdough", "--json").json
    shown = ready("agenda", "show", of_note["agenda"], "--json").json
    assert {task["note"] for task in shown["tasks"]} == {"Sourdough.md"}
    of_vault = ready("research", "--json").json
    shown = ready("agenda", "show", of_vault["agenda"], "--json").json
    assert shown["status"] == "done"


def test_a_misspelt_note_name_gets_a_suggestion(ready: Cli) -> None:
    reported = ready("research", "--note", "Sourdoug").complaint
    assert reported == "Sourdoug: no such note; did you mean Sourdough?"


def test_agenda_new_plans_without_running_and_says_that_nothing_runs_it(
    ready: Cli, vault: Path
) -> None:
    done = ready("agenda", "new")
    assert done.code == 0
    first, when, *rest = done.out.splitlines()
    id_, path = first.split("  ", 1)
    assert (vault / path).is_file()
    assert re.fullmatch(r"  runs \w{3} \d{4}-\d\d-\d\d \d\d:\d\d", when)
    assert any(line.startswith('  [x] library: "') for line in rest)
    assert rest[-1].startswith("No daemon is running: start `lacuna run`")
    assert [each["id"] for each in ready("agenda", "--json").json] == [id_]
    assert list(ready("agenda", "show", id_, "--json").json) == [
        "id", "path", "status", "created", "runs_at", "trigger", "depth", "depth_limits",
        "budget", "may_take", "tries", "trouble", "tasks",
    ]  # fmt: skip
    assert ready("findings", "list", "--json").json == []


def test_an_agenda_is_known_by_its_id_the_beginning_of_it_its_path_and_its_name(
    ready: Cli,
) -> None:
    made = ready("agenda", "new", "--json").json
    name = made["path"].rpartition("/")[2]
    for ref in (made["id"], made["id"][:6], made["id"][2:8], made["path"], name, name[:-3]):
        assert ready("agenda", "show", ref, "--json").json["id"] == made["id"]


def test_an_agenda_is_approved_and_cancelled_in_its_note_too(ready: Cli, vault: Path) -> None:
    made = ready("agenda", "new", "--json").json
    assert ready("agenda", "approve", made["id"], "--json").json["status"] == "approved"
    assert "status: approved" in (vault / made["path"]).read_text()
    assert ready("agenda", "cancel", made["id"]).out == f"{made['path']}: cancelled\n"
    assert "status: cancelled" in (vault / made["path"]).read_text()
    reported = ready("agenda", "approve", made["id"]).complaint
    assert reported == f"agenda {made['id']} is cancelled; it cannot become approved"
    assert ready("agenda").out.startswith("Nothing is planned.")


def test_findings_list_json_has_its_documented_shape(researched: Cli) -> None:
    (found,) = researched("findings", "list", "--json").json
    assert list(found) == ["id", "path", "status", "title", "source", "created"]
    assert found["status"] == "pending"
    out = researched("findings").out
    assert out == f"{found['id'][:8]}  pending    {found['path']}\n"
    assert researched("findings", "list", "--status", "accepted").out == "No accepted findings.\n"


def test_findings_show_prints_the_note_as_it_is(researched: Cli, vault: Path) -> None:
    (found,) = researched("findings", "list", "--json").json
    note = vault / found["path"]
    for ref in (found["id"], found["id"][:5], found["path"], note.stem):
        assert researched("findings", "show", ref).out == note.read_text()
    assert researched("findings", "show", found["id"], "--json").json["text"] == note.read_text()


def test_findings_show_follows_a_note_that_was_moved(researched: Cli, vault: Path) -> None:
    (found,) = researched("findings", "list", "--json").json
    moved = vault / "Kept.md"
    (vault / found["path"]).rename(moved)
    assert researched("findings", "show", found["id"]).out == moved.read_text()
    moved.unlink()
    reported = researched("findings", "show", found["id"]).complaint
    assert reported == "Kept.md is no longer in the vault"


def test_accepting_keeps_a_note_and_dismissing_archives_it(researched: Cli, vault: Path) -> None:
    (found,) = researched("findings", "list", "--json").json
    accepted = researched("findings", "accept", found["id"]).out
    assert accepted == f"accepted: {found['path']}\n"
    assert "status: accepted" in (vault / found["path"]).read_text()
    (dismissed,) = researched("findings", "dismiss", found["id"], "--never", "--json").json
    assert dismissed["status"] == "dismissed"
    assert dismissed["path"].startswith(f"{INBOX}/Archive/")
    assert (vault / dismissed["path"]).is_file()


def test_a_banned_topic_is_listed_and_can_be_restored(ready: Cli, vault: Path) -> None:
    assert ready("topics").out == "All topics may be suggested.\n"
    made = ready("agenda", "new", "--json").json
    note = vault / made["path"]
    note.write_text(note.read_text().replace("- [x]", "- [-]", 1))
    topic = made["tasks"][0]["topic"]
    (banned,) = ready("topics", "--json").json
    assert banned["topic"] == topic.casefold()
    assert (banned["why"], banned["until"]) == ("never", None)
    assert ready("topics").out.startswith(f"{topic.casefold()}: never, since ")
    assert ready("agenda", "show", made["id"], "--json").json["tasks"][0]["choice"] == "never"
    assert "did you mean" in ready("topics", "restore", topic[:-1]).complaint
    assert ready("topics", "restore", topic, "--json").json == []
    (never,) = ready("topics", "never", topic, "--json").json
    assert never["topic"] == topic.casefold()
    assert "it contains no word" in ready("topics", "never", "?!").complaint


def test_a_dismissed_topic_is_not_suggested_until_it_is_restored(researched: Cli) -> None:
    (found, *_) = researched("findings", "--json").json
    researched("findings", "dismiss", found["id"])
    (rest, *_) = researched("topics", "list", "--json").json
    assert rest["why"] == "a finding was dismissed"
    days = datetime.fromisoformat(rest["until"]) - datetime.fromisoformat(rest["since"])
    assert days == timedelta(days=30)
    assert f"because {rest['why']}" in researched("topics").out
    assert rest not in researched("topics", "restore", rest["topic"], "--json").json


def test_the_end_time_of_a_run_is_right_after_the_machine_slept(
    ready: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    since_boot = chain([0.0], repeat(7200.0))
    monkeypatch.setattr("daemon.cycle.runs._since_boot", lambda: next(since_boot))
    run = ready("research", QUESTION, "--json").json["run"]
    database = Database(Path(ready("status", "--json").json["state"]) / "lacuna.db")
    found = RunStore(database, RunDirectories(Path())).get(run)
    database.close()
    assert found is not None
    assert found.ended_at == found.started_at + timedelta(hours=2)


def test_of_several_findings_none_is_decided_when_one_is_unknown(
    researched: Cli, vault: Path
) -> None:
    (found,) = researched("findings", "list", "--json").json
    before = contents(vault)
    reported = researched("findings", "accept", found["id"], "unknown").complaint
    assert reported == "unknown: no such finding; `lacuna findings list` shows them"
    assert contents(vault) == before


def test_a_review_by_editing_is_applied_by_the_next_command(researched: Cli, vault: Path) -> None:
    (found,) = researched("findings", "list", "--json").json
    note = vault / found["path"]
    note.write_text(note.read_text().replace("- [ ] Accept", "- [x] Accept"))
    (accepted,) = researched("findings", "list", "--status", "accepted", "--json").json
    assert accepted["id"] == found["id"]
    assert "- [x] Accept" not in note.read_text()


def test_a_run_replays_byte_for_byte(
    researched: Cli, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = researched("status", "--json").json["last_run"]
    found = researched("replay", run[:12], "--into", tmp_path / "again", "--json").json
    assert [note["identical"] for note in found["notes"]] == [True, True]
    for note in found["notes"]:
        assert (vault / INBOX / Path(note["path"]).name).read_bytes() == (
            Path(note["path"]).read_bytes()
        )
    monkeypatch.setattr("daemon.cli.progress.threading.Timer", ImpatientTimer)
    monkeypatch.setattr("daemon.cli.progress._BETWEEN_LINES", 0.0)
    usual = researched("replay", run)
    assert all(line.startswith("identical  ") for line in usual.out.splitlines())
    first, counted, *_ = usual.err.splitlines()
    assert first == f"judging the documents of {run} again"
    assert counted.startswith("0/")


def test_a_note_missing_from_a_replay_is_a_difference(researched: Cli) -> None:
    run = researched("status", "--json").json["last_run"]
    folder = Path(researched("status", "--json").json["state"]) / "runs" / run
    notes = json.loads((folder / "notes.json").read_text())
    notes["written"]["0" * 12] = "Inbox/Research/Lost.md"
    (folder / "notes.json").write_text(json.dumps(notes))
    again = researched("replay", run)
    assert again.code == 1
    reported = [(line.split()[0], Path(line[11:]).name) for line in again.out.splitlines()]
    assert reported[-1] == ("DIFFERENT", "Lost.md")
    assert {each for each, _ in reported[:-1]} == {"identical"}


def test_a_run_without_notes_replays_to_no_notes(researched: Cli) -> None:
    run = researched("status", "--json").json["last_run"]
    state = Path(researched("status", "--json").json["state"])
    (state / "runs" / run / "notes.json").unlink()
    reported = researched("replay", run).complaint
    assert reported == f"{run} wrote no notes, so there are none to make again"


def test_a_replay_never_overwrites_a_file(researched: Cli, vault: Path, tmp_path: Path) -> None:
    state = Path(researched("status", "--json").json["state"])
    run = researched("status", "--json").json["last_run"]
    reported = researched("replay", run, "--into", vault / INBOX).complaint
    assert reported == f"{vault / INBOX} is in the vault: give a folder outside it"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.md").write_text("mine")
    reported = researched("replay", run, "--into", tmp_path / "mine").complaint
    assert reported == f"{tmp_path / 'mine'} is not an empty folder: give another --into"
    before = contents(state / "runs" / run)
    assert researched("replay", state / "runs" / run).code == 0
    assert contents(state / "runs" / run) == before


def test_the_digest_and_the_agenda_are_not_counted_as_user_notes(
    researched: Cli,
) -> None:
    health = researched("health", "--json").json
    assert health["notes"] == len(NOTES)


def test_a_finding_whose_note_is_missing_cannot_be_accepted(researched: Cli, vault: Path) -> None:
    (finding,) = researched("findings", "list", "--json").json
    (vault / finding["path"]).unlink()
    done = researched("findings", "accept", finding["id"])
    assert done.code == 1
    reported = f"lacuna: {finding['path']}: its note is gone; it was pending"
    assert done.err.splitlines()[-1] == reported


def test_a_deleted_finding_shows_when_it_will_be_dismissed(researched: Cli, vault: Path) -> None:
    (finding,) = researched("findings", "list", "--json").json
    (vault / finding["path"]).unlink()
    (gone,) = researched("findings", "list", "--json").json
    at = datetime.fromisoformat(gone["dismissed_at"])
    assert timedelta(hours=23) < at - datetime.now(UTC) <= timedelta(hours=24)
    line = "its note is gone: counts as dismissed"
    assert line in researched("findings").out
    assert line in researched("status").out


def test_a_banned_topic_survives_a_rebuild_of_the_state(researched: Cli) -> None:
    (finding,) = researched("findings", "list", "--json").json
    researched("findings", "dismiss", finding["id"], "--never")
    never = [each["topic"] for each in researched("topics", "--json").json if not each["until"]]
    assert len(never) == 1
    for file in Path(researched("status", "--json").json["state"]).glob("lacuna.db*"):
        file.unlink()
    again = [each["topic"] for each in researched("topics", "--json").json if not each["until"]]
    assert again == never
