"""A page's date comes from its metadata or a dateline, never from a year in its text."""

import lxml.html
import pytest

from daemon.adapters.page_date import page_date
from daemon.adapters.page_metadata import metas_of

PROSE = "<p>The appendix follows the standard of 1999, and was discussed on March 3, 2001.</p>"


def dated(head: str, body: str) -> str:
    page = f"<html><head><title>Tides</title>{head}</head><body>{body}</body></html>"
    tree = lxml.html.document_fromstring(page)
    return page_date(tree, metas_of(tree))


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("", f"<h1>Tides</h1>{PROSE}", ""),
        ("", f"<h1>Tides</h1>{PROSE}<footer>© 2010-2024 The Harbour</footer>", ""),
        ("", f"<h1>Tides</h1>{PROSE}<div id='footer-text'>Last updated 2024-05-31</div>", ""),
        ("", f"<nav>May 1, 2020</nav><h1>Tides</h1>{PROSE}", ""),
        (
            "<meta property='article:published_time' content='2021-04-05T01:02:03Z'>",
            PROSE,
            "2021-04-05",
        ),
        ("<meta property='og:url' content='https://a.org/2019/11/20/x'>", PROSE, "2019-11-20"),
        ("<meta name='DC.date' content='2019-07-08'>", PROSE, "2019-07-08"),
        ("<meta property='article:modified_time' content='2021-04-05'>", PROSE, ""),
        (
            """<script type='application/ld+json'>{"dateModified": "2020-02-03"}</script>""",
            PROSE,
            "",
        ),
        (
            """<script type='application/ld+json'>{"datePublished": "2020-02-03"}</script>""",
            PROSE,
            "2020-02-03",
        ),
        (
            "",
            f"<h1>Tides</h1><p>By Ada Ebb | Updated Mar 3, 2020 | 5 min read</p>{PROSE}",
            "2020-03-03",
        ),
        ("", f"<h1>Tides</h1><p>3. März 2020</p>{PROSE}", "2020-03-03"),
        ("", f"<h1>Tides</h1><p>2022年11月2日</p>{PROSE}", "2022-11-02"),
        (
            "",
            f"<h1>Tides</h1><pre>*t*  Last change: 2021 Apr 24\n\nIn 1999</pre>{PROSE}",
            "2021-04-24",
        ),
        (
            "",
            f"<h1>Tides</h1>{PROSE}<time itemprop='datePublished' datetime='2011-02-11'>x</time>",
            "2011-02-11",
        ),
        ("", f"<h1>Tides</h1><p>11-29-2024</p>{PROSE}", "2024-11-29"),
        ("", f"<h1>Tides</h1><p>05/06/2020</p>{PROSE}", "2020"),
    ],
)
def test_a_date_is_stated_and_never_guessed(head: str, body: str, expected: str) -> None:
    assert dated(head, body) == expected
