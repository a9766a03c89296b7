"""What a sync decides to do."""

from datetime import UTC, datetime

from daemon.index.compare import Moves, compare, fingerprint, needs_parsing, split_nameable, stamp
from daemon.model.notes import Stamp
from vault_adapters.note import Role, VaultFile

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OLD = int(NOW.timestamp()) * 10**9 - 10**10


def a_file(path: str = "A.md", *, role: Role = Role.NOTE, size: int = 1) -> VaultFile:
    return VaultFile(path, role, size, OLD, 7)


def a_stamp(*, role: Role = Role.NOTE, hash_: str = "h", recheck: int = 0) -> Stamp:
    return Stamp(role, 1, OLD, 7, hash_, recheck)


def test_only_what_differs_is_read() -> None:
    known = {"A.md": a_stamp(), "B.md": a_stamp(), "gone.md": a_stamp()}
    plan = compare(known, [a_file("C.md"), a_file("B.md", size=2), a_file("A.md")])
    assert [file.path for file in plan.read] == ["B.md", "C.md"]
    assert plan.gone == ("gone.md",)


def test_a_note_to_be_rechecked_is_read_whatever_its_time_says() -> None:
    assert compare({"A.md": a_stamp(recheck=1)}, [a_file()]).read


def test_an_own_note_keeps_its_role_until_its_text_changes() -> None:
    assert not compare({"A.md": a_stamp(role=Role.OWN)}, [a_file()]).read
    assert compare({"A.md": a_stamp(role=Role.DAILY)}, [a_file()]).read


def test_the_same_bytes_are_parsed_only_for_another_role_or_version() -> None:
    assert not needs_parsing(a_stamp(recheck=1), a_file(), "h")
    assert needs_parsing(a_stamp(recheck=2), a_file(), "h")
    assert needs_parsing(a_stamp(role=Role.TEMPLATE), a_file(), "h")
    assert needs_parsing(a_stamp(), a_file(), "other")
    assert needs_parsing(None, a_file(), "h")


def test_a_file_as_fresh_as_the_clock_is_coarse_is_compared_again() -> None:
    assert stamp(a_file(), "h", NOW).recheck == 0
    fresh = VaultFile("A.md", Role.NOTE, 1, OLD + 9 * 10**9, 7)
    assert stamp(fresh, "h", NOW).recheck == 1


def test_a_move_prefers_the_same_name_and_takes_each_path_once() -> None:
    known = {path: a_stamp() for path in ("a/X.md", "a/Y.md")} | {"empty": a_stamp(hash_="")}
    moves = Moves(known, ["a/X.md", "a/Y.md", "empty"])
    assert moves.take("b/Y.md", "h") == "a/Y.md"
    assert moves.take("b/Z.md", "h") == "a/X.md"
    assert moves.take("b/W.md", "h") is None
    assert moves.take("b/E.md", "") is None


def test_a_fingerprint_stands_for_the_set_of_paths() -> None:
    assert fingerprint(["b", "a"], "obsidian") == fingerprint(["a", "b"], "obsidian")
    assert fingerprint(["a", "b"], "obsidian") != fingerprint(["a", "b"], "plain")
    assert fingerprint(["ab"]) != fingerprint(["a", "b"])


def test_names_that_are_no_unicode_are_set_apart() -> None:
    good, bad = split_nameable([a_file("A.md"), a_file("b\udcff.md")])
    assert [file.path for file in good] == ["A.md"]
    assert [(each.path, each.why) for each in bad] == [
        ("b\\udcff.md", "its name is not UTF-8 text")
    ]
