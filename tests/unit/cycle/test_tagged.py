"""A note that asks for research asks once, wherever it is moved to."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from daemon.model.agenda import Agenda, AgendaStatus, Approval, Depth
from daemon.model.research_options import ResearchOptions
from tests.fakes.reviewed_vault import ReviewedVault
from tests.fakes.values import NOW
from vault_adapters.note import Role

OPTIONS = ResearchOptions(Approval.VETO, timedelta(hours=1), Depth.QUICK, ("library",))
TAGGED = "---\nresearch: true\n---\nAbout {}.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[ReviewedVault]:
    vault = ReviewedVault(tmp_path)
    yield vault
    vault.db.close()


def fired(vault: ReviewedVault, now: datetime = NOW) -> list[str | None]:
    """Sync, and return the notes that asked for research since the last look."""
    vault.knowledge.sync(now=now)
    return [agenda.note for agenda in vault.tagged_notes.propose(now, OPTIONS)]


def test_a_tagged_note_that_was_moved_and_edited_does_not_ask_again(vault: ReviewedVault) -> None:
    vault.write("Bees.md", TAGGED.format("bees"))
    vault.write("Bread.md", TAGGED.format("bread"))
    assert fired(vault) == ["Bees.md", "Bread.md"]
    vault.move("Bees.md", "New/Bees.md")
    vault.move("Bread.md", "New/Bread.md")
    vault.write("New/Bees.md", TAGGED.format("bees and wasps"))
    vault.write("New/Bread.md", TAGGED.format("bread and wine"))
    assert fired(vault) == []


def test_one_that_was_saved_again_elsewhere_does_not_ask_again(vault: ReviewedVault) -> None:
    vault.write("Bees.md", TAGGED.format("bees"))
    assert fired(vault) == ["Bees.md"]
    vault.write("New/Wasps.md", TAGGED.format("bees and wasps"))  # its inode is another
    vault.delete("Bees.md")
    assert fired(vault) == []


def test_another_tagged_note_asks(vault: ReviewedVault) -> None:
    vault.write("Bees.md", TAGGED.format("bees"))
    assert fired(vault) == ["Bees.md"]
    vault.write("Bees.md", "About bees.\n")
    vault.write("Wasps.md", TAGGED.format("wasps"))
    assert fired(vault) == ["Wasps.md"]


def agenda_of(vault: ReviewedVault, properties: str) -> Agenda:
    """Return what a note with these properties is proposed."""
    vault.write("Bees.md", f"---\nresearch: true\n{properties}---\nAbout bees.\n")
    vault.knowledge.sync(now=NOW)
    (agenda,) = vault.tagged_notes.propose(NOW, replace(OPTIONS, sources=("arxiv", "library")))
    return agenda


def test_an_invalid_depth_is_reported_in_the_agenda_and_the_default_is_used(
    vault: ReviewedVault,
) -> None:
    agenda = agenda_of(vault, "research_depth: deeper\n")
    assert agenda.depth is OPTIONS.depth
    assert "research_depth: 'deeper' is not quick, standard or deep" in agenda.trigger
    assert agenda.path is not None
    assert "is not quick, standard or deep" in (vault.root / agenda.path).read_text()


def test_a_disabled_source_is_reported_in_the_agenda_and_the_others_are_used(
    vault: ReviewedVault,
) -> None:
    agenda = agenda_of(vault, "research_sources: [library, arxive]\n")
    assert {source for task in agenda.tasks for source in task.sources} == {"library"}
    assert agenda.trigger.endswith("research_sources: not on: arxive")


def test_a_note_limited_to_sources_that_are_off_is_sent_to_no_other(vault: ReviewedVault) -> None:
    agenda = agenda_of(vault, "research_sources: [brave]\n")
    assert (agenda.status, agenda.tasks) == (AgendaStatus.CANCELLED, ())
    assert "research_sources names none that is on (arxiv, library)" in agenda.trouble


def test_a_note_that_gives_no_question_is_told_why_and_asks_once_it_has_one(
    vault: ReviewedVault,
) -> None:
    vault.write("Security.md", TAGGED.format("security"))
    for number in range(30):
        vault.write(f"Day {number}.md", "A day of security.\n")
    assert fired(vault) == ["Security.md"]
    (refused,) = vault.agendas.failed_since(NOW)
    why = "“Security” occurs in most of your notes, and no longer phrase contains it"
    assert refused.trouble == f"{why}. Write your question into the note: `research: How …?`"
    assert refused.path is not None
    assert f"Cancelled; {why}" in (vault.root / refused.path).read_text()
    vault.write("Security.md", "---\nresearch: How are keys kept safe?\n---\nAbout security.\n")
    assert fired(vault) == ["Security.md"]
    (asked,) = vault.agendas.open()
    assert [task.query for task in asked.tasks] == ["How are keys kept safe?"]


@pytest.mark.parametrize("move", ["Plans/{}", "{}"])
def test_an_agenda_that_was_moved_out_of_the_inbox_is_read_and_left_alone(
    vault: ReviewedVault, move: str
) -> None:
    agenda = agenda_of(vault, "")
    assert agenda.path is not None
    moved = move.format(agenda.path.rpartition("/")[2])
    vault.move(agenda.path, moved)
    text = (vault.root / moved).read_text().replace("status: proposed", "status: cancelled")
    vault.write(moved, text)
    vault.knowledge.sync(now=NOW)
    vault.open_agendas.read(NOW)
    kept = vault.agendas.get(agenda.id)
    assert kept is not None
    assert kept.status is AgendaStatus.CANCELLED
    assert (vault.root / moved).read_text() == text


def test_an_agenda_that_was_moved_out_runs_when_its_time_has_come(vault: ReviewedVault) -> None:
    agenda = agenda_of(vault, "")
    assert agenda.path is not None
    vault.move(agenda.path, "Plans/Agenda.md")
    vault.knowledge.sync(now=NOW)
    due = NOW + timedelta(hours=2)
    vault.open_agendas.read(due)
    assert [each.id for each in vault.open_agendas.due(due)] == [agenda.id]


def asks(
    vault: ReviewedVault, text: str, path: str = "Bees.md", now: datetime = NOW
) -> list[str | None]:
    """Write a note, and return the notes that asked for research since the last look."""
    vault.write(path, text)
    return fired(vault, now)


@pytest.mark.parametrize(
    "text",
    [
        "---\ntags: [research]\n---\nAbout bees.\n",
        "---\ntags: research\n---\nAbout bees.\n",
        "About bees.\n\n#research\n",
        "About bees, and more #Research of them.\n",
    ],
    ids=["list", "one", "line", "inline"],
)
def test_a_tag_asks_once_and_again_when_it_was_taken_away_and_set_again(
    vault: ReviewedVault, text: str
) -> None:
    assert asks(vault, text) == ["Bees.md"]
    assert asks(vault, f"{text}More.\n") == []
    assert asks(vault, "About bees.\n") == []
    assert asks(vault, text) == ["Bees.md"]


@pytest.mark.parametrize(
    "text",
    ["#research-methods\n", "#research/bees\n", "`#research`\n", "    #research\n", "research\n"],
)
def test_other_tags_and_code_ask_for_nothing(vault: ReviewedVault, text: str) -> None:
    assert asks(vault, f"About bees.\n\n{text}") == []


def test_property_and_tag_ask_each_for_itself_and_together_once(vault: ReviewedVault) -> None:
    assert asks(vault, "---\nresearch: true\ntags: [research]\n---\nAbout bees.\n") == ["Bees.md"]
    assert asks(vault, "---\nresearch: true\n---\nAbout bees.\n") == []
    assert asks(vault, "---\nresearch: Why?\n---\nAbout bees.\n") == ["Bees.md"]
    assert asks(vault, "---\nresearch: Why?\n---\nAbout bees. #research\n") == ["Bees.md"]
    assert asks(vault, "About bees. #research\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "---\nresearch: true\ncreated: <% tp.date.now() %>\n---\nAbout bees.\n",
        "---\nresearch: true\n---\n# {{title}}\n",
        "---\nresearch: true\n---\n{{date:YYYY-MM-DD}} #research\n",
    ],
    ids=["templater", "title", "date"],
)
def test_a_template_outside_its_folder_asks_when_it_is_filled_in(
    vault: ReviewedVault, text: str
) -> None:
    assert asks(vault, text) == []
    filled = text.replace("<% tp.date.now() %>", "2026-11-21").replace("{{title}}", "Bees")
    assert asks(vault, filled.replace("{{date:YYYY-MM-DD}}", "2026-11-21")) == ["Bees.md"]


def test_a_note_about_templates_asks_like_any_other(vault: ReviewedVault) -> None:
    text = "---\nresearch: true\n---\nWrite `{{title}}` or\n\n```\n<% tp.file.title %>\n```\n"
    assert asks(vault, text) == ["Bees.md"]


def waiting(vault: ReviewedVault) -> list[Agenda]:
    return [agenda for agenda in vault.agendas.open() if agenda.note == "Bees.md"]


def test_of_a_slowly_typed_request_only_the_last_version_is_queued(vault: ReviewedVault) -> None:
    for typed in ("tr", "tru", "fals", "ye"):
        assert asks(vault, f"---\nresearch: {typed}\n---\nAbout bees.\n") == []
    asked = "---\nresearch:\n  - How do bees dance in the dark?\n{}---\nAbout bees.\n"
    assert asks(vault, asked.format("")) == ["Bees.md"]
    assert asks(vault, asked.format("  - Who dances with them for how long?\n")) == ["Bees.md"]
    (agenda,) = waiting(vault)
    assert [task.topic for task in agenda.tasks] == [
        "How do bees dance in the dark?",
        "Who dances with them for how long?",
    ]


def test_a_request_removed_before_it_started_is_cancelled(vault: ReviewedVault) -> None:
    assert asks(vault, "About bees. #research\n") == ["Bees.md"]
    assert asks(vault, "About bees. #research-methods\n") == []
    assert waiting(vault) == []
    later = NOW + timedelta(seconds=5)
    assert asks(vault, "About bees. #research\n", now=later) == ["Bees.md"]
    (agenda,) = waiting(vault)
    vault.open_agendas.decide(agenda.id, AgendaStatus.APPROVED, NOW)
    assert asks(vault, "About bees.\n") == []
    assert [each.id for each in waiting(vault)] == [agenda.id]


def test_a_request_that_an_older_version_planned_is_withdrawn_too(vault: ReviewedVault) -> None:
    assert asks(vault, "About bees. #research\n") == ["Bees.md"]
    (agenda,) = waiting(vault)
    assert agenda.trigger == "requested in Bees"
    vault.agendas.save(replace(agenda, trigger="research in Bees"))
    assert asks(vault, "About bees.\n") == []
    assert waiting(vault) == []


def test_properties_being_edited_do_not_cancel_a_request(vault: ReviewedVault) -> None:
    assert asks(vault, TAGGED.format("bees")) == ["Bees.md"]
    assert asks(vault, '---\nresearch: true\naliases: ["bee\n---\nAbout bees.\n') == []
    assert len(waiting(vault)) == 1
    assert asks(vault, '---\nresearch: true\naliases: ["bee"]\n---\nAbout bees.\n') == []
    assert len(waiting(vault)) == 1


def a_crowd(vault: ReviewedVault, count: int, text: str = TAGGED) -> list[str]:
    paths = [f"Hive {number:02}.md" for number in range(count)]
    for number, path in enumerate(paths):
        vault.write(path, text.format(f"subject {number}"))
    return paths


def test_notes_beyond_the_queue_limit_are_queued_as_it_shrinks(
    vault: ReviewedVault, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    paths, asked = a_crowd(vault, 23), []
    asked += fired(vault)
    assert len(asked) == 20
    assert "3 more request research: 20 wait already" in caplog.text
    queue = vault.tagged_notes.queue(NOW)
    assert (list(queue.later), queue.is_full) == (paths[20:], True)
    assert fired(vault) == []
    vault.reopen()  # nothing is lost when the daemon is started again
    for agenda in vault.agendas.open()[:2]:
        vault.open_agendas.decide(agenda.id, AgendaStatus.CANCELLED, NOW)
    queue = vault.tagged_notes.queue(NOW)
    assert (list(queue.later), queue.is_full) == (paths[20:], False)  # nobody looked yet
    asked += fired(vault)
    for agenda in vault.agendas.open()[:5]:
        vault.agendas.save(replace(agenda, status=AgendaStatus.DONE))
    asked += fired(vault)
    assert asked == paths
    assert vault.tagged_notes.queue(NOW).later == ()
    assert fired(vault) == []


def test_each_in_the_queue_has_a_place_that_is_the_order_in_which_they_run(
    vault: ReviewedVault,
) -> None:
    paths = a_crowd(vault, 10)
    fired(vault)
    due = NOW + timedelta(hours=2)
    first, second, third, *_ = queue = vault.tagged_notes.queue(NOW).places
    assert [place.agenda.note for place in queue] == paths
    assert [place.place for place in queue] == list(range(1, 11))
    assert (first.starts_at, first.after) == (NOW + OPTIONS.window, "")
    assert (second.after, third.after) == ("“Hive 00”", "“Hive 01”")
    order = [agenda.note for agenda in vault.open_agendas.due(due)]
    assert order == [place.agenda.note for place in vault.tagged_notes.queue(due).places] == paths
    vault.agendas.save(replace(third.agenda, status=AgendaStatus.RUNNING))
    running, next_, *_ = vault.tagged_notes.queue(due).places
    assert (running.agenda.note, running.starts_at, running.after) == ("Hive 02.md", None, "")
    assert (next_.agenda.note, next_.after) == ("Hive 00.md", "“Hive 02”")


def test_a_tag_that_many_notes_already_had_is_not_a_request(
    vault: ReviewedVault, caplog: pytest.LogCaptureFixture
) -> None:
    a_crowd(vault, 21, "About {}. #research\n")
    assert fired(vault) == []
    assert "21 notes had the tag #research before it requested research" in caplog.text
    assert asks(vault, "About bees. #research\n") == ["Bees.md"]
    assert asks(vault, "About subject 0.\n", "Hive 00.md") == []
    assert asks(vault, "About subject 0. #research\n", "Hive 00.md") == ["Hive 00.md"]


def test_a_tag_on_few_notes_is_a_request_from_the_first_scan(vault: ReviewedVault) -> None:
    assert a_crowd(vault, 3, "About {}. #research\n") == fired(vault)


@pytest.mark.parametrize(
    "text", ["---\nresearch: true\n---\nAbout bees.\n", "Wasp nests. #research\n"]
)
def test_a_daily_note_asks_like_any_other(vault: ReviewedVault, text: str) -> None:
    assert asks(vault, text, "2026-11-20.md") == ["2026-11-20.md"]
    assert vault.role("2026-11-20.md") is Role.DAILY


def test_what_was_tagged_while_the_daemon_was_off_asks_when_it_is_on_again(
    vault: ReviewedVault,
) -> None:
    assert asks(vault, "About bees.\n") == []
    vault.reopen()
    assert asks(vault, "About bees. #research\n") == ["Bees.md"]
    vault.reopen()
    assert fired(vault) == []


def test_an_empty_note_is_researched_once_it_has_text(vault: ReviewedVault) -> None:
    empty = "---\nresearch: true\n---\n"
    assert asks(vault, empty, "Untitled 3.md") == []
    assert vault.tagged_notes.queue(NOW).later == ()
    assert asks(vault, f"{empty}Varroa mites and oxalic acid\n", "Untitled 3.md") == [
        "Untitled 3.md"
    ]
    (agenda,) = vault.agendas.open()
    assert "varroa mites" in agenda.tasks[0].topic.casefold()
    assert asks(vault, empty, "Varroa mites.md") == ["Varroa mites.md"]  # its title says it
