"""PubMed's E-utilities answers. Runs in the process that reads hostile documents."""

from lxml import etree

from daemon.adapters.extract_xml import root_of, text_of
from daemon.model.errors import ExtractError

_IDS = ".//PubmedData/ArticleIdList/ArticleId"
_DATES = (".//ArticleDate", ".//JournalIssue/PubDate", ".//Book/PubDate")


def extract_numbers(body: bytes) -> list[dict[str, str | list[str]]]:
    """Return the `number` of each article that `esearch` found. Raises ExtractError."""
    return [{"number": text_of(each)} for each in _root(body, "eSearchResult").iter("Id")]


def extract_articles(body: bytes) -> list[dict[str, str | list[str]]]:
    """Return the fields of each article that `efetch` returned. Raises ExtractError."""
    root = _root(body, "PubmedArticleSet")
    return [_article(each) for each in root if each.tag in ("PubmedArticle", "PubmedBookArticle")]


def _root(body: bytes, tag: str) -> etree._Element:
    root = root_of(body, tag)
    if error := text_of(root.find("ERROR")):
        raise ExtractError(f"reports an error: {error[:200]}")
    return root


def _article(article: etree._Element) -> dict[str, str | list[str]]:
    ids = {each.get("IdType"): text_of(each) for each in article.iterfind(_IDS)}
    dates = (_date(found) for place in _DATES if (found := article.find(place)) is not None)
    return {
        "number": _text(article, ".//PMID"),
        "title": _text(article, ".//ArticleTitle") or _text(article, ".//BookTitle"),
        "abstract": [text_of(each) for each in article.iterfind(".//Abstract/AbstractText")],
        "authors": [_author(each) for each in _people(article)],
        "dates": list(dates),
        "doi": ids.get("doi") or _text(article, ".//ELocationID[@EIdType='doi']"),
        "pmc": ids.get("pmc", ""),
        "kinds": [text_of(each) for each in article.iter("PublicationType")],
    }


def _people(article: etree._Element) -> list[etree._Element]:
    """Return the authors; a book lists its editors in the same way."""
    lists = [each for each in article.iter("AuthorList") if each.get("Type") != "editors"]
    return list(lists[0].iterfind("Author")) if lists else []


def _author(person: etree._Element) -> str:
    name = f"{_text(person, 'ForeName')} {_text(person, 'LastName')}".strip()
    return name or _text(person, "CollectiveName")


def _date(date: etree._Element) -> str:
    """Return year, month and day as written, separated by spaces."""
    year = _text(date, "Year") or _text(date, "MedlineDate")[:4]
    return " ".join([year, _text(date, "Month"), _text(date, "Day")]).rstrip()


def _text(node: etree._Element, path: str) -> str:
    return text_of(node.find(path))
