"""Parse one file of a vault: a note or a canvas."""

from vault_adapters.canvas import parse_canvas
from vault_adapters.markdown import parse_note
from vault_adapters.note import Note


def parse(path: str, data: bytes, *, plain: bool) -> Note:
    """Parse a note or canvas by its name; no content is an error."""
    read = parse_canvas if path.lower().endswith(".canvas") else parse_note
    return read(path, data, plain=plain)
