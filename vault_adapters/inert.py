"""Turn untrusted text into Markdown that shows the text and does nothing.

There are two kinds of reader. Markdown parsers honour backslash escapes, and most of the work here
is such escapes: invisible to a reader, gone when rendered. Many plugins search the raw text with a
pattern of their own and ignore backslashes; for them every token of two characters is split between
the two (`[\\[`, `:\\:`, `%\\%`), and the three tokens that are one character and a word (`#tag`,
`^id`, `<tag`) are written as entities, which render as the same character and match no pattern. So
is a colon at the end, where one of ours may follow.
"""

import json
import re
import unicodedata
from collections.abc import Iterator

# Invisible characters, and characters that change how others look. They carry hidden text and split
# tokens, so they are removed first: controls (C0, C1, DEL), soft hyphen, combining grapheme joiner,
# bidi marks, embeddings, overrides and isolates, zero-width characters and joiners, invisible
# operators, blank fillers (Hangul, Khmer), variation selectors, interlinear, shorthand, musical and
# hieroglyphic controls, tag characters, non-characters.
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffc\ufffe\uffff\U00013430-\U00013455\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    + "".join(f"{chr(n + 0xFFFE)}{chr(n + 0xFFFF)}" for n in range(0x10000, 0x110000, 0x10000))
    + "]"
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n{3,}")

# The characters that may follow in a tag, a block id or an HTML tag decide whether it is one.
_LIVE = re.compile(
    r"""
      (?P<tag>\#(?=[^\s!-,.:-@\[-^`{-~]))     # any character that Obsidian takes into a tag
    | (?P<block>\^(?=[A-Za-z0-9-]+[ ]*$))     # a block id ends its line
    | (?P<html><(?=[A-Za-z/!?%]))             # HTML, comments, Templater
    | (?P<colon>:\Z)                          # a colon of ours may come next
    | (?P<escape>
          [\\`*\[\]<>$^|~{}\#]                # alive nearly everywhere
        | &(?=\#?[A-Za-z0-9]+;)               # an entity
        | (?<![^\W_])_ | _(?![^\W_])          # emphasis; inside a word it is only a character
        | (?<=:): | (?<=:)/(?=/)              # inline fields; addresses of any scheme
        | (?<==)=                             # highlights
        | %(?=[%>}]) | (?<=[%<{])%            # comments, templates
        | (?<=[(\]])\( | (?<=\))\)            # link targets, block references
        | (?<=\S)@(?=\S)                      # mail addresses
        | (?<=[wW]{3})\.                      # addresses without a scheme
        | !\Z                                 # what follows may be a link of ours
      )
    """,
    re.VERBOSE | re.MULTILINE,
)
# Where a line would begin a list, a rule, frontmatter, an underlined heading, a fence or a numbered
# list, or is the question mark that separates the sides of a flash card; the backslash goes after
# the match.
_LINE_START = re.compile(r"^(?:\d+(?=[.)](?: |$))|(?=[-+=:]|\?+$))", re.MULTILINE)
_ENTITIES = {"tag": "&num;", "block": "&Hat;", "html": "&lt;", "colon": "&colon;"}
_OF_ENTITY = {"&num;": "#", "&Hat;": "^", "&lt;": "<", "&colon;": ":"}
_DISARMED = re.compile(rf"\\([^\w\s])|{'|'.join(_OF_ENTITY)}")
_PROPERTY_TOKENS = re.compile(r"(?<=\[)\[|(?<=\])\]|(?<=<)%|(?<=%)>|(?<=\{)\{|(?<=\})\}")
# `Code`, "$x_1$" and "$$ … $$", but not "$5 and $6"; what a formula may have, and what it may not.
_FORMULA = re.compile(
    r"(?<![`\\])`[^`\n]+`(?!`)"
    r"|\$\$[^$]+\$\$|(?<![\w$\\])\$(?=\S)[^$]*?(?<=[^\s\\])\$(?![\w$])"
)
_IN_FORMULA = re.compile(r"[\w\s$\\{}^+\-*/=(),.;:|'&\[\]!<>~]+")
_ACTS_IN_FORMULA = re.compile(
    r"\\(?:href|url|require|def|gdef|edef|let|newcommand|renewcommand|newenvironment|style|class"
    r"|cssId|html\w*|data|unicode|includegraphics|input|write|special|catcode|csname|verb\w*"
    r"|bbox|definecolor|toggle|mathtip|texttip|action\w*|enclose|label|tag|ref|eqref)\b"
    r"|<[A-Za-z/!?%]|::"
)
_ACTS_IN_CODE = re.compile(
    r"^`\s*(?:\$?=|(?:js|dv|dvjs|tasks|query):|(?:INPUT|VIEW|BUTTON)\b|button-)"
    r"|::|<[A-Za-z/!?%]|%>|%\}|\{[{%]|\}\}|\[[^\\]?\]|\[\[|\]\]|\]\(|!\[|\[[\^!]|\^\[|%%|~~"
    r"|\*\*|__\w|://|www\.|\w@\w|#\w|\$"
)
_LESS = re.compile(r"<(?=[A-Za-z/!?%])")
_PAIRS = re.compile(r"\[\[|\]\]|!\[|\]\(|\[\^|\^\[|\[[^\\]\]|\{\{|\(\(|://|==|~~|\*\*|__\w")


# File names: characters that file systems, sync programs or wikilinks do not accept.
_NAME_SWAPS = str.maketrans(
    {
        **dict.fromkeys("/\\|:", "-"),
        **dict.fromkeys('"`', "'"),
        **dict.fromkeys("[{", "("),
        **dict.fromkeys("]}", ")"),
        **dict.fromkeys("#^*?<>%", None),
    }
)
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=\.|$)")
# With " 12345" and ".md" this stays under 143 bytes, the lowest limit of a common file system.
NAME_BYTES = 130


