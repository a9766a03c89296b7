"""Questions with known answers: SQuAD and PubMedQA files → documents and questions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.model.errors import LacunaError


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the index of the document that answers it, and the position in its text.

    `start` and `end` are 0 if only the document is known.
    """

    question: str
    document: int
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class AnswerData:
    """The texts of documents, and the questions that they answer."""

    texts: tuple[str, ...]
    questions: tuple[Asked, ...]


def load_answers(path: Path) -> AnswerData:
    """Read a file of either format. Raises LacunaError for any other."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LacunaError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise LacunaError(f"{path}: not JSON: {error}") from error
    try:
        data = _squad(content) if "data" in content else _pubmed(content)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise LacunaError(
            f"{path}: neither SQuAD (data, paragraphs, context, qas) nor PubMedQA"
            " (QUESTION and CONTEXTS by id)"
        ) from error
    if not data.questions:
        raise LacunaError(f"{path}: no question in it has an answer")
    return data


def _squad(content: Mapping[str, Any]) -> AnswerData:
    paragraphs = [each for article in content["data"] for each in article["paragraphs"]]
    questions = []
    for number, paragraph in enumerate(paragraphs):
        for asked in paragraph["qas"]:
            for answer in asked.get("answers", [])[:1]:
                text = str(answer["text"])
                start = int(answer["answer_start"]) + len(text) - len(text.lstrip())
                end = start + len(text.strip())
                questions.append(Asked(str(asked["question"]), number, start, end))
    return AnswerData(tuple(str(each["context"]) for each in paragraphs), tuple(questions))


def _pubmed(content: Mapping[str, Any]) -> AnswerData:
    texts = tuple("\n\n".join(each["CONTEXTS"]) for each in content.values())
    questions = tuple(
        Asked(str(each["QUESTION"]), number) for number, each in enumerate(content.values())
    )
    return AnswerData(texts, questions)
