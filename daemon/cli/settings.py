"""Show and change the settings."""

import json

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.usecases import settings as usecase
from daemon.usecases.migration import migrate
from daemon.usecases.settings import SetRequest, SettingRequest


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def config(context: click.Context, options: Options) -> None:
    """Show, change or check the settings."""
    if context.invoked_subcommand is None:
        context.invoke(config_show)


@config.command("show")
@click.option("--all", "everything", is_flag=True, help="Include defaults.")
@common
def config_show(options: Options, *, everything: bool) -> None:
    """Print the settings and where each comes from; with --vault, those of that vault."""
    found = usecase.settings(options)
    if options.json:
        emit(found.as_json())
        return
    say(
        f"# {found.config}"
        + ("" if found.exists else " does not exist; every setting has its default")
    )
    shown = {
        key: setting
        for key, setting in found.settings.items()
        if everything or setting.source != "default"
    }
    for key, setting in shown.items():
        note = f"  # {setting.source}" if setting.source != found.file else ""
        say(f"{key} = {_written(setting.value)}{note}")
    if not everything:
        say(f"# {len(found.settings) - len(shown)} more have default values; show them with --all")
    for name, vault in found.vaults.items():
        say(f"# --vault {name}: {vault}")


@config.command("get")
@click.argument("key")
@common
def config_get(options: Options, *, key: str) -> None:
    """Print the effective value of a setting.

    `vaults.NAME.KEY` is the value for one vault.
    """
    value = usecase.setting(options, SettingRequest(key=key)).value
    if options.json:
        emit(value)
    elif isinstance(value, list):
        for each in value:
            say(str(each))
    elif value is not None:
        say(str(value).lower() if isinstance(value, bool) else str(value))


@config.command("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--default", is_flag=True, help="Reset to the default.")
@common
def config_set(options: Options, *, key: str, value: str | None, default: bool) -> None:
    """Change one setting; comments stay.

    A list is comma-separated or TOML. KEY may be `vaults.NAME.KEY`; with --vault NAME, the
    setting applies to that vault only. A running daemon applies it immediately, or the output
    says what to do.
    """
    if (value is None) is not default:
        raise click.UsageError("give a value, or --default")
    changed = usecase.change(options, SetRequest(key=key, value=value))
    if options.json:
        emit(changed.as_json())
        return
    say(f"{changed.name} = {_written(changed.value)}")
    if value is not None and changed.is_overridden:
        say(f"Saved, but not effective: {changed.source} overrides it.")
    for line in changed.daemon or ():
        say(line)


@config.command("edit")
@common
def config_edit(options: Options) -> None:
    """Open the settings file in your editor, then check it."""
    path = usecase.make_file(options)
    click.edit(filename=path)
    usecase.check(options)
    say(f"{path}: no errors")


@config.command("check")
@common
def config_check(options: Options) -> None:
    """Check the settings file, the environment and sources.yaml; print every error."""
    checked = usecase.check(options)
    if options.json:
        emit(checked.as_json())
    else:
        say(f"{checked.config}: no errors")


@config.command("migrate")
@common
def config_migrate(options: Options) -> None:
    """Replace old names of settings in the file.

    Values and comments stay. Keeps a backup of the original file next to it.
    """
    migrated = migrate(options)
    if options.json:
        emit(migrated.as_json())
        return
    for each in migrated.renamed:
        say(f"{each.old} → {each.new}")
    if migrated.backup is None:
        say(f"{migrated.config}: no old names")
    else:
        say(f"Saved {migrated.config}; the file as it was: {migrated.backup}")


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
