"""Personal numbers and addresses are taken out of what models are given, and counted."""

import pytest

from daemon.models.redaction import redact


@pytest.mark.parametrize(
    ("text", "kept", "kind"),
    [
        ("Write to jo.doe+x@mail.example.org today.", "Write to [MAIL] today.", "MAIL"),
        ("Pay to DE89 3704 0044 0532 0130 00 now.", "Pay to [ACCOUNT] now.", "ACCOUNT"),
        ("Card 4111 1111 1111 1111 was used.", "Card [CARD] was used.", "CARD"),
        ("Call +49 30 901820 at noon.", "Call [PHONE] at noon.", "PHONE"),
        ("Call (212) 736-5000 at noon.", "Call [PHONE] at noon.", "PHONE"),
        ("Answer neil .doe@mail.example.org today.", "Answer neil .[MAIL] today.", "MAIL"),
    ],
)
def test_what_belongs_to_a_person_is_taken_out(text: str, kept: str, kind: str) -> None:
    found = redact(text)

    assert found.text == kept
    assert found.counts == {kind: 1}


@pytest.mark.parametrize(
    "number",
    [
        pytest.param("078-05-1120", id="the United States"),
        pytest.param("756.9217.0769.85", id="Switzerland"),
        pytest.param("85.07.30-033.28", id="Belgium"),
        pytest.param("12345678Z", id="Spain"),
        pytest.param("12345678-Z", id="Spain, with a hyphen"),
        pytest.param("RSSMRA85M01H501Q", id="Italy"),
        pytest.param("2 69 05 49 588 157 80", id="France"),
        pytest.param("AB 12 34 56 C", id="the United Kingdom"),
        pytest.param("44051401359", id="Poland"),
        pytest.param("11010219840406970X", id="China"),
        pytest.param("8924 7352 8038", id="India"),
        pytest.param("811218-9876", id="Sweden"),
        pytest.param("131052-308T", id="Finland"),
        pytest.param("111.444.777-35", id="Brazil"),
        pytest.param("12 345 678 911", id="Germany"),
        pytest.param("800101-1234567", id="Korea"),
    ],
)
def test_identity_numbers_of_many_countries_are_taken_out(number: str) -> None:
    found = redact(f"The card of {number} was shown.")

    assert found.text == "The card of [ID] was shown."
    assert found.counts == {"ID": 1}


@pytest.mark.parametrize(
    "text",
    [
        "Between 2010 and 2014, 1,234,567 adults were counted.",
        "The DOI is 10.1000/182 and the record 4111 1111 1111 1112.",
        "It rose from 12.345 to +23.456 mmHg (p < 0.001).",
        "DE89 3704 0044 0532 0130 01 is no account.",
        "ISBN 9780306406157, ISSN 1234-5678, NCT01234567, ORCID 0000-0002-1825-0097.",
        "About 12.345.678 people, 1 234 567 890 cells and 123456782 reads were counted.",
        "See 10.1016/j.2014.44051401359 and 5.12345678911 of GenBank AB123456.1.",
        "It pins numpy@1.26.40, and 111.444.777-36 has a wrong check digit.",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert redact(text).text == text
