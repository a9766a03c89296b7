"""A report as an HTML page of its own, without scripts, images or requests."""

import nh3

from daemon.faces.web.safe_html import cleaned
from daemon.usecases.report_pages import page_text, rendered, title_of

_PAGE = """\
<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 serif; }}
table {{ border-collapse: collapse; }} td, th {{ border: 1px solid #999; padding: .3rem .5rem; }}
td {{ vertical-align: top; }} h1, h2, h3 {{ line-height: 1.2; }}
</style></head><body>
{body}
</body></html>
"""


def as_page(note: str) -> str:
    """Return a note as an HTML page that does nothing."""
    body = cleaned(rendered(note), {"http", "https"})
    return _PAGE.format(title=nh3.clean_text(title_of(page_text(note))), body=body)
