"""A tiny BERT with weights drawn at random, its tokenizer, and what it computes, in numpy."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"word{number}" for number in range(60)))
WIDTH, WIDER, HEADS, LAYERS, LONGEST = 32, 64, 4, 2, 16
_CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 20,
}
_MODULES = [
    {"type": f"sentence_transformers.models.{each}"}
    for each in ("Transformer", "Pooling", "Normalize")
]


def weights() -> dict[str, Array]:
    """The tensors by the names of the transformers library."""
    random = np.random.default_rng(7)

    def drawn(*shape: int) -> Array:
        return random.normal(0, 0.2, shape).astype(np.float32)

    shapes = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (WIDER, WIDTH),
        "output.dense": (WIDTH, WIDER),
    }
    found = {
        "embeddings.word_embeddings.weight": drawn(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": drawn(20, WIDTH),
        "embeddings.token_type_embeddings.weight": drawn(2, WIDTH),
    }
    norms = ["embeddings"]
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        for name, shape in shapes.items():
            found[f"{prefix}.{name}.weight"] = drawn(*shape)
            found[f"{prefix}.{name}.bias"] = drawn(shape[0])
        norms += [f"{prefix}.attention.output", f"{prefix}.output"]
    for norm in norms:
        found[f"{norm}.LayerNorm.weight"] = 1 + drawn(WIDTH)
        found[f"{norm}.LayerNorm.bias"] = drawn(WIDTH)
    return found


def write_model(folder: Path, prefix: str = "", **config: str) -> Path:
    """Write the model as sentence-transformers keeps one."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({**_CONFIG, **config}))
    (folder / "modules.json").write_text(json.dumps(_MODULES))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": LONGEST}))
    pooling = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    save_file(
        {f"{prefix}{name}": tensor for name, tensor in weights().items()},
        folder / "model.safetensors",
    )
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def texts(number: int) -> list[str]:
    """Texts of different lengths, some too long."""
    random = np.random.default_rng(3)
    lengths = random.integers(1, 24, number)
    return [
        " ".join(f"word{each}" for each in random.integers(0, 60, length)) for length in lengths
    ]


def embed(asked: Sequence[str]) -> Array:
    """What the model computes for each text, `(n, WIDTH)` of unit length."""
    return np.stack([_vector(text) for text in asked])


def _vector(text: str) -> Array:
    known = weights()
    words = [WORDS.index(word) for word in text.split()][: LONGEST - 2]
    ids = [2, *words, 3]
    x = (
        known["embeddings.word_embeddings.weight"][ids]
        + known["embeddings.position_embeddings.weight"][: len(ids)]
        + known["embeddings.token_type_embeddings.weight"][0]
    )
    x = _normal(x, known, "embeddings")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        seen = _dense(_attended(x, known, prefix), known, f"{prefix}.attention.output.dense")
        x = _normal(x + seen, known, f"{prefix}.attention.output")
        wide = _dense(x, known, f"{prefix}.intermediate.dense")
        wide = (wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))).astype(np.float32)
        x = _normal(x + _dense(wide, known, f"{prefix}.output.dense"), known, f"{prefix}.output")
    mean = x.mean(axis=0)
    unit: Array = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit


def _attended(x: Array, known: dict[str, Array], prefix: str) -> Array:
    parts = [
        _dense(x, known, f"{prefix}.attention.self.{each}").reshape(len(x), HEADS, -1)
        for each in ("query", "key", "value")
    ]
    query, key, value = (part.transpose(1, 0, 2) for part in parts)
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    joined: Array = (shares @ value).transpose(1, 0, 2).reshape(len(x), WIDTH)
    return joined


def _dense(x: Array, known: dict[str, Array], name: str) -> Array:
    product: Array = x @ known[f"{name}.weight"].T + known[f"{name}.bias"]
    return product


def _normal(x: Array, known: dict[str, Array], name: str) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    unit = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    scaled: Array = unit * known[f"{name}.LayerNorm.weight"] + known[f"{name}.LayerNorm.bias"]
    return scaled
