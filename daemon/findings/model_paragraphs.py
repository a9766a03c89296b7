"""What a language model wrote, as the first paragraphs of a note; its quotes follow below."""

from daemon.findings.safe_links import place_of
from daemon.model.finding import Quote, Written, WrittenSentence
from daemon.model.wording import counted
from vault_adapters.inert import inert_line


def written_text(written: Written | None) -> list[str]:
    """Return the paragraphs: the sentences with links to what they cite, and who wrote them."""
    if written is None:
        return []
    paragraphs = []
    if written.sentences:
        paragraphs.append(" ".join(map(_sentence, written.sentences)))
        count = counted(written.passages, "passage")
        by = inert_line(written.model)
        paragraphs.append(f"*Written by {by} from {count}; every sentence checked.*")
    if written.partial:
        paragraphs.append(f"*{inert_line(written.partial)}*")
    return paragraphs


def _sentence(sentence: WrittenSentence) -> str:
    return " ".join([inert_line(sentence.text), *filter(None, map(_link_to, sentence.cites))])


def _link_to(quote: Quote) -> str:
    link = place_of(quote.passage.text, quote.document)
    name = quote.document.place_at(quote.passage.start)
    return f"[↗]({link})" if link else f"({inert_line(name)})" if name else ""
