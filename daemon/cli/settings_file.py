"""The settings file as the user keeps it: comments and all else in it stay."""

from collections.abc import Callable
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from daemon.config import check_settings
from daemon.model.errors import LacunaError, SettingsError

_FIRST_LINES = (
    "# Lacuna's settings. `docs/settings.md` lists them all; what is not here has its default.\n"
)


def edit_settings(path: Path, edit: Callable[[tomlkit.TOMLDocument], None]) -> None:
    """Change the settings file with `edit`, or make it; it is replaced whole or not at all.

    What would not be valid afterwards is not written. Raises SettingsError, LacunaError.
    """
    try:
        text = path.read_text("utf-8") if path.is_file() else _FIRST_LINES
        document = tomlkit.parse(text)
        edit(document)
        edited = tomlkit.dumps(document)
        check_settings(edited, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()  # a link, as dotfiles are kept, stays one
        draft = target.with_name(f".{target.name}.tmp")
        draft.write_text(edited, "utf-8")
        draft.replace(target)
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise LacunaError(f"{path}: {error.strerror}") from None
