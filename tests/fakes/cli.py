"""The command line inside the test's own process, which saves the seconds that a start takes."""

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from daemon.cli import main
from tests.fakes.named import named

NOTES = {
    "Sourdough.md": (
        "---\ntags: [bread]\n---\n# Sourdough\n\nFlour, water and time, raised by [[Wild yeast]]."
        " The crust needs steam, see [[Steam in the oven]]. Staling is told of in [[Staling]].\n\n"
        "Resting flour and water before kneading is [[Autolyse]].\n"
    ),
    "Wild yeast.md": (
        "# Wild yeast\n\nYeast and bacteria raise the dough of [[Sourdough]]. Its crumb goes stale"
        " more slowly, see [[Staling]]. After [[Autolyse]] the dough is easier to stretch.\n"
    ),
    "Baking/Steam in the oven.md": (
        "# Steam in the oven\n\nSteam keeps the crust of [[Sourdough]] soft until it has risen.\n"
    ),
    "Baking/Lonely crumb.md": "# Lonely crumb\n\nA crumb that nobody links to, and of few words.\n",
    "Broken.md": "---\ntags: [unclosed\n---\n# Broken\n\nIts properties are no YAML.\n",
}
LIBRARY = {
    "staling.md": (
        "# Why bread goes stale\n\nStaling is not drying. Bread goes stale because the starch in"
        " its crumb turns back into crystals, which takes water from the gluten around it. Staling"
        " is fastest a little above freezing, so that bread in the fridge goes stale sooner than"
        " bread on the counter. Warming stale bread melts the crystals again for a while.\n"
    )
}


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left: its exit code, and what it said on stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout; anything else there, and any failure, is an error."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line of a command that failed, without its beginning."""
        assert self.code == 1, (self.code, self.out, self.err)
        return self.one_line

    @property
    def one_line(self) -> str:
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("lacuna: ")
        return lines[0].removeprefix("lacuna: ")


@dataclass(frozen=True, slots=True)
class Cli:
    """Runs commands as `lacuna` would, in a home folder of their own."""

    home: Path
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *arguments: str | Path, text: str = "") -> Done:
        self.capsys.readouterr()
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["lacuna", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.StringIO(text))
            patch.setattr("daemon.cli.own_process.begin", lambda: None)  # a test's own process
            code = _code_of_main()
        reported = self.capsys.readouterr()
        return Done(code, reported.out, reported.err)

    @property
    def config(self) -> Path:
        return self.home / ".config" / "lacuna" / "config.toml"

    @property
    def sources(self) -> Path:
        return self.config.with_name("sources.yaml")

    def settings(self, **values: Any) -> None:
        """Replace the settings file; `agenda__veto_hours` stands for `agenda.veto_hours`."""
        lines = [
            f"{key} = {json.dumps(value, default=str)}" for key, value in named(values).items()
        ]
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text("\n".join(lines), encoding="utf-8")

    def environment(self, **variables: str) -> None:
        for name, value in variables.items():
            self.monkeypatch.setenv(name, value)


def _code_of_main() -> int:
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def lay_out(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder and return it."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
