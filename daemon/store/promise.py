"""What the three kinds of own note have in common: each is promised before it is written."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """A note that is to be in the vault. `path` is vault-relative, `id` its `lacuna_id`."""

    id: str
    path: str
    text: str
