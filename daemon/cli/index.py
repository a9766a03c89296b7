"""Bringing the index up to date."""

import click

from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, say
from daemon.cli.session import ask
from daemon.model.errors import ModelError


@click.command()
@click.option("--no-embed", is_flag=True, help="Index words and links only; needs no model.")
@common
def index(options: Options, *, no_embed: bool) -> None:
    """Bring the index up to date, and say what it holds.

    Exit 1 when the model cannot be had: words and links are indexed all the same.
    """
    report = ask(options, "index", {"embed": not no_embed})
    trouble = report.pop("trouble")
    if options.json:
        emit(report)
    else:
        _tell(report)
    if trouble:
        raise ModelError(f"words and links are indexed, but not meanings: {trouble}")


def _tell(report: dict[str, object]) -> None:
    say(f"{report['notes']} notes, {report['links']} links ({report['unresolved']} lead nowhere)")
    say(
        f"{report['chunks']} chunks: {report['embedded']} embedded, {report['reused']} known"
        f" already; {counted(int(str(report['removed'])), 'note')} gone; {report['seconds']:.1f} s"
    )
    skipped = report["skipped"]
    if isinstance(skipped, list) and skipped:
        say(f"Not read whole ({len(skipped)}):")
        for entry in skipped:
            say(f"  {entry['path']}: {entry['why']}")
