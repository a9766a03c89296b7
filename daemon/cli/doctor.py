"""The self-check."""

import sys

import click

from daemon.app import now, open_app
from daemon.cli.options import Options, common
from daemon.cli.output import emit, log_to_stderr, say
from daemon.cli.session import settings_of
from daemon.doctor import Check, Verdict, examine, not_opened
from daemon.model.errors import LacunaError
from vault_adapters.base import VaultError

_MARKS = {
    Verdict.OK: "ok  ",
    Verdict.OFF: "off ",
    Verdict.WARN: "warn",
    Verdict.FAIL: "FAIL",
}


@click.command()
@common
def doctor(options: Options) -> None:
    """Check everything, and say what to do where it fails. Exit 1 when something does."""
    checks = _look(options)
    if options.json:
        emit([_json(each) for each in checks])
    else:
        for each in checks:
            say(f"{_MARKS[each.verdict]}  {each.name:<11} {each.what}")
            if each.hint:
                say(f"{'':<19}try: {each.hint}")
    if any(each.verdict is Verdict.FAIL for each in checks):
        sys.exit(1)


def _look(options: Options) -> list[Check]:
    """Examine the vault; when it cannot even be opened, that is what was found."""
    log_to_stderr("error")
    try:
        app = open_app(settings_of(options), config=options.config)
    except (LacunaError, VaultError) as error:
        return not_opened(error)
    try:
        return examine(app, now=now(), config=options.config)
    finally:
        app.close()


def _json(check: Check) -> dict[str, str]:
    return {
        "name": check.name,
        "verdict": check.verdict.value,
        "what": check.what,
        "hint": check.hint,
    }
