"""Where a model's cosines lie, by the table or measured on the vault."""

import numpy as np
import pytest

from daemon.index.calibrate import measure, scale_of
from daemon.model.embedding_models import DEFAULT_SCALE, Scale, model_of
from tests.fakes.indexed_vault import IndexedVault

ENGLISH = "The bees are at the hives of the old house, and this is what we saw of it there."


def test_a_scale_puts_cosines_where_the_default_model_has_them() -> None:
    narrow = Scale(unrelated=0.8, similar=0.86)

    assert narrow.similarity(0.8) == pytest.approx(DEFAULT_SCALE.unrelated)
    assert narrow.similarity(0.86) == pytest.approx(DEFAULT_SCALE.similar)
    assert narrow.cosine(narrow.similarity(0.83)) == pytest.approx(0.83)
    assert DEFAULT_SCALE.similarity(0.123456) == 0.123456


def test_models_are_known_by_name_folder_and_digest() -> None:
    assert model_of("intfloat/multilingual-e5-small").query_prefix == "query: "
    assert model_of("multilingual-e5-small#0123456789ab").knows("zh")
    assert not model_of("all-MiniLM-L6-v2").knows("zh")
    assert model_of("somebody/else").knows("zh")


def test_the_scale_is_that_of_random_pairs() -> None:
    rng = np.random.default_rng(0)
    texts = rng.normal(size=(300, 64)) + 2

    scale = measure((texts / np.linalg.norm(texts, axis=1, keepdims=True)).astype(np.float32))

    assert scale is not None
    assert scale.unrelated == pytest.approx(0.8, abs=0.02)
    assert scale.unrelated < scale.similar < 0.9


def test_texts_that_are_all_alike_have_no_scale() -> None:
    assert measure(np.full((50, 4), 0.5, np.float32)) is None


def test_an_unknown_model_is_measured_on_the_vault_and_the_result_is_kept(
    vault: IndexedVault,
) -> None:
    for number in range(120):
        vault.write(f"{number}.md", f"{ENGLISH} subject{number} " + f"theme{number % 7} " * 3)
    vault.sync()
    found = scale_of(vault.notes, "fake")
    vault.reopen()

    assert found not in (DEFAULT_SCALE, Scale(0.0, 0.0))
    assert scale_of(vault.notes, "fake") == found


def test_a_model_of_the_table_is_measured_where_it_does_not_know_the_language(
    vault: IndexedVault,
) -> None:
    name = "sentence-transformers/all-MiniLM-L6-v2"
    vault.write("A.md", ENGLISH)
    vault.sync()
    assert scale_of(vault.notes, name) is model_of(name).scale

    vault.write("A.md", "推荐系统的冷启动问题很难解决。")
    vault.db.set_meta(f"scale {name}", '{"drawn": 1, "scale": [0.3, 0.6]}')
    vault.sync()
    assert scale_of(vault.notes, name) == Scale(0.3, 0.6)
