"""The self-check."""

import sys

import click

from daemon.app import App, now
from daemon.cli.options import Options, common
from daemon.cli.output import emit, log_to_stderr, say, warn
from daemon.composition import open_app
from daemon.doctor import Check, Verdict, examine, not_opened
from daemon.doctor import fix as fix_all
from daemon.model.errors import LacunaError
from daemon.usecases.place import settings_of
from vault_adapters.base import VaultError

_MARKS = {
    Verdict.OK: "ok  ",
    Verdict.OFF: "off ",
    Verdict.WARN: "warn",
    Verdict.FAIL: "FAIL",
}


@click.command()
@click.option(
    "--fix", is_flag=True, help="Make the faster copy of the embedding model first, if needed."
)
@common
def doctor(options: Options, *, fix: bool) -> None:
    """Check everything and show how to fix problems. Exit code 1: a check fails."""
    checks = _look(options, is_fixing=fix)
    if options.json:
        emit([_json(each) for each in checks])
    else:
        for each in checks:
            say(f"{_MARKS[each.verdict]}  {each.name:<11} {each.what}")
            if each.hint:
                say(f"{'':<19}try: {each.hint}")
    if any(each.verdict is Verdict.FAIL for each in checks):
        sys.exit(1)


def _look(options: Options, *, is_fixing: bool) -> list[Check]:
    """Check the vault; if it cannot even be opened, report that."""
    log_to_stderr("error")
    try:
        app = open_app(settings_of(options), config=options.config)
    except (LacunaError, VaultError) as error:
        return not_opened(error)
    try:
        if is_fixing:
            _fix(app, options)
        return examine(app, now=now(), config=options.config)
    finally:
        app.close()


def _fix(app: App, options: Options) -> None:
    """Apply the fixes and report them; a failure is reported here or by the following checks."""
    warn("checking for a faster embedding backend; this may take half a minute")
    try:
        for done in fix_all(app, now=now(), config=options.config):
            warn(done)
    except LacunaError as error:
        warn(str(error))


def _json(check: Check) -> dict[str, str]:
    return {
        "name": check.name,
        "verdict": check.verdict.value,
        "what": check.what,
        "hint": check.hint,
    }
