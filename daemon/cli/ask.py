"""Ask the notes and the library a question.

As in `search`, hardly anything is imported before a running daemon was asked.
"""

from typing import Any

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded, warn
from daemon.cli.search import query_daemon, slow_part


@click.command()
@click.argument("question", nargs=-1)
@click.option("--thorough", is_flag=True, help="Read more passages, and cite more of them.")
@common
def ask(options: Options, *, question: tuple[str, ...], thorough: bool) -> None:
    """Answer a question from your notes and your library, with a citation for each excerpt.

    Nothing is written, nothing is sent, and no language model is used: an answer is what your notes
    say, word for word.

    Example: lacuna ask "why does bread go stale?"
    """
    if not question:
        raise click.UsageError("give a question")
    request = {"question": " ".join(question), "thorough": thorough}
    found = query_daemon(options, "ask", request)
    if found is None:
        found = slow_part().ask(options, request)
    if options.json:
        emit(found)
        return
    _show(found)


def _show(found: dict[str, Any]) -> None:
    for number, citation in enumerate(found["citations"], 1):
        say(f"{number}. {_place(citation)}")
        say_folded(citation["text"], indent=6)
    if not found["citations"]:
        say("Nothing in your notes or your library answers this.")
        if found["nearest"]:
            say("The closest:")
        for citation in found["nearest"]:
            say(f"   {_place(citation)}")
        say(f'To ask your sources: lacuna research "{found["question"]}"')
    for line in found["remarks"]:
        warn(line)


def _place(citation: dict[str, Any]) -> str:
    heading = (
        f" › {citation['heading']}" if citation["heading"] not in ("", citation["name"]) else ""
    )
    line = f":{citation['line']}" if citation["line"] else ""
    return f"{citation['name']}{heading} ({citation['path']}{line})"
