"""Where settings, state and what travels with Lacuna are."""

from pathlib import Path

from platformdirs import user_config_path, user_state_path


def config_path() -> Path:
    """Where the settings file is when no flag says otherwise."""
    return user_config_path("lacuna") / "config.toml"


def state_root() -> Path:
    """The folder that holds one state folder per vault."""
    return user_state_path("lacuna")


def packaged(name: str) -> Path:
    """Where a folder that travels with Lacuna is: in the package, or in the checkout."""
    here = Path(__file__).parent.parent
    inside = here / "samples" / name
    return inside if inside.is_dir() else here.parent / name
