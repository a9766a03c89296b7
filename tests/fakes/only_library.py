"""A user's sources.yaml that leaves on nothing but the library: no test reaches for a network."""

from daemon.adapters.sources import load_registry

ONLY_LIBRARY = "".join(
    f"{name}: {{enabled: false}}\n" for name in load_registry() if name != "library"
)


def only_arxiv(base_url: str) -> str:
    """A user's sources.yaml that leaves on nothing but arXiv, as served at `base_url`."""
    off = (f"{name}: {{enabled: false}}\n" for name in load_registry() if name != "arxiv")
    return "".join(off) + f"arxiv: {{base_url: '{base_url}', max_latency_ms: 60000}}\n"
