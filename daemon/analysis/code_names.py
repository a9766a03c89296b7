"""The commands and functions that a note uses, and the lines of a manual that introduce them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from daemon.analysis.vault_names import name_key

MAX_TERM_LENGTH = 90  # characters of a line that introduces something
_MAX_COMMAND = 2  # words: a program and what it is to do, as in "git log"
_OFTEN = 2  # times that a note has a name that it is about
_MIN_LETTERS = 4  # of a name that means something without its program
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1[^\n]*$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_PROMPT = re.compile(r"^\s*(?:[$❯➜%]|\w*[#>]) (?P<line>\S.*)$", re.MULTILINE)
_NEXT_COMMAND = re.compile(r"\||&&|;")
_WORD = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_FUNCTION = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\.\w+)*)\([^`]*\)")
_IDENTIFIER = re.compile(r"\w*[^\W_]_[^\W_]\w*")
_COMPOUND = re.compile(r"(?<![\w-])[^\W\d_]\w*(?:-[\"“'‘]?\w+)+(?!\w|-)")
_LETTERS = re.compile(r"[^\W_]+")
_SETTING = re.compile(r"\\[a-z]{3,}|[A-Za-z]\w*_\w+")
_PAGE = re.compile(r"\s*([\w.+-]+)(?:\(\d\w?\)|\s[-–—]\s)")  # "git-log(1) Manual Page", "ls — list"
_EARLIER = r"(?:--?[^\s,]+(?:[ =][^\s,]+)?, ?)*"  # the options before one on its line
_COMMAND_QUERY = re.compile(rf"(?P<words>{_WORD.pattern}(?: {_WORD.pattern})?) (?P<name>--?[\w-]+)")


def without_identifiers(text: str, topic: str) -> str:
    """Return a text with `X` for each name with an underscore, unless a topic has such a name.

    A part of such a name is no word: `quorum_trackstart` says nothing of quorums.
    """
    return text if _IDENTIFIER.search(topic) else _IDENTIFIER.sub("X", text)


def without_parts(text: str, topic: str) -> str:
    """Return a text without identifiers, and with `X` for each compound that a topic does not have.

    Semi-supervised learning is not supervised.
    """
    own = f" {_words(topic)} "
    return _COMPOUND.sub(
        lambda found: found[0] if f" {_words(found[0])} " in own else "X",
        without_identifiers(text, topic),
    )


def _words(text: str) -> str:
    return " ".join(_LETTERS.findall(text.casefold()))


@dataclass(frozen=True, slots=True)
class CodeName:
    """An option with its command, or the name of a function or a setting.

    `words` are the words of the command: ("git", "log") of `git log -p`; none of a function, whose
    `setting` is the name of the folder that the note is in.
    """

    words: tuple[str, ...]
    name: str
    is_called: bool = False  # as a function, with brackets

    @property
    def pattern(self) -> str:
        """Return the regular expression of the name where it stands alone."""
        return rf"(?<![\w-]){re.escape(self.name)}(?![\w-])"

    @property
    def query(self) -> str:
        """Return the name as a person would look it up."""
        return " ".join((*self.words, f"{self.name}()" if self.is_called else self.name))

    def is_named_by(self, title: str) -> bool:
        """Return whether a document with this title may explain it: of an option, the manual of
        its command, and of no other ("git-grep(1)" is not the manual of `grep`).
        """
        command = name_key(" ".join(self.words)).split()
        page = _PAGE.match(title)
        words = name_key(page[1] if page else title).split()
        return words == command if page and command else words[: len(command)] == command

    def is_introduced_by(self, line: str) -> bool:
        """Return whether a line of a manual introduces it: "-c, --bytes=NUM", "divmod(a, b)"."""
        line = line.strip().removeprefix("- ").strip(" `*#¶")
        if len(line) > MAX_TERM_LENGTH:
            return False
        name = re.escape(self.name)
        if self.name.startswith("-"):
            return bool(re.match(_EARLIER + self.pattern, line))
        if self.is_called:
            return bool(re.match(rf"(?:(?:class|async|coroutine) )?{name}\s?\(", line))
        opens = "" if self.name.startswith("\\") else r"\s?\("
        return bool(re.match(rf"{name}(?!\w){opens}", line))


def code_name(query: str) -> CodeName | None:
    """Return the code name that a query consists of, or None."""
    if found := _COMMAND_QUERY.fullmatch(query):
        return CodeName(tuple(found["words"].split()), found["name"])
    if found := _FUNCTION.fullmatch(query):
        return CodeName((), found["name"], is_called=True) if _is_distinct(found["name"]) else None
    return CodeName((), query) if _SETTING.fullmatch(query) else None


def code_names(body: str) -> list[CodeName]:
    """Return the code names that a note is about, in order: those that it has more than once.

    An option counts if the prose names it and a command uses it.
    """
    prose = _FENCE.sub("\n", body)
    spans = [found[1].strip() for found in _SPAN.finditer(prose)]
    named = {found[0] for span in spans for found in _OPTION.finditer(span)}
    lines = [*spans, *_shell_lines(body)]
    options = [each for line in lines for each in _options(line) if each.name in named]
    others = [found for span in spans if not _OPTION.search(span) and (found := code_name(span))]
    names = dict.fromkeys((*options, *others))
    return [each for each in names if len(re.findall(each.pattern, body)) >= _OFTEN]


def is_introduced(name: CodeName, text: str) -> bool:
    """Return whether a manual with this text introduces a code name on a line of its own."""
    return name.name in text and any(map(name.is_introduced_by, text.split("\n")))


def _shell_lines(body: str) -> Iterator[str]:
    """Yield the commands in the fenced code of a note: after a prompt, or all where none has
    one.
    """
    for fence in _FENCE.finditer(body):
        typed = [found["line"] for found in _PROMPT.finditer(fence[2])]
        yield from typed or fence[2].split("\n")


def _options(line: str) -> Iterable[CodeName]:
    """Yield each option in a line with the command before it."""
    for part in _NEXT_COMMAND.split(line):
        words = part.removeprefix("sudo ").split()
        command: list[str] = []
        for word in words:
            if not _WORD.fullmatch(word) or len(command) == _MAX_COMMAND:
                break
            command.append(word)
        for word in words[len(command) :] if command else ():
            option = word.partition("=")[0]
            if _OPTION.fullmatch(option):
                yield CodeName(tuple(command), option)


def _is_distinct(name: str) -> bool:
    return len(name) >= _MIN_LETTERS and ("." in name or "_" in name or not name.islower())