def visible(text: str) -> str:
    """Return the visible part of `text`: nothing invisible, lines trimmed, `\\n` line ends.

    Runs of blank lines become one, tabs become spaces, and half a surrogate pair becomes U+FFFD.
    """
    text = _LINE_END.sub("\n", text).replace("\t", " ")
    text = _LONE_SURROGATE.sub("\ufffd", _DROPPED.sub("", text))
    lines = "\n".join(line.strip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", lines).strip()


def inert(text: str) -> str:
    """Return Markdown that renders as `visible(text)` and does nothing, line by line.

    It may be used at the start of a line, after `> `, `- `, or between other text.
    """
    return _disarm(visible(text))


def inert_line(text: str) -> str:
    """Return the same on one line, for headings, list items and the text of links."""
    return _disarm(" ".join(visible(text).split()))


def quoted_line(text: str) -> str:
    """Return a line of the user's own notes: inert, but with its formulas and its code as they
    are written.

    A formula is kept only if it consists of plain signs and of commands that draw, code only if no
    plugin could carry it out.
    """
    parts: list[str] = []
    end = 0
    line = " ".join(visible(text).split())
    for found in _FORMULA.finditer(line):
        formula = _LESS.sub("< ", found[0])  # no tag of HTML
        if found[0].startswith("`"):
            shown = _code_shown(found[0])
            parts += [_disarm(line[end : found.start()]), shown]
            end = found.end()
        elif _is_drawn(formula):
            parts += [_disarm(line[end : found.start()]), formula]
            end = found.end()
    return "".join([*parts, _disarm(line[end:])])


def _code_shown(code: str) -> str:
    """Return code in a line; as text, without its marks, if a plugin could carry it out."""
    return _disarm(code.strip("`")) if _ACTS_IN_CODE.search(code) else code


def _is_drawn(formula: str) -> bool:
    plain = _IN_FORMULA.fullmatch(formula) is not None
    return plain and not (_ACTS_IN_FORMULA.search(formula) or _PAIRS.search(formula))


def text_of_inert(text: str) -> str:
    """Return what `inert` or `inert_line` made inert, as a reader sees it."""
    return _DISARMED.sub(lambda found: found[1] or _OF_ENTITY[found[0]], text)


def yaml_text(value: object) -> str:
    """Return a double-quoted YAML scalar on one line that reads back as `value`'s visible text.

    Editors rewrite properties when one of them changes, so quoting cannot keep a token inert: `[[`,
    `]]`, `<%`, `%>`, `{{` and `}}` get a space between their two characters.
    """
    return _quoted(_PROPERTY_TOKENS.sub(r" \g<0>", " ".join(visible(str(value)).split())))


def yaml_link(path: str) -> str:
    """Return a property value that links to the note at the vault-relative `path`.

    A path that a wikilink cannot contain is written as text.
    """
    if visible(path) != path or re.search(r"[\[\]|#^\n]|<%|%>|\{\{|\}\}", path):
        return yaml_text(path)
    return _quoted(f"[[{path.removesuffix('.md')}]]")


def safe_name(title: str, *, suffix: str = ".md", max_bytes: int = NAME_BYTES) -> str:
    """Return a file name stem for `title`, safe on every platform and in wikilinks.

    It has at most `max_bytes` of UTF-8, cut between user-perceived characters. The caller will
    append `suffix`; it is removed from the end of the title.
    """
    name = unicodedata.normalize("NFC", visible(title)).translate(_NAME_SWAPS)
    name = _trimmed(" ".join(name.split()), suffix)
    name = _trimmed(
        _cut(name, max_bytes - 1), suffix
    )  # one byte is reserved for the mark of a reserved name
    return _RESERVED.sub(r"\1_", name) if _RESERVED.match(name) else name or "Untitled"


def _trimmed(name: str, suffix: str) -> str:
    while True:
        trimmed = name.strip(" .~")
        if suffix and trimmed[-len(suffix) :].lower() == suffix.lower():
            trimmed = trimmed[: -len(suffix)]
        if trimmed == name:
            return name
        name = trimmed


def _cut(name: str, max_bytes: int) -> str:
    kept, size = [], 0
    for cluster in _clusters(name):
        size += len(cluster.encode())
        if size > max_bytes:
            break
        kept.append(cluster)
    return "".join(kept)


def _clusters(text: str) -> Iterator[str]:
    """Split into user-perceived characters: marks and skin tones stay with their base."""
    cluster = ""
    for char in text:
        if cluster and not _continues(cluster, char):
            yield cluster
            cluster = ""
        cluster += char
    if cluster:
        yield cluster


def _continues(cluster: str, char: str) -> bool:
    if "\U0001f1e6" <= char <= "\U0001f1ff":  # flags are pairs of regional indicators
        return len(cluster) == 1 and "\U0001f1e6" <= cluster <= "\U0001f1ff"
    return unicodedata.category(char).startswith("M") or "\U0001f3fb" <= char <= "\U0001f3ff"


def _quoted(text: str) -> str:
    # JSON strings are valid double-quoted YAML scalars if nothing unprintable is left unescaped.
    return json.dumps(text, ensure_ascii=False)


def _disarm(text: str) -> str:
    return _LINE_START.sub(r"\g<0>\\", _LIVE.sub(_broken, text))


def _broken(match: re.Match[str]) -> str:
    kind = match.lastgroup or "escape"
    return _ENTITIES.get(kind) or f"\\{match[0]}"
