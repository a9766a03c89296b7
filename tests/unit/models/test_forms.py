"""The forms of answers: a model can name the ids that it was given, and nothing else."""

import pytest
from pydantic import ValidationError

from daemon.model.evidence import Passage
from daemon.models.answers import text_form
from daemon.models.barrier import Line
from daemon.models.source_passages import Reading, SourcePassages, lines_for_writer, reading_form

IDS = ("a1", "a2", "b1")


def test_a_reading_names_given_ids_only() -> None:
    form = reading_form(IDS)

    assert form.model_validate({"contribution": "a2", "abstract": ["b1"], "methods": []})
    for reading in (
        {"contribution": "a9", "abstract": [], "methods": []},
        {"contribution": "a1", "abstract": ["https://evil.example"], "methods": []},
        {"contribution": "a1", "abstract": [], "methods": ["a1"] * 6},
    ):
        with pytest.raises(ValidationError):
            form.model_validate(reading)


def test_a_text_cites_given_ids_only() -> None:
    form = text_form(IDS)

    assert form.model_validate(
        {"sentences": [{"text": "It is so.", "cites": ["a1", "b1"]}], "concepts": []}
    )
    for cites in (["z1"], [], ["a1", "a2", "b1"]):
        with pytest.raises(ValidationError):
            form.model_validate(
                {"sentences": [{"text": "It is so.", "cites": cites}], "concepts": []}
            )


def test_the_writer_is_given_what_a_reader_chose_first() -> None:
    lines = tuple(Line(f"a{n}", f"Sentence {n}. " + "x" * 250) for n in range(1, 8))
    places = {each.id: Passage("d", 0, 1, each.text) for each in lines}
    source = SourcePassages("a", "A page", "https://example.org", lines, places, quoted=("a1",))
    reading = Reading(contribution="a6", abstract=["a4"], methods=["a2"])

    assert [each.id for each in lines_for_writer(source, reading).lines] == ["a6", "a4", "a1"]
    assert [each.id for each in lines_for_writer(source, None).lines] == ["a1", "a2", "a3"]
