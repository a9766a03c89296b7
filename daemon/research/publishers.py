"""Where papers are published: publishers' sites, repositories, and which DOIs belong to them."""

from daemon.research.sites import host_of, is_below

# Sites whose addresses contain the DOI of the page. Anybody can put one into their own address.
_PUBLISHERS = tuple(
    """
    aacrjournals.org academic.oup.com acpjournals.org agu.org ahajournals.org aip.org ajtmh.org
    ametsoc.org annualreviews.org aphapublications.org aps.org ascopubs.org asm.org
    atsjournals.org biomedcentral.com bioone.org bmj.com brill.com cambridge.org cell.com
    copernicus.org cshlp.org degruyter.com degruyterbrill.com direct.mit.edu dl.acm.org
    dovepress.com elifesciences.org elsevier.com embopress.org emerald.com frontiersin.org
    genetics.org geoscienceworld.org healthaffairs.org hindawi.com ieeexplore.ieee.org
    informs.org iopscience.iop.org iucr.org jamanetwork.com jbc.org jmir.org jneurosci.org
    journals.uchicago.edu karger.com liebertpub.com lww.com mdpi.com nature.com nejm.org
    optica.org peerj.com physiology.org plos.org pnas.org portlandpress.com psychiatryonline.org
    psycnet.apa.org pubs.acs.org royalsocietypublishing.org rsc.org rupress.org sagepub.com
    science.org sciencedirect.com sciendo.com scitation.org siam.org spiedigitallibrary.org
    springer.com springeropen.com tandfonline.com thelancet.com thieme-connect.com wiley.com
    worldscientific.com
    """.split()  # noqa: SIM905 a list to read and extend
)
# Moderated collections of papers and of records of them.
_REPOSITORIES = tuple(
    """
    aclanthology.org arxiv.org core.ac.uk doi.org europepmc.org hal.science jstage.jst.go.jp
    jstor.org muse.jhu.edu ncbi.nlm.nih.gov openalex.org openreview.net papers.nips.cc
    proceedings.mlr.press proceedings.neurips.cc projecteuclid.org scielo.br scielo.org
    semanticscholar.org usenix.org
    """.split()  # noqa: SIM905 a list to read and extend
)
# Sites whose addresses redirect to a document's current place.
_RESOLVERS = (
    "doi.org", "handle.net", "n2t.net", "nbn-resolving.de", "nbn-resolving.org", "purl.org",
    "urn.fi", "urn.kb.se", "urn.nb.no",
)  # fmt: skip
# Where known sites store their files; anybody can rent space on the same hosts.
_STORES = ("amazonaws.com", "cloudfront.net", "googleapis.com", "windows.net")
# Where anybody may deposit a file: only one with a DOI of the site is what it claims to be.
_DEPOSITS = {
    "biorxiv.org": ("10.1101/", "10.64898/"),
    "chemrxiv.org": ("10.26434/",),
    "f1000research.com": ("10.12688/",),
    "figshare.com": ("10.6084/", "10.25384/"),
    "medrxiv.org": ("10.1101/", "10.64898/"),
    "osf.io": ("10.17605/", "10.31219/", "10.31222/", "10.31234/", "10.31235/", "10.35542/"),
    "preprints.org": ("10.20944/",),
    "researchsquare.com": ("10.21203/",),
    "ssrn.com": ("10.2139/",),
    "techrxiv.org": ("10.36227/",),
    "wellcomeopenresearch.org": ("10.12688/",),
    "zenodo.org": ("10.5281/",),
}
# Collections whose records have the DOI that an author or a depositor typed, and their own DOIs.
_TYPED = {"arxiv.org": ("10.48550/",), "core.ac.uk": (), "hal.science": (), "openreview.net": ()}
# DOIs that lead only to these sites. Others may be on any publisher's site.
_HOMES = {
    "10.1001/": ("jamanetwork.com",),
    "10.1007/": ("springer.com", "springeropen.com"),
    "10.1016/": ("cell.com", "elsevier.com", "sciencedirect.com", "thelancet.com"),
    "10.1021/": ("pubs.acs.org",),
    "10.1038/": ("nature.com", "springer.com"),
    "10.1056/": ("nejm.org",),
    "10.1073/": ("pnas.org",),
    "10.1080/": ("tandfonline.com",),
    "10.1101/": ("biorxiv.org", "cshlp.org", "medrxiv.org"),
    "10.1103/": ("aps.org",),
    "10.1109/": ("ieeexplore.ieee.org",),
    "10.1126/": ("science.org",),
    "10.1136/": ("bmj.com",),
    "10.1145/": ("dl.acm.org",),
    "10.1371/": ("plos.org",),
    "10.3389/": ("frontiersin.org",),
    "10.3390/": ("mdpi.com",),
    "10.5281/": ("zenodo.org",),
    "10.7554/": ("elifesciences.org",),
}


def is_publishers(url: str) -> bool:
    """Return whether an address that contains a DOI may be that of the DOI's page."""
    host = host_of(url)
    return _is_among(host, _PUBLISHERS) or _is_among(host, _DEPOSITS)


def holds(url: str, doi: str) -> bool:
    """Return whether a page whose address contains `doi` can be that of the work: it belongs
    there.
    """
    host = host_of(url)
    own = [prefixes for site, prefixes in _DEPOSITS.items() if is_below(host, site)]
    if own:
        return doi.startswith(own[0])
    homes = next((sites for prefix, sites in _HOMES.items() if doi.startswith(prefix)), _PUBLISHERS)
    return _is_among(host, homes)


def may_show(url: str, doi: str) -> bool:
    """Return whether the work of `doi`, or of none, may be at an address outside its record."""
    return _is_among(host_of(url), _REPOSITORIES) or (
        holds(url, doi) if doi else _is_among(host_of(url), _PUBLISHERS)
    )


def may_state(url: str, doi: str) -> bool:
    """Return whether a record that lies at `url` can be that of `doi`.

    Where anybody may deposit, only the site's own DOIs can be; a DOI whose home is known is not
    that of a record on another site.
    """
    host = host_of(url)
    own = [prefixes for site, prefixes in (_DEPOSITS | _TYPED).items() if is_below(host, site)]
    if own:
        return doi.startswith(own[0])
    if _is_among(host, _REPOSITORIES):  # doi.org among them; a handle may be of any deposit
        return True
    homes = next((sites for prefix, sites in _HOMES.items() if doi.startswith(prefix)), (host,))
    return _is_among(host, homes)


def is_deposit(url: str, doi: str) -> bool:
    """Return whether what is at `url` was put there by a depositor, who wrote its record."""
    sites = _DEPOSITS | _TYPED
    own = (prefix for prefixes in sites.values() for prefix in prefixes)
    return _is_among(host_of(url), sites) or doi.startswith(tuple(own))


def may_lead_to(url: str, ended: str) -> bool:
    """Return whether a work that an index places elsewhere may be found at the site `ended`.

    A resolver may redirect anywhere, a known site to its file host, and no other site anywhere.
    """
    host = host_of(url)
    is_known = any(_is_among(host, each) for each in (_PUBLISHERS, _REPOSITORIES, _DEPOSITS))
    return _is_among(host, _RESOLVERS) or (is_known and _is_among(host_of(ended), _STORES))


def _is_among(host: str, sites: tuple[str, ...] | dict[str, tuple[str, ...]]) -> bool:
    return any(is_below(host, site) for site in sites)
