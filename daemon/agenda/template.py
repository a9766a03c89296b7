"""Whether a note is a template: with placeholders that are still to be filled in. Pure."""

import re

# Code shows placeholders without using them.
_CODE = re.compile(
    r"^(`{3,}|~{3,}).*?(?:^\1[`~]*[ \t]*$|\Z)|(`+)(?!`).+?(?<!`)\2(?!`)", re.M | re.S
)
# Templater: <% tp.date.now() %>. Its commands come in several kinds: <%*, <%+, <%_, <%-, <%#.
_TEMPLATER = re.compile(r"<%[-_*+~#]?.*?%>", re.DOTALL)
# Obsidian's own templates, QuickAdd, Dendron: a bare word in double braces, perhaps with a format.
# Words with arguments (Logseq's macros) and clozes ({{c1::…}}) do not count.
_FILLED_IN = re.compile(
    r"\{\{\s*(?:title|date|time|datetime|today|tomorrow|yesterday|value|vdate|name|cursor|folder|field"
    r"|file_?name|selected|content|current_[a-z_]+|fm_[a-z_]+)\s*(?::[^{}\n]*)?\}\}",
    re.IGNORECASE,
)


def is_template(text: str) -> bool:
    """Return whether `text` contains, outside code, placeholders of Templater and the like."""
    if "<%" not in text and "{{" not in text:
        return False
    prose = _CODE.sub("", text)
    return bool(_TEMPLATER.search(prose) or _FILLED_IN.search(prose))
