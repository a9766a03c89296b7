"""Parts of sentences about a vault: counts and names."""

_SMALL_NUMBERS = "One Two Three Four Five Six Seven Eight Nine"
_NUMBERS = dict(zip("123456789", _SMALL_NUMBERS.split(), strict=True))


def quoted(text: str) -> str:
    """Text in quotation marks, so that a sentence shows where it ends."""
    return f"“{text}”"


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 note`, `3 notes`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def sentence_start(sentence: str) -> str:
    """Begin a sentence with a count: a small number becomes a word."""
    number, _, rest = sentence.partition(" ")
    return f"{_NUMBERS.get(number, number)} {rest}"
