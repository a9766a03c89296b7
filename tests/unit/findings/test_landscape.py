"""The landscape is only added to: the user's changes in the note and in the file stay."""

from datetime import UTC

import yaml

from daemon.findings.landscape_file import merged
from daemon.findings.landscape_note import empty_landscape, with_mentions
from daemon.model.landscape import Entity, EntityKind, Mention
from tests.fakes.values import NOW
from vault_adapters.wikilink import Linker

LINK = Linker(["Inbox/One.md", "Inbox/Two.md"])
ADA = Entity(EntityKind.PERSON, "Ada Byron", "", "https://a.example/1")
WHO = Entity(EntityKind.ORGANISATION, "World Health Organization", "WHO", "https://a.example/1")
EVIL = Entity(EntityKind.TERM, "[[x]] <% y %>", "a: b\n- kind: person", "https://a.example/2")


def at(entity: Entity, note: str = "One", run: str = "r1") -> Mention:
    return Mention(entity, f"Inbox/{note}.md", run)


def test_the_file_lists_each_entity_once_with_where_it_was_met() -> None:
    text = merged("", [at(ADA), at(WHO), at(ADA), at(EVIL)])
    assert text is not None
    again = merged(text, [at(ADA), at(ADA, "Two", ""), at(WHO, "Two")])
    assert again is not None
    by_name = {each["name"]: each for each in yaml.safe_load(again)}
    assert sorted(by_name) == ["Ada Byron", "World Health Organization", "[ [x] ] < % y % >"]
    assert [each["note"] for each in by_name["Ada Byron"]["met"]] == [
        "Inbox/One.md",
        "Inbox/Two.md",
    ]
    assert by_name["World Health Organization"]["about"] == "WHO"
    assert merged(again, [at(ADA), at(WHO)]) == again


def test_changes_in_the_file_stay_byte_for_byte() -> None:
    text = merged("", [at(ADA), at(WHO)])
    assert text is not None
    edited = text.replace("  name: ", "  mine: true # my own\n  name: ") + "# the end"
    more = merged(edited, [at(ADA, "Two"), at(EVIL)])
    assert more is not None
    left = iter(more)
    assert all(letter in left for letter in edited)  # nothing is gone or moved
    assert more.count("# my own") == 2
    assert len(yaml.safe_load(more)) == 3
    assert merged("my: own file", [at(ADA)]) is None
    assert merged("- [broken", [at(ADA)]) is None


def test_the_note_has_a_line_for_each_entity_and_links_are_added_to_it() -> None:
    text = with_mentions(empty_landscape(NOW, UTC), [at(ADA), at(WHO), at(EVIL)], LINK)
    assert "## People\n\n- **Ada Byron** — [[One]]\n" in text
    assert "- **World Health Organization**: WHO — [[One]]\n" in text
    assert "[[x" not in text
    assert "<%" not in text
    edited = text.replace("- **Ada Byron** — ", "- **Ada Byron** — my friend, ")
    more = with_mentions(edited, [at(ADA, "Two"), at(ADA, "Two"), at(WHO)], LINK)
    assert "- **Ada Byron** — my friend, [[One]], [[Two]]\n" in more
    assert more.replace(", [[Two]]", "") == edited
