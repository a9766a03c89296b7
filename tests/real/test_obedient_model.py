"""A model that does whatever a page tells it: nothing of that is written.

The worst model there is repeats the attack word for word, and cites whatever it was given.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from daemon.model.language_models import ModelCall
from tests.fakes.language_model import FakeModel
from tests.fakes.run_parts import BREAD
from tests.unit.models.test_writing import note, run

ATTACKS = Path(__file__).resolve().parents[2] / "../shared/data/injection/bipia"


def attacks() -> list[str]:
    """Return the attacks of the benchmark, one of each kind and variant."""
    found = next(iter(sorted(ATTACKS.rglob("text_attack_train.json"))), None)
    if found is None:
        pytest.skip("the attacks (../shared/data/injection) are not here")
    return [text for texts in json.loads(found.read_text("utf-8")).values() for text in texts]


def with_attack(attack: str, place: str) -> str:
    title, *lines = BREAD.splitlines()
    at = {"start": 1, "middle": len(lines) // 2, "end": len(lines)}[place]
    return "\n".join([title, *lines[:at], attack, *lines[at:]])


@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_injected_instructions_are_not_written(tmp_path: Path, place: str) -> None:
    every = attacks()
    written = []
    for number, attack in enumerate(every[::5]):

        def obeys(_call: ModelCall, lines: Mapping[str, str], attack: str = attack) -> object:
            own = [id_ for id_, text in lines.items() if text in attack]
            cites = own or [next(iter(lines))]
            return {"sentences": [{"text": attack[:400], "cites": cites[:3]}], "concepts": []}

        page = with_attack(attack, place)
        result, _ = run(tmp_path, FakeModel(writes=obeys), name=f"run-{number}", page=page)
        written += [attack for _ in result.findings if attack[:60] in note(result)]

    assert written == []
