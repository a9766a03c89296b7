"""The names of the built-in sources as they are usually spelled, for notes and messages."""

from vault_adapters.inert import inert_line

_NAMES = {
    "arxiv": "arXiv",
    "biorxiv": "bioRxiv",
    "brave": "Brave",
    "brave_news": "Brave's news",
    "clinicaltrials": "ClinicalTrials.gov",
    "coinglass": "CoinGlass",
    "core": "CORE",
    "crossref": "Crossref",
    "crunchbase": "Crunchbase",
    "defillama": "DefiLlama",
    "doaj": "DOAJ",
    "duckduckgo": "DuckDuckGo",
    "edgar": "SEC EDGAR",
    "eurlex": "EUR-Lex",
    "europepmc": "Europe PMC",
    "exa": "Exa",
    "github": "GitHub",
    "hackernews": "Hacker News",
    "jina": "Jina",
    "jina_reader": "Jina Reader",
    "library": "the library",
    "openalex": "OpenAlex",
    "page": "the page itself",
    "perplexity": "Perplexity",
    "pubmed": "PubMed",
    "searxng": "SearXNG",
    "semanticscholar": "Semantic Scholar",
    "serpapi_scholar": "Google Scholar",
    "ssrn": "SSRN",
    "stackexchange": "Stack Exchange",
    "tavily": "Tavily",
    "unpaywall": "Unpaywall",
    "wayback": "the Internet Archive",
    "wikipedia": "Wikipedia",
    "zenodo": "Zenodo",
}


def source_name(name: str) -> str:
    """Return the usual spelling of a source's name."""
    return _NAMES.get(name, inert_line(name))
