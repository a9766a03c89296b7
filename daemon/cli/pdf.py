"""PDF, made by an optional library."""

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
