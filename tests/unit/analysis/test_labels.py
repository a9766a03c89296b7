import pytest

from daemon.analysis import labels
from daemon.analysis.labels import Lexicon, Words

BEES = {
    "Bee forage.md": Words("Bee forage", ("Nectar",), "The hive needs nectar and pollen in June."),
    "Varroa.md": Words("Varroa", (), "Mites in the hive. Bee forage does not help against mites."),
    "Swarm.md": Words("Swarm", (), "A hive that swarms has plenty of bee forage and nectar."),
}
RUST = {
    "Futures.md": Words("Futures", (), "An async runtime polls futures until they are ready."),
    "Pin.md": Words("Pin", (), "An async runtime must not move futures that are pinned."),
    "Tokio.md": Words("Tokio", ("Async runtime",), "Tokio is an async runtime of many threads."),
}
GROUPS = [list(BEES), list(RUST)]


def test_a_group_is_named_by_what_it_says_and_the_others_do_not() -> None:
    bees, rust = Lexicon(BEES | RUST).labels(GROUPS)

    assert bees.name.startswith("Bee Forage")
    assert "Async Runtime" in rust.name
    assert "hive" in bees.keywords
    assert not {"needs", "plenty", "the"} & set(bees.keywords)


def test_a_name_has_one_to_four_words_with_capitals() -> None:
    for label in Lexicon(BEES | RUST).labels(GROUPS):
        words = label.name.replace(",", "").split()
        assert 1 <= len(words) <= 4
        assert all(word[0].isupper() for word in words)


def test_a_name_does_not_grow_into_a_list() -> None:
    text = "Forward error. Circuit switching. Optical flow. Round trips."
    notes = {f"{n}.md": Words(f"Note {n}", (), text) for n in range(3)}

    label = Lexicon(BEES | notes).labels([list(notes)])[0]

    assert len(label.keywords) == 4
    assert len(label.name.split(", ")) == 2


def test_what_every_note_says_names_none() -> None:
    template = "Spaced repetition checklist. "
    notes = {
        path: Words(words.title, words.headings, template + words.text)
        for path, words in (BEES | RUST).items()
    }

    for label in Lexicon(notes).labels(GROUPS):
        assert not {"Spaced", "Repetition", "Checklist"} & set(label.name.split())


def test_a_phrase_is_told_whole_and_as_it_is_written() -> None:
    notes = dict(BEES)
    for number in range(3):
        text = "A MAC layer with forward error correction. It is named MAC layer."
        notes[f"{number}.md"] = Words(f"Note {number}", (), text)

    label = Lexicon(notes).labels([["0.md", "1.md", "2.md"]])[0]

    assert "forward error correction" in {word.lower() for word in label.keywords}
    assert "MAC layer" in label.keywords


def test_an_unspaced_script_is_named_by_whole_words() -> None:
    notes = {
        f"{number}.md": Words(title, (), text)
        for number, (title, text) in enumerate(
            [
                ("金字塔原理", "金字塔原理的结构"),
                ("写作", "金字塔原理与写作"),
                ("思考", "思考用金字塔原理"),
            ]
        )
    }

    label = Lexicon(BEES | notes).labels([list(notes)])[0]

    assert label.name.partition(",")[0] == "金字塔原理"


def test_a_group_without_a_telling_word_bears_its_central_title() -> None:
    said = {path: Words(words.title, (), "Weekly checklist.") for path, words in BEES.items()}
    notes = {f"{n}.md": Words(f"{n}", (), "Weekly checklist.") for n in range(2020, 2023)}

    assert Lexicon(said | notes).labels([list(notes)])[0].name == "2020"


def test_a_vault_of_one_subject_is_named_by_what_it_says_most() -> None:
    (label,) = Lexicon(BEES).labels([list(BEES)])

    assert label.name.startswith("Bee Forage")


def test_keywords_of_one_note_are_what_it_repeats_or_is_called() -> None:
    note = Words("Varroa", (), "Formic acid works. Formic acid needs warmth. A beekeeper told it.")

    keywords = Lexicon(RUST | {"Varroa.md": note}).keywords(["Varroa.md"])

    assert {"Varroa", "Formic acid"} == set(keywords)


def test_a_large_vault_is_named_from_a_sample_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "BACKGROUND_NOTES", 4)
    monkeypatch.setattr(labels, "CENTRAL_NOTES", 2)

    bees, rust = Lexicon(BEES | RUST).labels(GROUPS)

    assert bees.name != rust.name
    assert "Async Runtime" in rust.name
