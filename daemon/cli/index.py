"""Update the index."""

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import ask
from daemon.model.errors import ModelError
from daemon.model.wording import counted
from daemon.usecases.notes import INDEX, Index, IndexRequest


@click.command()
@click.option("--no-embed", is_flag=True, help="Index words and links only; needs no model.")
@common
def index(options: Options, *, no_embed: bool) -> None:
    """Update the index.

    Exit code 1: the model is unavailable; words and links are indexed anyway.
    """
    report = ask(options, INDEX, IndexRequest(embed=not no_embed))
    if options.json:
        emit(report.without_trouble().as_json())
    else:
        _show(report)
    if report.trouble:
        raise ModelError(f"indexed words and links, but no embeddings: {report.trouble}")


def _show(report: Index) -> None:
    links = counted(report.links, "link")
    say(f"{counted(report.notes, 'note')}, {links} ({report.unresolved} unresolved)")
    say(
        f"{counted(report.chunks, 'chunk')}: {report.embedded} embedded, {report.reused} unchanged;"
        f" {report.removed} removed; {report.seconds:.1f} s"
    )
    if report.skipped:
        say(f"Not fully read ({len(report.skipped)}):")
        for entry in report.skipped:
            say(f"  {entry.path}: {entry.why}")
