"""Tokens of a text, estimated without the tokenizer of any model: rather too many."""

_ASCII = 3  # characters of a token
_LETTERS = 2  # of other alphabets
_WITHOUT_SPACES = "\u0e00"  # from Thai on, most characters are tokens of their own


def tokens_in(text: str) -> int:
    """Return about how many tokens a text has."""
    own = sum(each >= _WITHOUT_SPACES for each in text)
    ascii_ = sum(each.isascii() for each in text)
    others = len(text) - own - ascii_
    return own + -(-others // _LETTERS) + -(-ascii_ // _ASCII)
