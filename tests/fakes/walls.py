"""Pages in front of pages, in the shapes that sites send them, and articles that look like them."""

from pathlib import Path

import yaml

_TABLE: dict[str, dict[str, str]] = yaml.safe_load(
    Path(__file__).with_suffix(".yaml").read_text("utf-8")
)
ARTICLES = _TABLE.pop("article")
WALLS = {f"{kind}: {name}": html for kind, pages in _TABLE.items() for name, html in pages.items()}
