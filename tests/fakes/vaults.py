"""One small vault of each kind that says the same thing in its tool's own way."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from vault_adapters import adapters

BLOCK = "63a1b2c3-1111-2222-3333-444455556666"
SELF = f"(({BLOCK}))"


@dataclass(frozen=True)
class Sample:
    """A vault of one kind.

    The note `first` links, in this order: in its properties to `second` (if `in_properties`), then
    to a part of `second` under another text, to `second` as Markdown does it, to an image that it
    shows, and to itself. `link` writes a link to the note of a name.
    """

    first: str
    second: str
    image: str
    text: str
    files: dict[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ("#one", "#two")
    aliases: tuple[str, ...] = ()
    in_properties: bool = True
    heading: str = "Heading"
    block: str = "block"
    daily: str = "Journal/Monday.md"
    template: str = "Templates/T.md"
    excluded: str = "Old/O.md"
    link: Callable[[str], str] = "[[{}]]".format
    unlinkable: str = ""  # signs in a name that no link can say
    called: dict[str, str] = field(default_factory=dict)  # notes whose names are not their files'

    @property
    def folder(self) -> str:
        """The folder in which notes are, with its `/`."""
        return self.first[: self.first.rfind("/") + 1]

    def note(self, name: str) -> str:
        """The path of the note of a name."""
        return f"{self.folder}{name}.md"

    def write(self, root: Path) -> None:
        """Write the vault, without the files that tests add."""
        canvas = f'{{"nodes": [{{"id": "1", "type": "file", "file": "{self.first}"}}]}}'
        files = {
            self.first: self.text,
            self.second: "# Part\n",
            self.image: "",
            self.daily: "",
            self.template: "# {{title}}",
            self.excluded: "",
            "Map.canvas": canvas,
            ".hidden/h.md": "",
            **self.files,
        }
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")


def _obsidian_text() -> str:
    return """---
aliases: [First]
tags: [one]
up: "[[Second note]]"
---
# Heading

Links: [[Second note#Part|shown]], [text](./Second%20note.md), ![[image.png]], [[#Heading]], #two

A paragraph. ^block
"""


SAMPLES = {
    "obsidian": Sample(
        first="Notes/First.md",
        second="Notes/Second note.md",
        image="Notes/image.png",
        text=_obsidian_text(),
        files={".obsidian/app.json": "{}"},
        aliases=("First",),
        unlinkable="#",
    ),
    "plain": Sample(
        first="Notes/First.md",
        second="Notes/Second note.md",
        image="Notes/image.png",
        text=_obsidian_text(),
        aliases=("First",),
        link=lambda name: f"[text]({quote(name)}.md)",
    ),
    "dendron": Sample(
        first="notes/first.md",
        second="notes/second.note.md",
        image="notes/assets/image.png",
        text="""---
id: abc
title: First
tags: [one]
---
# Heading

Links: [[shown|second.note#part]], [text](second.note.md), ![](/assets/image.png), [[#heading]]

Tagged #two.

A paragraph. ^block
""",
        files={
            "dendron.yml": "workspace:\n  vaults:\n    - fsPath: notes\n    - fsPath: more\n",
        },
        called={
            "notes/both.md": "",
            "more/both.md": "",
            "more/only.here.md": "---\ntitle: Something else\n---\n",
        },
        in_properties=False,
        daily="notes/daily.journal.2026.11.16.md",
        template="notes/template.meeting.md",
        excluded="README.md",
        unlinkable="#",
    ),
    "logseq": Sample(
        first="pages/First.md",
        second="pages/Second___note.md",
        image="assets/image.png",
        text=f"""alias:: First one
tags:: one
up:: [[Second/note]]

- # Heading
  id:: {BLOCK}
	- Links: [shown]([[Second/note]]), [text](Second___note.md), ![](../assets/image.png), {SELF}
	- #two
""",
        files={"logseq/config.edn": "{:file/name-format :triple-lowbar}"},
        aliases=("First one",),
        block=BLOCK,
        daily="journals/2026_11_16.md",
        called={
            "pages/what it was.md": "title:: What it is [now]\n\n- text\n",
            "pages/a%3Ab.md": "- text\n",
            "pages/twice.md": "title:: Second/note\n",
            "pages/Other.md": "title:: Other/name\n",
        },
        excluded="archived/O.md",
    ),
}

assert set(SAMPLES) == {adapter.name for adapter in adapters()}
