"""What people type into a search: a word, a name, a question, a whole sentence."""

import random
from collections.abc import Sequence

from daemon.model.notes import ChunkRow

_QUESTIONS = (
    "how does {} relate to {}",
    "what is the difference between {} and {}",
    "why is {} so {} in the {}",
    "notes about {} and {}",
    "{} or {}",
)


def queries(chunks: Sequence[ChunkRow], count: int, seed: int = 1) -> list[str]:
    """Make `count` queries of the words of real chunks, so that there is something to find."""
    chance = random.Random(f"queries {seed}")
    return [_query(chance, chunks) for _ in range(count)]


def _query(chance: random.Random, chunks: Sequence[ChunkRow]) -> str:
    words = [word.strip(".,*[]|#") for word in chance.choice(chunks).text.split()]
    words = [word for word in words if len(word) > 2] or ["note"]
    kind = chance.random()
    if kind < 0.25:
        return max(chance.choices(words, k=3), key=len)  # nobody looks for "the"
    if kind < 0.65:
        at = chance.randrange(len(words))
        return " ".join(words[at : at + chance.randint(2, 4)])
    if kind < 0.90:
        question = chance.choice(_QUESTIONS)
        return question.format(*chance.choices(words, k=question.count("{}")))
    at = chance.randrange(len(words))
    return " ".join(words[at : at + 20])
