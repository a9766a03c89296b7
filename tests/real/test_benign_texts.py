"""Texts that state what a page found are hardly ever refused at the barrier."""

import json
from pathlib import Path

import pytest

from daemon.models.barrier import unwanted

QA = Path(__file__).resolve().parents[2] / "../shared/data/qa/pubmedqa_dev.json"
MIN_KEPT = 0.97


@pytest.mark.skipif(not QA.exists(), reason="../shared/data/qa is not here")
def test_few_benign_answers_are_refused() -> None:
    answers = [each["LONG_ANSWER"] for each in json.loads(QA.read_text("utf-8")).values()]
    refused = {text: why for text in answers if (why := unwanted(text))}

    assert len(answers) - len(refused) >= MIN_KEPT * len(answers), refused
