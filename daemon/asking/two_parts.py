"""Questions in two parts: "what is a lease, and why does it end?". For English. Pure."""

import re

from daemon.asking.follow_up import FollowUp, in_thread, subject_words

_ASKS = r"(?:who|what|when|where|which|why|how)\b"
_BETWEEN = re.compile(rf"[,;?]?\s+(?:and|but)\s+(?={_ASKS})|\?\s+(?={_ASKS})", re.IGNORECASE)
_FIRST = re.compile(rf"^\W*{_ASKS}", re.IGNORECASE)
_FEW_WORDS = 1  # of a part that is about something: it is about what the first is
_FEWEST_WORDS = 3  # of a part


def parts_of_question(question: str) -> tuple[str, ...]:
    """Return the two questions that one consists of, the second with the subject of the first;
    else the question.
    """
    found = _BETWEEN.search(question)
    if found is None or not _FIRST.search(question):
        return (question,)
    one, other = f"{question[: found.start()]}?", question[found.end() :]
    if min(len(one.split()), len(other.split())) < _FEWEST_WORDS:
        return (question,)
    asked = in_thread(other, [one])
    if not asked.subject and len(subject_words(other)) <= _FEW_WORDS:
        asked = FollowUp(other, " ".join(subject_words(one)))
    return one, asked.whole
