"""The self-check."""

import sys

import click

from daemon.cli.logs import log_to_stderr
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, warn
from daemon.cli.progress import patience
from daemon.doctor import Verdict
from daemon.usecases.checks import ChecksRequest, checks
from daemon.usecases.writer import report_to

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
    log_to_stderr("error")
    line = "copying the model and comparing the copy: this can take a few minutes"
    with patience(line if fix else "checking") as show:
        found = checks(options, ChecksRequest(fix=fix), warn, report_to(show))
    if options.json:
        emit(found.as_json())
    else:
        for each in found.root:
            say(f"{_MARKS[each.verdict]}  {each.name:<11} {each.what}")
            if each.hint:
                say(f"{'':<19}try: {each.hint}")
    if found.has_failed:
        sys.exit(1)
