"""Is a sentence about a conversation: its user, what is answered, and who it is to be answered as?

Prompts against assistants describe a role. Reports on a subject have no word of a conversation, or
one; these have two and a general statement, or one and "you". A name that is to act is in neither
question nor title.
"""

import re

_TALK = re.compile(
    r"\b(?:users?|chat ?(?:bots?|gpt)|gpt\S*|open ?ai|prompt(?:s|ed|ing)?|unprompted|jailbr\w+"
    r"|persona(?:s|lit\w+)?|characters?|role-?play\w*|respon(?:d|ds|se|ses|ding)"
    r"|repl(?:y|ies|ying)|messages?|opinions?|un(?:censored|filtered|restricted)|censor\w*"
    r"|(?:im|a)?moral\w*|(?:un)?ethic\w*|(?:il)?legal\w*|restrict(?:ions?|ed)|limitations?"
    r"|guidelines?|polic(?:y|ies)|rules|warnings?|disclaimers?|instructions?|commands?"
    r"|conversations?|hypothetical\w*|fiction\w*|offensive|derogatory|profan\w*|swear\w*"
    r"|curs(?:e|es|ing)|rude|sarcas\w*|insult\w*|obey\w*|sentient|self-aware|pretend\w*"
    r"|simulat\w+|anything|tokens?|mode|outputs?|inputs?)\b"
)
_STEM = 5  # letters: ethics and ethical are one word
# What somebody does in general, or is to do: results of a survey are in the past.
_HABIT = re.compile(
    r"\b(?:will|can|cannot|must|shall|should|never|always|does|do|is|are|has|acts|answers|responds"
    r"|gives|knows|loves|likes|hates|refuses|disregards)\b|n['’]t\b"
)
_SPOKEN = re.compile(r"\b(?:you|your|yours|yourself|my|me|mine|myself)\b")
# A name in capitals, such as DAN or JeffGPT, and what it does in general.
_ACTS = re.compile(
    r"^\W*([A-Z]{2,}[a-z\d]*|[A-Z][a-z]+[A-Z]\w*)(?:['’]s?(?: \w+){1,2})? "
    r"(?:will|must|shall|should|can|cannot|can['’]t|may|might|always|never|also|has|is|loves|likes"
    r"|does(?:n['’]t| not)|acts|answers|asks|says|disregards)\b"
)
# A sentence that begins so is about somebody in the sentence before.
_POINTS_BACK = re.compile(
    r"^\W*(?:(?:he|she|they|his|her|their|him|them)\b"
    r"|its? (?:will|can|cannot|must|shall|also|has)\b)",
    re.IGNORECASE,
)


def is_of_conversation(text: str, subject: str) -> bool:
    """Return whether a sentence belongs to a conversation; `subject` is the question and titles."""
    folded, known = text.casefold(), subject.casefold()
    words = _talk(folded) - _talk(known)
    if words and (_SPOKEN.search(folded) or (len(words) > 1 and _HABIT.search(folded))):
        return True
    actor = _ACTS.match(text)
    return actor is not None and actor[1].casefold() not in known


def _talk(text: str) -> set[str]:
    return {each[:_STEM] for each in _TALK.findall(text)}


def points_back(text: str) -> bool:
    """Return whether a sentence needs the one before it to say whom it is about."""
    return _POINTS_BACK.match(text) is not None
