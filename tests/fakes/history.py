"""A long history of a vault: what a person, an editor and a sync program do to it, by chance."""

import json
import os
import random
import re
import shutil
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from tests.fakes.indexed_vault import IndexedVault

_WORDS = "bees", "sourdough", "an octave", "latency", "rope", "日本語", "Äpfel", "a tombstone"
_NAMES = "Kettle", "Violin", "rosin", "Ends in v1.2", "Überblick", "🍀 luck", "a (b)", "日本", "CON"
_SUFFIXES = (*[".md"] * 8, ".canvas", ".png", ".sync-conflict-20261121-101112-ABCDEFG.md")
_KEPT = 200  # files that were deleted or overwritten and may come back


class History:
    """Does one deed after the other to the files of a vault; `moved_only` since it was reset."""

    def __init__(self, vault: IndexedVault, chance: random.Random) -> None:
        self._vault = vault
        self._chance = chance
        self._kept: deque[tuple[str, bytes]] = deque(maxlen=_KEPT)
        self.moved_only = True
        self.done: list[str] = []
        self._deeds: list[tuple[Callable[[], str], int, bool]] = [
            (self._append, 10, False),
            (self._remove_paragraph, 6, False),
            (self._link, 10, False),
            (self._properties, 4, False),
            (self._new, 5, False),
            (self._copy, 2, False),
            (self._save_by_replacing, 4, False),
            (self._restore, 8, False),
            (self._settings, 1, False),
            (self._symlink, 1, False),
            (self._touch, 2, True),
            (self._rename, 8, True),
            (self._other_form, 2, True),
            (self._move, 8, True),
            (self._swap, 2, False),
            (self._move_folder, 4, True),
            (self._delete, 6, True),
            (self._delete_folder, 1, True),
        ]

    def go_on(self) -> None:
        """Do one more deed."""
        weights = [weight for _, weight, _ in self._deeds]
        ((deed, _, only_moves),) = self._chance.choices(self._deeds, weights)
        self.done.append(f"{deed.__name__.strip('_')} {deed()}")
        self.moved_only = self.moved_only and only_moves

    def _files(self, suffix: str = "") -> list[str]:
        return sorted(
            folder + name
            for folder, names in _walk(self._vault.root)
            for name in names
            if name.endswith(suffix)
        )

    def _folders(self) -> list[str]:
        return sorted(folder for folder, _ in _walk(self._vault.root))

    def _note(self) -> str:
        here = self._vault.root
        notes = [path for path in self._files(".md") if not (here / path).is_symlink()]
        return self._chance.choice(notes) if notes else self._new()

    def _free(self, path: str) -> str:
        """Return `path`, or the like of it that is not taken."""
        stem, dot, suffix = path.rpartition(".")
        number = 1
        while os.path.lexists(self._vault.root / path):
            number += 1
            path = f"{stem} {number}{dot}{suffix}" if dot and "/" not in suffix else f"{path} 2"
        return path

    def _text(self, path: str) -> str:
        return (self._vault.root / path).read_bytes().decode("utf-8", "replace")

    def _write(self, path: str, text: str) -> str:
        if (self._vault.root / path).is_file():
            self._keep(path)
        self._vault.write(path, text)
        return path

    def _keep(self, path: str) -> None:
        self._kept.append((path, (self._vault.root / path).read_bytes()))

    def _sentence(self) -> str:
        borrowed = re.split(r"(?<=[.!?])\s", self._text(self._note()))
        words = self._chance.sample(_WORDS, 2)
        return f"{self._chance.choice(borrowed)[:200]} {' and '.join(words)}."

    def _append(self) -> str:
        path = self._note()
        heading = self._chance.choice(["", "", "## Later\n\n"])
        return self._write(path, f"{self._text(path)}\n\n{heading}{self._sentence()}\n")

    def _remove_paragraph(self) -> str:
        path = self._note()
        parts = self._text(path).split("\n\n")
        parts.pop(self._chance.randrange(len(parts)))
        return self._write(path, "\n\n".join(parts))

    def _link(self) -> str:
        path, to = self._note(), self._chance.choice([*self._files(), f"{self._name()}.md"])
        if self._kept and self._chance.random() < 0.2:
            to = self._chance.choice(self._kept)[0]  # that is not there, and may come back
        whole, name = to.removesuffix(".md"), to.rpartition("/")[2].removesuffix(".md")
        relative = os.path.relpath(to, os.path.dirname(path) or ".")  # noqa: PTH120 a vault's path
        links = (
            *(f"[[{name}]]", f"[[{whole}|shown]]", f"![[{name}]]", f"[[{name}#Later]]"),
            *(f"[text]({quote(relative)})", f"[text](<{to}>)", f"[[{name.upper()}]]"),
        )
        return self._write(path, f"{self._text(path)}\n{self._chance.choice(links)}\n")

    def _properties(self) -> str:
        path = self._note()
        body = re.sub(r"\A---\n.*?\n---\n", "", self._text(path), flags=re.DOTALL)
        name = self._note().rpartition("/")[2].removesuffix(".md").replace('"', "")
        lines = [f"tags: [{self._chance.choice('abc')}]", f'up: "[[{name}]]"', "aliases: [Kettle]"]
        chosen = self._chance.sample(lines, self._chance.randrange(4))
        return self._write(path, "\n".join(["---", *chosen, "---", body]) if chosen else body)

    def _name(self) -> str:
        name, number = self._chance.choice(_NAMES), self._chance.randrange(30)
        return f"{name} {number}" if number < 20 else name

    def _new(self) -> str:
        suffix = self._chance.choice(_SUFFIXES)
        path = self._free(f"{self._chance.choice(self._folders())}{self._name()}{suffix}")
        text = f"# {self._name()}\n\n[[{self._name()}]] and {self._chance.choice(_WORDS)}\n"
        if suffix == ".canvas":
            notes = self._files(".md")[:3]
            nodes = [{"id": note, "type": "file", "file": note} for note in notes]
            text = json.dumps({"nodes": [*nodes, {"id": "t", "type": "text", "text": text}]})
        return self._write(path, text)

    def _copy(self) -> str:
        path = self._note()
        return self._write(self._free(path), self._text(path))

    def _save_by_replacing(self) -> str:
        """As editors do it: into another file, which takes the name of the first."""
        path = self._note()
        text = f"{self._text(path)}\n{self._sentence()}\n"
        self._keep(path)
        self._vault.write(f"{path}.tmp", text)
        self._vault.move(f"{path}.tmp", path)
        return path

    def _restore(self) -> str:
        if not self._kept:
            return "nothing"
        path, data = self._chance.choice(self._kept)
        if (self._vault.root / path).is_dir() or not _can_be(self._vault.root / path):
            return "nothing"
        self._vault.write(path, data)
        if self._chance.random() < 0.5:  # with the time it once had
            seconds = 1_700_000_000 + self._vault.written  # never twice the same
            os.utime(self._vault.root / path, (seconds, seconds))
        return path

    def _settings(self) -> str:
        """Obsidian's own settings change, which no watcher tells of."""
        folder = self._vault.root / ".obsidian"
        if not folder.is_dir():
            return "nothing"
        excluded = self._chance.sample(self._folders(), 1)
        (folder / "app.json").write_text(json.dumps({"userIgnoreFilters": excluded}))
        self._vault.reported.add("")
        return repr(excluded)

    def _symlink(self) -> str:
        path = self._free(f"{self._chance.choice(self._folders())}{self._name()}.md")
        note = self._vault.root / self._note()
        (self._vault.root / path).symlink_to(note)
        self._vault.reported.add(path)
        return path

    def _touch(self) -> str:
        path = self._note()
        self._vault.touch(path)
        return path

    def _rename(self) -> str:
        path = self._note()
        new = f"{path.rpartition('/')[0]}/{self._name()}.md".lstrip("/")
        return self._moved(path, new)

    def _other_form(self) -> str:
        """The same name in another case, or in another form of Unicode."""
        path = self._note()
        folder, slash, name = path.rpartition("/")
        forms = (name.swapcase(), *(unicodedata.normalize(form, name) for form in ("NFC", "NFD")))
        stem = self._chance.choice(forms)
        return self._moved(path, f"{folder}{slash}{stem[:-3]}.md")

    def _move(self) -> str:
        path = self._chance.choice(self._files() or [self._new()])
        new = self._chance.choice([*self._folders(), f"{self._name()}/", f"{self._name()}/deep/"])
        return self._moved(path, new + path.rpartition("/")[2])

    def _moved(self, path: str, new: str) -> str:
        if new != path and _can_be(self._vault.root / new):
            new = self._free(new)
            self._vault.move(path, new)
        return f"{path} to {new}"

    def _swap(self) -> str:
        one, two = self._note(), self._note()
        if one != two:
            self._vault.move(one, f"{one}.tmp")
            self._vault.move(two, one)
            self._vault.move(f"{one}.tmp", two)
        return f"{one} and {two}"

    def _move_folder(self) -> str:
        folders = self._folders()[1:]
        if not folders:
            return "nothing"
        old = self._chance.choice(folders)
        into = self._chance.choice([folder for folder in ["", *folders] if old not in folder])
        new = self._free(f"{into}{self._chance.choice([self._name(), old.split('/')[-2]])}")
        self._vault.move(old.rstrip("/"), new)
        return f"{old} to {new}"

    def _delete(self) -> str:
        path = self._note()
        self._keep_if_file(path)
        self._vault.delete(path)
        return path

    def _delete_folder(self) -> str:
        folders = [f for f in self._folders()[1:] if len(self._below(f)) < 40]
        if not folders:
            return "nothing"
        folder = self._chance.choice(folders)
        for path in self._below(folder):
            self._keep_if_file(path)
        shutil.rmtree(self._vault.root / folder)
        self._vault.reported.add(folder.rstrip("/"))
        return folder

    def _below(self, folder: str) -> list[str]:
        return [path for path in self._files() if path.startswith(folder)]

    def _keep_if_file(self, path: str) -> None:
        if (self._vault.root / path).is_file():
            self._keep(path)


def _walk(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder, "" or with a `/` at its end, and the names of the files in it."""
    for folder, folders, names in os.walk(root):
        folders[:] = (name for name in folders if not name.startswith("."))
        path = os.path.relpath(folder, root)
        yield "" if path == "." else f"{path}/", [n for n in names if not n.startswith(".")]


def _can_be(path: Path) -> bool:
    """Whether there can be such a file: nothing above it is one."""
    return not any(above.is_file() for above in path.parents)
