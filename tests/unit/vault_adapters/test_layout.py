"""What folders are for, guessed from names alone."""

from vault_adapters.layout import Layout, guess


def test_a_vault_without_such_names_has_no_such_folders() -> None:
    assert guess(["Bread.md", "Rust/Async.md", "Templates.md"]) == Layout()


def test_what_people_put_before_a_name_to_sort_it_does_not_count() -> None:
    found = guess(["00 - Inbox/a.md", "_Templates/b.md", "zz/📎 Attachments/c.png"])
    assert found.inbox == "00 - Inbox"
    assert found.templates == ("_Templates",)
    assert found.attachments == ("zz/📎 Attachments",)


def test_the_inbox_nearest_to_the_top_is_the_inbox() -> None:
    assert guess(["Work/Inbox/a.md", "Inbox/b.md"]).inbox == "Inbox"


def test_of_folders_inside_each_other_the_outer_one_is_named() -> None:
    assert guess(["Templates/a.md", "Templates/Templates/b.md"]).templates == ("Templates",)


def test_a_journal_of_essays_is_none_of_daily_notes() -> None:
    days = [f"Journal/2026-11-{day}.md" for day in range(10, 15)]
    essays = [f"Journal/On bread {number}.md" for number in range(10)]
    assert guess(days).daily_notes == ("Journal",)
    assert guess(days + essays).daily_notes == ()
    assert guess(days[:2]).daily_notes == ()


def test_a_folder_of_notes_is_no_folder_of_attachments() -> None:
    """As in PARA, whose third letter stands for resources."""
    notes = [f"3 Resources/{name}.md" for name in ("Bread", "Bees", "Rust")]
    assert guess([*notes, "3 Resources/oven.png", "Assets/a.png", "Assets/b.md"]).attachments == (
        "Assets",
    )
