"""Texts that a real model writes about documents drawn at random, for somebody to judge.

LACUNA_TEST_MODEL names the weights; the model writes and checks. The command `lacuna
research` runs on a copy of the sample vault, with a library of the sample documents and of papers,
abstracts, web pages and PDF files drawn by LACUNA_SEED, one question after the other until
`_WANTED` texts are written; it goes on where it was interrupted. The folder `reports/judge` of the
cache gets one file for each text: its sentences, what they cite, and what surrounds that.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import tomlkit

from bench.model_server import serving, weights
from bench.model_work import DATA
from bench.places import Places
from bench.table import Row
from daemon.adapters.extract import ChildExtractor
from daemon.config import packaged
from daemon.model.errors import ExtractError
from daemon.models.checking import FAILED, REFUSED, UNREAD

_SHARED = DATA.parent
_WANTED, _QUICK = 20, 2  # texts
_PER_KIND, _OTHERS = 12, 20  # documents with a question, and abstracts without
_PAPERS = 3  # they are long
_TOGETHER = 6  # questions of one command
_AROUND = 500  # characters before and after what is cited
_SHORTEST = 2000  # characters of a PDF file or a page that a question is asked about
_LONGEST = 120  # characters of a question
_THREADS = 1  # more spin while they wait for each other, where others use the processor


@dataclass(frozen=True, slots=True)
class Text:
    """What a run wrote about one question; `folder` is that of the run."""

    folder: Path
    finding: str
    written: dict[str, Any]

    @property
    def sentences(self) -> list[dict[str, Any]]:
        return list(self.written["sentences"])


def rows(places: Places) -> Iterator[Row]:
    """Write, prepare the files for the reader, and count."""
    path = weights()
    if path is None or not DATA.is_dir():
        yield Row("reports", "not measured: set LACUNA_TEST_MODEL to a GGUF file")
        return
    home = places.cache / "reports"
    wanted = _QUICK if places.quick else _WANTED
    if not (home / "config.toml").exists():
        _prepare(home, random.Random(os.environ.get("LACUNA_SEED", "1")))
    asked = json.loads((home / "questions.json").read_text("utf-8"))
    with serving(path, threads=_THREADS) as url:
        _configure(home, url)
        for topics in batched(asked):
            if sum(bool(each.sentences) for each in _texts(home)) >= wanted:
                break
            _research(home, topics)
    texts = _texts(home)
    _for_the_reader(home / "judge", [each for each in texts if each.sentences])
    yield from _rows(texts)


def _rows(texts: Sequence[Text]) -> Iterator[Row]:
    kept = [sentence for each in texts for sentence in each.sentences]
    removed = Counter(
        "checker" if one["why"].endswith((FAILED, UNREAD, REFUSED)) else "checks"
        for each in texts
        for one in each.written["removed"]
        if one["text"]
    )
    yield Row(f"findings with a text, of {len(texts)}", str(sum(bool(x.sentences) for x in texts)))
    yield Row("sentences that the model wrote", str(len(kept) + removed.total()))
    yield Row("… removed by the checks", str(removed["checks"]))
    yield Row("… removed by the checker", str(removed["checker"]))
    yield Row("… in the notes", str(len(kept)))
    unfetched = sum(
        not _is_there(x, cite) for x in texts for s in x.sentences for cite in s["cites"]
    )
    yield Row("citations of something that was not fetched", str(unfetched), reached=not unfetched)


def _prepare(home: Path, chance: random.Random) -> None:
    """Make the vault, the library and the questions; "" asks about the gaps of the vault."""
    shutil.rmtree(home, ignore_errors=True)
    library = home / "library"
    shutil.copytree(packaged("sample_vault"), home / "vault")
    shutil.copytree(packaged("sample_library"), library)
    drawn = (_papers(chance), _abstracts(chance), _pages(chance), _pdfs(chance))
    questions = [""]
    for name, body, question in filter(None, chain.from_iterable(zip_longest(*drawn))):
        (library / name).write_bytes(body)
        questions += [question] if question else []
    (home / "questions.json").write_text(json.dumps(questions, ensure_ascii=False, indent=1))


_Drawn = Iterator[tuple[str, bytes, str]]


def _papers(chance: random.Random) -> _Drawn:
    content = json.loads((DATA / "covidqa_dev.json").read_text("utf-8"))
    papers = [one for each in content["data"] for one in each["paragraphs"]]
    for number, paper in enumerate(chance.sample(papers, _PAPERS)):
        yield (
            f"paper-{number}.txt",
            paper["context"].encode(),
            chance.choice(paper["qas"])["question"],
        )


def _abstracts(chance: random.Random) -> _Drawn:
    content = json.loads((DATA / "pubmedqa_dev.json").read_text("utf-8"))
    for number, each in enumerate(chance.sample([*content.values()], _PER_KIND + _OTHERS)):
        question = each["QUESTION"] if number < _PER_KIND else ""
        yield f"abstract-{number}.txt", "\n\n".join(each["CONTEXTS"]).encode(), question


def _pages(chance: random.Random) -> _Drawn:
    folder = _SHARED / "html" / "wcxb_dev"
    for truth in chance.sample(sorted((folder / "ground-truth").glob("*.json")), _PER_KIND):
        page = next((folder / "html").glob(f"{truth.stem}.*"))
        title = json.loads(truth.read_text("utf-8"))["ground_truth"]["title"]
        yield f"page-{page.name}", page.read_bytes(), title


def _pdfs(chance: random.Random) -> _Drawn:
    found = sorted((_SHARED / "pdf").rglob("*.pdf"))
    extractor = ChildExtractor()
    try:
        for path in chance.sample(found, len(found)):
            body = path.read_bytes()
            try:
                read = extractor.extract(body, content_type="application/pdf", url=path.as_uri())
            except ExtractError:
                continue
            if len(read.text) >= _SHORTEST:
                first = read.text.strip().partition("\n")[0]
                yield path.name, body, (read.title or first)[:_LONGEST]
    finally:
        extractor.close()


def _configure(home: Path, url: str) -> None:
    model = "llamacpp/measured"
    settings = {
        "vault": "vault",
        "state": "state",
        "library": {"folder": "library"},
        "research": {"max_findings": 20},
        "models": {
            **dict.fromkeys(("writer", "checker"), model),
            "tokens_per_run": 0,
            "tokens_per_day": 0,
            "tokens_per_month": 0,
            "call_seconds": 3600.0,
            "run_seconds": 86_400.0,
            "providers": {"llamacpp": {"kind": "openai", "base_url": url, "context": 4096}},
        },
    }
    (home / "config.toml").write_text(tomlkit.dumps(settings), "utf-8")


def batched(asked: Sequence[str]) -> Iterator[list[str]]:
    """Yield "" alone, then the other questions."""
    others = [each for each in asked if each]
    yield [""]
    yield from (others[at : at + _TOGETHER] for at in range(0, len(others), _TOGETHER))


def _research(home: Path, topics: Sequence[str]) -> None:
    """Run the command, unless it ran for these questions before."""
    done = home / "done.json"
    asked = json.loads(done.read_text("utf-8")) if done.exists() else []
    if topics[0] in asked:
        return
    program = str(Path(sys.executable).with_name("lacuna"))
    command = [program, "research", "--config", str(home / "config.toml"), "--source", "library"]
    command += ["--", *topics] if topics[0] else []
    print(f"  {topics if topics[0] else 'the gaps of the vault'}", file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    done.write_text(json.dumps([*asked, *topics], ensure_ascii=False), "utf-8")


def _texts(home: Path) -> list[Text]:
    """Return what was written in all runs, in their order."""
    files = sorted((home / "state" / "runs").glob("*/models/written.json"))
    return [
        Text(path.parents[1], finding, written)
        for path in files
        for finding, written in json.loads(path.read_text("utf-8")).items()
    ]


def _is_there(text: Text, cite: dict[str, Any]) -> bool:
    path = text.folder / "documents" / f"{cite['document']}.txt"
    stored = path.read_text("utf-8") if path.exists() else ""
    return bool(cite["text"]) and stored[cite["start"] : cite["end"]] == cite["text"]


def _for_the_reader(folder: Path, texts: Sequence[Text]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, each in enumerate(texts, start=1):
        parts = [f"# Text {number}", " ".join(one["text"] for one in each.sentences)]
        for place, sentence in enumerate(each.sentences, start=1):
            parts += [f"## Sentence {number}.{place}", sentence["text"]]
            parts += chain.from_iterable(_cited(each.folder, one) for one in sentence["cites"])
        (folder / f"{number:02}.md").write_text("\n\n".join(parts) + "\n", "utf-8")


def _cited(folder: Path, cite: dict[str, Any]) -> list[str]:
    stem = folder / "documents" / cite["document"]
    text = stem.with_suffix(".txt").read_text("utf-8")
    hit = json.loads(stem.with_suffix(".json").read_text("utf-8"))["document"]["hit"]
    around = text[max(cite["start"] - _AROUND, 0) : cite["end"] + _AROUND]
    quoted = "\n".join(f"> {line}" for line in around.splitlines())
    return [f"It cites “{hit['title']}”:", f"> {cite['text']}", "What surrounds it there:", quoted]
