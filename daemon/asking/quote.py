"""A quote of a statement, cut where it is long."""

_MAX_LENGTH = 240  # characters


def quote(text: str) -> str:
    """Return a text in quotation marks; of a long one the begin, cut at a word if it has spaces."""
    text = text.strip()
    if len(text) > _MAX_LENGTH:
        begin = text[:_MAX_LENGTH]
        at_word = begin.rpartition(" ")[0]
        text = f"{at_word if len(at_word) > _MAX_LENGTH // 2 else begin} …"
    return f"“{text}”"
