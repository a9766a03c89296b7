"""What tests/unit/test_extending.py writes into a copy of the code, by instruction and file."""

from typing import TypeAlias

Edits: TypeAlias = str | list[tuple[str, str]]
"""A new file, or the lines to add to one: each after the text before it, or at the end for ""."""

USE_CASE = '''"""The garden."""

from daemon.app import App
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, NoRequest, Request
from daemon.usecases.query import Query


class Garden(Document):
    """How large the garden is."""

    notes: int


def garden(app: App, _request: NoRequest) -> Garden:
    """Count the notes."""
    return Garden(notes=len(app.stores.notes.all_paths()))


BEDS = Query("beds", NoRequest, Garden, garden)
'''
COMMAND = '''

class PlantRequest(Request):
    """How many to plant."""

    plants: int


class Planted(Document):
    """How many were planted."""

    planted: int


def plant(_work: Work, request: PlantRequest) -> Planted:
    """Plant them."""
    return Planted(planted=request.plants)


PLANT = Command(name="plant", request=PlantRequest, document=Planted, carry_out=plant)
'''
CLI = '''"""The garden."""

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit
from daemon.cli.session import reading
from daemon.usecases.document import NoRequest
from daemon.usecases.garden import garden as use_case


@click.command()
@common
def garden(options: Options) -> None:
    """Count the notes."""
    with reading(options, embed=False) as app:
        emit(use_case(app, NoRequest()).as_json())
'''
FACE = '''"""Answers the queries on the lines of stdin."""

import json
import sys
from collections.abc import Callable
from typing import Any

from daemon.usecases.queries import QUERIES


def serve(answer: Callable[..., Any]) -> None:
    """Answer one query a line."""
    for line in sys.stdin:
        query = QUERIES[line.strip()]
        sys.stdout.write(json.dumps(answer(query, query.request())) + "\\n")
'''
FACE_COMMAND = '''"""Serving on stdout."""

from functools import partial

import click

from daemon.cli.options import Options, common
from daemon.cli.output import warn
from daemon.cli.session import opened
from daemon.faces.lines import serve
from daemon.usecases.invoke import invoke


@click.command()
@common
def lines(options: Options) -> None:
    """Answer on stdout."""
    with opened(options) as app:
        serve(partial(invoke, app, warn))
'''
SOURCE = '''"""Titles, one a line."""

from typing import ClassVar

from daemon.adapters.sources.api import ApiSource
from daemon.model.evidence import Hit


class GardenSource(ApiSource):
    """Asks for `{base_url}/lines`."""

    kind: ClassVar[str] = "garden"

    async def find(self, question: str, limit: int) -> list[Hit]:
        body = (await self.get("/lines", {"q": question})).body.decode()
        type_ = self.parts.entry.source_type
        return [
            Hit(self.name, type_, f"https://example.org/{title}", title)
            for title in body.splitlines()
        ]
'''
ADAPTER = '''"""A garden book."""

from pathlib import Path

from vault_adapters.folder import FolderAdapter


class GardenAdapter(FolderAdapter):
    """A folder with a garden book."""

    name = "garden"

    @staticmethod
    def keeps(root: Path) -> bool:
        return (root / "garden.book").is_file()
'''
PROVIDER = '''"""A model that speaks plain text."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from daemon.model.language_models import Connection


class GardenProvider:
    """Asks `{base_url}/ask`."""

    def __init__(self, connection: Connection, client: httpx2.AsyncClient) -> None:
        self._url, self._client = f"{connection.base_url}/ask", client

    async def ask(
        self, request: Mapping[str, Any], on_text: Callable[[str], None]
    ) -> dict[str, Any]:
        text = (await self._client.post(self._url, content=request["user"])).text
        return {"text": text, "model": request["model"], "finish": "stop"}

    async def models(self) -> list[str]:
        return ["bee"]

    async def close(self) -> None:
        await self._client.aclose()
'''
SECTION = '''"""The garden."""

from pydantic import Field

from daemon.config.section import Section


class GardenSettings(Section):
    """The garden."""

    beds: int = Field(default=3, ge=1, description="Number of beds.")
'''
SOURCES_YAML = """
harbour:
  type: json
  url: "ORIGIN/json"
  arguments: {q: "{query}"}
  results: {records: items, title: title, url: "https://example.org{link}"}
garden: {base_url: "ORIGIN"}
"""
CONFIG = """
vault = "COPY/vault"
[network]
allow_origins = ["ORIGIN"]
[embedding]
model = "words"
[research]
reranker = "off"
patience = 5
[models]
writer = "pond/frog"
checker = "garden/bee"
[models.providers.pond]
kind = "ollama"
base_url = "ORIGIN/pond"
"""
SETTING = '    patience: int = Field(default=1, description="Patience.")\n'
ENTRY = """
garden:
  type: api
  description: Titles from the garden.
  base_url: https://example.org
  source_type: web
  good_for: [gardens]
  rate: {least_interval_seconds: 0.1}
"""
_FEED = "from daemon.adapters.sources.feed import FeedSource\n"
_GARDEN = "from daemon.adapters.sources.garden import GardenSource\n"
_OLLAMA = "from daemon.adapters.llm.ollama import OllamaProvider\n"
_COMMANDS = "places: ClassVar = {\n"
EDITS: dict[str, dict[str, Edits]] = {
    "A service that answers with JSON": {"sources.yaml": SOURCES_YAML},
    "A source": {
        "daemon/adapters/sources/garden.py": SOURCE,
        "daemon/adapters/sources/build.py": [
            (_FEED, _GARDEN),
            ("    FeedSource,\n", "    GardenSource,\n"),
        ],
        "daemon/adapters/sources/sources.yaml": [("", ENTRY)],
    },
    "A vault adapter": {
        "vault_adapters/garden.py": ADAPTER,
        "vault_adapters/__init__.py": [("ADAPTERS = (\n", '    ("garden", "GardenAdapter"),\n')],
    },
    "A use case that only reads": {
        "daemon/usecases/garden.py": USE_CASE,
        "daemon/usecases/queries.py": [
            ('        "ask": "threads.ASK",\n', '        "beds": "garden.BEDS",\n'),
        ],
        "daemon/usecases/examples.json": [("{\n", ' "garden": {"Garden": {"notes": 212}},\n')],
    },
    "A use case that changes something": {
        "daemon/usecases/garden.py": [("", COMMAND)],
        "daemon/usecases/commands.py": [
            ('        "lead": "machines.LEAD",\n', '        "plant": "garden.PLANT",\n'),
        ],
    },
    "A command of the command line": {
        "daemon/cli/garden.py": CLI,
        "daemon/cli/__init__.py": [
            (
                "places: ClassVar = {\n",
                '        "garden": ("daemon.cli.garden", "Count the notes."),\n',
            )
        ],
    },
    "An interface": {
        "daemon/faces/lines.py": FACE,
        "daemon/cli/lines.py": FACE_COMMAND,
        "daemon/cli/__init__.py": [
            (
                "places: ClassVar = {\n",
                '        "lines": ("daemon.cli.lines", "Answer on stdout."),\n',
            )
        ],
    },
    "A model provider with a known API": {"config.toml": CONFIG},
    "A model provider with an API of its own": {
        "daemon/adapters/llm/garden.py": PROVIDER,
        "daemon/model/language_models.py": [
            ('    GEMINI = "gemini"\n', '    GARDEN = "garden"\n'),
            (
                "KNOWN_PROVIDERS: dict[str, tuple[ProviderKind, str]] = {\n",
                '    "garden": (ProviderKind.GARDEN, "ORIGIN"),\n',
            ),
        ],
        "daemon/adapters/llm/providers.py": [
            (_OLLAMA, "from daemon.adapters.llm.garden import GardenProvider\n"),
            (
                "    ProviderKind.OLLAMA: OllamaProvider,\n",
                "    ProviderKind.GARDEN: GardenProvider,\n",
            ),
        ],
    },
    "A setting": {
        "daemon/config/research_section.py": [
            ('    """What is researched, and how far."""\n\n', SETTING)
        ]
    },
    "A section of settings": {
        "daemon/config/garden_section.py": SECTION,
        "daemon/config/table.py": [
            (
                "from typing import Self\n",
                "from daemon.config.garden_section import GardenSettings\n",
            ),
            (
                "    inbox: InboxSettings = Field(default_factory=InboxSettings)\n",
                "    garden: GardenSettings = Field(default_factory=GardenSettings)\n",
            ),
        ],
    },
}
PROGRAM = """
import asyncio, io, json, sys
from contextlib import closing, redirect_stdout
from pathlib import Path
from daemon.cli import cli
from daemon.composition import open_app
from daemon.config import KEYS, load_settings
from daemon.model.language_models import Role
from daemon.ports import Stop
from daemon.usecases import garden, models, writer

config, state = Path("config.toml"), Path("state")
settings = load_settings(config, environ={"LACUNA_GARDEN_BEDS": "7"})
silent = writer.Listener(lambda event: None, print)

def printed(*arguments):
    with redirect_stdout(io.StringIO()) as out:
        cli([*arguments, "--config", "config.toml", "--state", "state"], standalone_mode=False)
    return json.loads(out.getvalue())

def titles(name):
    answer = asyncio.run(app.research.network().sources[name].search("tides", limit=5))
    return [hit.title for hit in answer.hits] or answer.why

with closing(open_app(settings, state=state, config=config)) as app:
    writer.refresh(app, Stop(), silent, embed=False, review=False)
    planted = writer.ask(app, garden.PLANT, garden.PlantRequest(plants=5), Stop(), silent)
    answers = models.test(app, writer.report_to(print)).root
    answered = {each.role: each.why or each.ok for each in answers}
    found = {
        "A service that answers with JSON": titles("harbour"),
        "A source": titles("garden"),
        "A vault adapter": [app.adapter.name, app.stores.notes.all_paths()],
        "A use case that only reads": garden.garden(app, None).as_json(),
        "A use case that changes something": planted.as_json(),
        "A model provider with a known API": answered[Role.WRITER],
        "A model provider with an API of its own": answered[Role.CHECKER],
        "A setting": settings.research.patience,
        "A section of settings": [settings.garden.beds, KEYS["garden.beds"].description],
    }
found["A command of the command line"] = printed("garden")
found["An interface"] = printed("lines")
print(json.dumps(found))
"""
