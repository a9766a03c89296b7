"""A folder of mixed documents is taken in without a leak; kill -9 in the middle loses and doubles
nothing.

`LACUNA_LONG_TESTS=1` takes 500 documents, and kills twice; else there are 24, and one kill.
"""

import json
import os
import re
import resource
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.fakes.pdf import make_pdf
from tests.fakes.process import WITHOUT_MODEL, Lacuna

pytestmark = [pytest.mark.e2e, pytest.mark.long(6), pytest.mark.timeout(1200)]

LONG = os.environ.get("LACUNA_LONG_TESTS") == "1"
DOCUMENTS, KILLS = (500, 2) if LONG else (24, 1)
MAX_MB = 400  # of the process; it was 122 with 500 documents
GRAINS = ("rye", "oats", "spelt", "barley", "millet", "maize", "wheat", "rice", "teff", "emmer")


def sentences(number: int) -> list[str]:
    grain = f"{GRAINS[number % 10]} of field {number}"
    return [
        f"All about {grain} and its flour",
        f"We found that flour of {grain} keeps for {number + 2} months in the dark.",
        f"We show that bread of {grain} goes stale within {number + 3} days in a fridge.",
        f"Freezing flour of {grain} stops the growth of mites because they need warmth.",
    ]


def markdown(number: int) -> bytes:
    title, *said = sentences(number)
    return "\n\n".join([f"# {title}", *said]).encode()


def page(number: int) -> bytes:
    title, *said = sentences(number)
    body = "".join(f"<p>{each}</p>" for each in said)
    return f"<!doctype html><title>{title}</title><article>{body}</article>".encode()


def pdf(number: int) -> bytes:
    return make_pdf([sentences(number)], title=sentences(number)[0])


def conversation(number: int) -> bytes:
    title, *said = sentences(number)
    messages = [{"sender": "human", "text": each} for each in said]
    return json.dumps([{"uuid": str(number), "name": title, "chat_messages": messages}]).encode()


def subtitles(number: int) -> bytes:
    cues = (f"00:0{at}.000 --> 00:0{at}.900\n{said}\n" for at, said in enumerate(sentences(number)))
    return "\n".join(["WEBVTT\n", *cues]).encode()


def broken(number: int) -> bytes:
    return (b"", b"%PDF-1.7 nothing", b"\x89PNG\r\n", b"PK\x03\x04torn")[number % 4]


KINDS: tuple[tuple[str, Callable[[int], bytes]], ...] = (
    ("md", markdown),
    ("html", page),
    ("pdf", pdf),
    ("json", conversation),
    ("vtt", subtitles),
    ("bin", broken),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of documents of all kinds; every sixth is broken, and archives are in it."""
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(DOCUMENTS):
        suffix, made = KINDS[number % len(KINDS)]
        (folder / f"{number:03}.{suffix}").write_bytes(made(number))
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("conversations.json", conversation(DOCUMENTS))
    return folder


def test_a_killed_ingest_loses_and_doubles_nothing(folder: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Mill.md").write_text("# Mill\n\nWhere flour comes from.\n", encoding="utf-8")
    lacuna = Lacuna(vault, tmp_path / "home", program=WITHOUT_MODEL)
    inbox = vault / "Inbox/Research/Ingest"

    def written(least: int = 0) -> int:
        number = sum(1 for _ in inbox.glob("*.md"))
        return number if number >= least else 0

    for kill in range(1, KILLS + 1):
        running = lacuna.start("ingest", str(folder))
        running.wait_until(partial(written, kill * DOCUMENTS // 6), "notes")
        running.kill()
    found = lacuna.json("ingest", str(folder))
    whole = [number for number in range(DOCUMENTS) if KINDS[number % len(KINDS)][0] != "bin"]
    assert found["failed"] == DOCUMENTS - len(whole)
    assert found["written"] + found["known"] == len(whole) + 1
    assert found["known"] >= DOCUMENTS // 6
    notes = [path.read_text("utf-8") for path in inbox.glob("*.md")]
    fields = Counter(field for text in notes for field in set(re.findall(r"of field (\d+)", text)))
    assert fields == {str(number): 1 for number in [*whole, DOCUMENTS]}
    if LONG:  # in the short form, children of other tests would be measured, too
        assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MAX_MB * 1024
        again = lacuna.json("ingest", str(folder))
        assert (again["written"], again["known"]) == (0, len(whole) + 1)
        assert written() == len(notes)
