"""A thread as a note: what an older version stored in another form is skipped."""

from datetime import UTC, datetime
from typing import Any

import pytest

from daemon.findings.thread_note import ThreadQuestion
from daemon.model.threads import Turn


@pytest.mark.parametrize("citations", [None, 5, "text", [None, "text"], {"a": 1}])
def test_an_answer_in_another_form_has_no_citations(citations: Any) -> None:
    turn = Turn(datetime(2026, 11, 21, tzinfo=UTC), "Why?", {"citations": citations})
    assert ThreadQuestion.of(turn).citations == ()
