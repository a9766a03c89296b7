"""Where the vaults to measure on are: real ones if they are there, made-up ones in a cache."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from bench.vault import MADE_BY, make_vault

_REAL = Path(__file__).resolve().parents[1] / "../shared/data/vaults"


@dataclass(frozen=True, slots=True)
class Places:
    """`quick` measures on a tenth of the notes, `full` also on what takes many minutes."""

    cache: Path
    quick: bool = False
    full: bool = False

    @property
    def large(self) -> int:
        """How many notes the large vault has."""
        return 2_000 if self.quick else 20_000

    def real(self, name: str) -> Path | None:
        """A real vault by name, or None where it is not at hand."""
        folder = _REAL / name
        return folder if folder.is_dir() else None

    def made(self, notes: int) -> Path:
        """A made-up vault of so many notes; made once and kept."""
        folder = self.cache / f"vault-{MADE_BY}-{notes}"
        if not folder.exists():
            part = folder.with_name(f".{folder.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            make_vault(part, notes)
            part.rename(folder)
        return folder

    def state(self, notes: int) -> Path:
        """Return where the index of a made-up vault is kept between runs."""
        return self.cache / f"state-{MADE_BY}-{notes}"


def usual_cache() -> Path:
    """The folder that made-up vaults are kept in when none is given."""
    return user_cache_path("lacuna-bench")
