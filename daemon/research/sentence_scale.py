"""The weights and thresholds of a sentence's score, with and without a cross-encoder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SentenceScale:
    """The weights of a sentence's score, and how far below the best a quote may be."""

    support: float  # of the window around it
    form: float
    note: float
    clumsy: float
    below: float
    below_all: float  # the same for a document's best compared with the task's other documents
    asked_least: float  # of the best sentence alone, for a question in the user's own words
    beside_least: float  # of the other sentences of such a document
    note_least: float  # of a sentence alone, for a topic from a note that the user tagged
    vault_least: float  # the same for a topic from the vault
    named_least: float  # of the best sentence, if a question has many names
    kind: float  # for a sentence without a number, if one is requested
    aside: float  # for a sentence that announces what a text is about
    conclusion: float  # of an abstract
    result: float  # for each kind of result about the topic of its title
    in_place: bool  # what refers back is quoted beside another only after the sentence before it


# In shares of words and cosines; and in logits of a cross-encoder, which spread wider.
BY_WORDS = SentenceScale(
    support=0.3,
    form=0.03,
    note=0.1,
    clumsy=0.2,
    below=0.35,
    below_all=0.35,
    asked_least=0.0,
    beside_least=0.0,
    note_least=0.4,
    vault_least=0.5,
    named_least=0.0,
    kind=0.2,
    aside=0.2,
    conclusion=0.1,
    result=0.1,
    in_place=False,
)
BY_LOGITS = SentenceScale(
    support=0.5,
    form=0.5,
    note=2.0,
    clumsy=5.0,
    below=6.0,
    below_all=6.0,
    asked_least=-3.0,
    beside_least=-7.0,
    note_least=1.0,
    vault_least=3.0,
    named_least=0.0,
    kind=3.0,
    aside=4.0,
    conclusion=2.0,
    result=1.0,
    in_place=True,
)
