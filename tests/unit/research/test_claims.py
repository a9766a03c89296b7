import time
from collections.abc import Sequence

import numpy as np

from daemon.ports import Vectors
from daemon.research.claims import Claim, Claims, claims_on
from daemon.research.sentences import Sentence
from tests.fakes.embedder import FakeEmbedder

KEEPS = "Oxalic acid kills varroa mites in the hives of winter."
SAME = "In the hives of winter oxalic acid kills varroa mites."
DENIED = "Oxalic acid does not kill varroa mites in the hives of winter."
MAYBE = "Oxalic acid may kill varroa mites in the hives of winter."
PIANO = "A piano is tuned by ear and with a fork at the concert hall."


def _sentence(text: str, start: int = 0) -> Sentence:
    return Sentence(start, start + len(text), text, 0)


def _vectors(texts: Sequence[str]) -> Vectors:
    return FakeEmbedder().embed(texts)


def _claims(*texts: str) -> Claims:
    """Make one claim of each text, each of a document of its own: d0, d1, …"""
    claims = [Claim(f"d{number}", _sentence(text)) for number, text in enumerate(texts)]
    return Claims(claims, _vectors(texts))


def _documents(found: Sequence[tuple[Claim, float]]) -> list[str]:
    return [claim.document for claim, _ in found]


def test_what_says_the_same_is_one_cluster_and_what_denies_it_is_not_in_it() -> None:
    claims = _claims(KEEPS, DENIED, SAME, MAYBE, PIANO)
    assert claims.clusters == ((0, 2),)
    assert _documents(claims.agreeing("d0", _sentence(KEEPS))) == ["d2"]
    assert _documents(claims.opposed("d0", _sentence(KEEPS))) == ["d1"]
    assert set(_documents(claims.opposed("d1", _sentence(DENIED)))) == {"d0", "d2", "d3"}
    assert claims.agreeing("d4", _sentence(PIANO)) == []


def test_every_two_of_a_cluster_agree_whatever_lies_between_them() -> None:
    three = "The hive kept for 3 days in the cold room of the old mill."
    any_ = "The hive kept for days in the cold room of the old mill."
    five = "The hive kept for 5 days in the cold room of the old mill."
    claims = _claims(three, any_, five)
    assert all(len(cluster) == 2 for cluster in claims.clusters)
    assert _documents(claims.differing("d0", _sentence(three))) == ["d2"]


def test_what_names_no_quantity_agrees_with_one_only_if_it_is_very_near() -> None:
    exact = "Oxalic acid trickled in winter killed 95 % of the varroa mites in the colonies."
    close = "Oxalic acid trickled in winter killed most of the varroa mites in the colonies."
    vague = "Oxalic acid in winter is a treatment of varroa mites in colonies like the others."
    claims = _claims(exact, close, vague)
    assert _documents(claims.agreeing("d0", _sentence(exact))) == ["d1"]


def test_a_document_does_not_contradict_itself() -> None:
    sentences = [_sentence(KEEPS), _sentence(DENIED, 100)]
    own = Claims([Claim("d0", each) for each in sentences], _vectors([KEEPS, DENIED]))
    assert own.opposed("d0", sentences[0]) == []


def test_claims_are_the_sentences_about_the_task_and_all_that_is_quoted() -> None:
    task = "oxalic acid varroa mites winter"
    texts = {"a": [KEEPS, PIANO], "b": [PIANO], "c": []}
    sentences = {
        id_: [_sentence(text, 100 * number) for number, text in enumerate(its)]
        for id_, its in texts.items()
    }
    vectors = {
        id_: _vectors(its) if its else np.zeros((0, 64), dtype=np.float32)
        for id_, its in texts.items()
    }
    quotes = {"b": [_sentence(PIANO)]}
    claims = claims_on(_vectors([task]), sentences, vectors, quotes)
    found = [(claim.document, claim.sentence.text) for claim in claims.claims]
    assert found == [("a", KEEPS), ("b", PIANO)]


def test_nothing_claimed_is_no_cluster() -> None:
    assert Claims([], np.zeros((0, 1), dtype=np.float32)).clusters == ()


def test_the_claims_of_forty_documents_take_seconds_at_most() -> None:
    words = "oxalic acid mites hive winter summer brood honey queen drone comb smoke frame sugar"
    kinds = words.split()
    texts = [
        f"{kinds[n % 14]} and {kinds[n % 13]} of the {kinds[n % 11]} were seen {n % 7} times here."
        for n in range(40 * 30)
    ]
    claims = [Claim(f"d{n // 30}", _sentence(text, n)) for n, text in enumerate(texts)]
    began = time.process_time()
    compared = Claims(claims, _vectors(texts))
    found = [len(compared.opposed(claim.document, claim.sentence)) for claim in claims[::30]]
    assert len(found) == 40
    assert compared.clusters
    assert time.process_time() - began < 30  # about two on an idle core
