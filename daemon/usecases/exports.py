"""What formats documents are exported to, by the ending of a file.

The module of each is imported when it is first used.
"""

from collections.abc import Callable, Mapping
from typing import Any

from daemon.usecases.registry import Registry

CITATION_FORMATS: Mapping[str, Callable[[Any], str]] = Registry(
    {
        "bib": "bibliography.as_bibtex",
        "graphml": "runs.graphml",
        "ris": "bibliography.as_ris",
    }
)
"""Functions of `Citations`."""
