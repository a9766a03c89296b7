"""The user's own documents: the progress of their index, adding some, and searching."""

from collections.abc import Iterator
from pathlib import Path

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import ask, opened
from daemon.model.errors import LacunaError, ModelError
from daemon.model.wording import counted
from daemon.usecases import library as usecase
from daemon.usecases.library import Library, LibrarySearchRequest, ScanRequest
from daemon.usecases.library_folders import AddRequest, add
from daemon.usecases.liveness import has_daemon
from daemon.usecases.place import settings_file

_SHOWN = 5  # documents that could not be read


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def library(context: click.Context, options: Options) -> None:
    """Index and search your own documents."""
    if context.invoked_subcommand is None:
        context.invoke(library_status)


@library.command("status")
@common
def library_status(options: Options) -> None:
    """Show how many documents are indexed, and which could not be read."""
    with opened(options) as app:
        found = usecase.library(app)
    if options.json:
        emit(found.as_json())
        return
    _require_a_folder(found, options)
    for label, line in library_lines(found, unread=_SHOWN):
        say(f"{label:<8} {line}")


@library.command("add")
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH..."
)
@common
def library_add(options: Options, *, paths: tuple[Path, ...]) -> None:
    """Add folders or files to the library; files stay where they are.

    Adds them to the settings. Run `lacuna service reload` to apply this to a running daemon;
    otherwise the next `lacuna library scan` or `lacuna research` indexes them.
    """
    added = add(options, AddRequest(paths=paths))
    if options.json:
        emit(added.as_json())
        return
    for path in added.added:
        say(f"Added {path}")
    say("Index it now with `lacuna library scan`, or apply it to a running daemon with")
    say("`lacuna service reload`.")


@library.command("scan")
@common
def library_scan(options: Options) -> None:
    """Index new and changed documents, and retry failures.

    A running daemon does this in the background. Ctrl-C keeps completed work. Exit code 1: no
    library folder exists, or the model is unavailable and the library is searched by words
    only.
    """
    with opened(options) as app:
        _require_a_folder(usecase.library(app), options)
        is_running = has_daemon(app)
        if is_running:
            found = usecase.compare(app)
    if not is_running:
        found = ask(options, usecase.SCAN, ScanRequest())
    if options.json:
        emit(found.as_json())
    elif is_running:
        say(f"{found.read} of {counted(found.files, 'document')} indexed so far.")
        say("The daemon indexes the rest in the background: see `lacuna library status`.")
    else:
        say(f"{counted(found.documents, 'document')}, {counted(found.passages, 'passage')}")
        for entry in found.unread[:_SHOWN]:
            say(f"could not read {entry.path}: {entry.why}")
    if found.trouble and not is_running:
        raise ModelError(f"indexed by words only: {found.trouble}")


@library.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--limit",
    default=10,
    show_default=True,
    type=click.IntRange(1, 100),
    help="Maximum number of documents.",
)
@common
def library_search(options: Options, *, query: tuple[str, ...], limit: int) -> None:
    """Search the indexed documents."""
    request = LibrarySearchRequest(query=" ".join(query), limit=limit)
    with opened(options) as app:
        found = usecase.search(app, request)
    if options.json:
        emit(found.hits.as_json())
        return
    for each in found.hits.root:
        say(each.title)
        say(f"    {each.path}")
        say(f"    {each.passage[:300]}")
    if not found.hits.root:
        say("Nothing found.")
    if found.read < found.files:
        say(f"{found.read} of {counted(found.files, 'document')} indexed so far.")
    if found.trouble:
        say(f"Searched by words only: {found.trouble}")


def library_lines(library: Library, *, unread: int = 0) -> Iterator[tuple[str, str]]:
    """Yield (label, line) of the library's progress, and of at most `unread` failures."""
    left = library.time_left
    line = f"{counted(library.files, 'document')}, {counted(library.passages, 'passage')}"
    if not library.is_read:
        line = f"{library.read} of {counted(library.files, 'document')} indexed{left}"
    elif library.embedded < library.documents and not library.trouble:
        line += f"; {library.embedded} of {library.documents} embedded{left}"
    yield "library", line
    for root in library.missing:
        yield "", f"there is no folder or file {root}"
    if library.unreadable:
        yield "", f"{counted(library.unreadable, 'document')} could not be read"
    for entry in library.unread[:unread]:
        yield "", f"{entry.path}: {entry.why}"


def _resolved(options: Options, root: Path) -> str:
    """Explain the base of a relative path of the settings, for a path that may have been one."""
    folder = settings_file(options).parent
    is_below = root.is_relative_to(folder)
    return f" (a relative path starts at the settings file's folder, {folder})" if is_below else ""


def _require_a_folder(library: Library, options: Options) -> None:
    """Report on stderr missing paths of the settings. Raises LacunaError if all are missing."""
    named = [f"{root}{_resolved(options, Path(root))}" for root in library.missing]
    if named and len(named) == len(library.roots):
        raise LacunaError(
            f"there is no folder or file {', '.join(named)}: mount it, or correct it with"
            " `lacuna config set library.folder FOLDER`"
        )
    for name in named:
        click.echo(f"there is no folder or file {name}", err=True)
