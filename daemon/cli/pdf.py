"""PDF, made by an optional library."""

import sys
from collections.abc import Callable

from daemon.cli.group import things_of
from daemon.model.errors import LacunaError


def pdf_converter() -> Callable[[str], bytes]:
    """Return what makes a PDF. Raises LacunaError if its library is not installed."""
    try:
        found: Callable[[str], bytes] = things_of("daemon.usecases.report_pdf")["as_pdf"]
    except ImportError:
        raise LacunaError("PDF needs Typst: pip install 'lacuna-daemon[pdf]'") from None
    return found


def main() -> None:
    """Convert the note on stdin; for a server, which would keep the memory of the library."""
    try:
        sys.stdout.buffer.write(pdf_converter()(sys.stdin.buffer.read().decode()))
    except LacunaError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
