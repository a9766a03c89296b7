"""Personal numbers and addresses are taken out of what models are given, and counted."""

import pytest

from daemon.models.redaction import redact


@pytest.mark.parametrize(
    ("text", "kept", "kind"),
    [
        ("Write to jo.doe+x@mail.example.org today.", "Write to [MAIL] today.", "MAIL"),
        ("Pay to DE89 3704 0044 0532 0130 00 now.", "Pay to [ACCOUNT] now.", "ACCOUNT"),
        ("Card 4111 1111 1111 1111 was used.", "Card [CARD] was used.", "CARD"),
        ("His number is 078-05-1120.", "His number is [ID].", "ID"),
        ("Call +49 30 901820 at noon.", "Call [PHONE] at noon.", "PHONE"),
    ],
)
def test_what_belongs_to_a_person_is_taken_out(text: str, kept: str, kind: str) -> None:
    found = redact(text)

    assert found.text == kept
    assert found.counts == {kind: 1}


@pytest.mark.parametrize(
    "text",
    [
        "Between 2010 and 2014, 1,234,567 adults were counted.",
        "The DOI is 10.1000/182 and the record 4111 1111 1111 1112.",
        "It rose from 12.345 to +23.456 mmHg (p < 0.001).",
        "DE89 3704 0044 0532 0130 01 is no account.",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert redact(text).text == text
