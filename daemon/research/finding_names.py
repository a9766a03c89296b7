"""The name of a finding, for people and for the store."""

import re
from hashlib import sha256

from daemon.analysis.code_names import code_name
from daemon.model.agenda import Task

_QUESTION = re.compile(
    r"^(?:who|whose|whom|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|should"
    r"|will|would|has|have)\b",
    re.IGNORECASE,
)
_QUOTING = re.compile(r"[\"“”„«»]")
_WORD = re.compile(r"\w+")


def finding_id(key: str, topic: str, query: str = "") -> str:
    """Return a finding's id from its best new document and its question: deterministic.

    Without a query it is the id of a finding of an earlier version: from a document and a topic.
    """
    named = "\0".join((key, topic, query) if query else (key, topic))
    return sha256(named.encode("utf-8", "replace")).hexdigest()[:12]


def title_of(task: Task) -> str:
    """Return the question of a task as a person would write it above the answer.

    A query without the topic's name follows it: "Local-first: merge semantics".
    """
    topic, query = _tidy(task.topic), _tidy(task.query)
    if code_name(query) is not None:
        return query
    for each in (query, topic):
        if each.endswith("?"):
            return _capital(each)
        if _QUESTION.match(each) and len(each.split()) > 2:
            return f"{_capital(each).rstrip('.')}?"
    if not query or _words(query) <= _words(topic):
        return _capital(topic or query)
    is_named = _words(topic) <= _words(query)
    return _capital(query) if is_named else f"{_capital(topic)}: {query}"


def _tidy(text: str) -> str:
    return " ".join(_QUOTING.sub(" ", text).split())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
