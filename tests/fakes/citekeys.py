"""A vault of 60 notes named by citekey, with titles in the frontmatter, of open records."""

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

MOST = 60
_LEAST_ABSTRACT = 300  # characters
_WORD = re.compile(r"[a-z]{5,}")


def records(file: Path) -> Iterator[dict[str, object]]:
    """Yield the works that cite a recorded paper: title, authors, year, DOI and abstract."""
    paper = json.loads(file.read_text())
    seen = set()
    for work in paper["citations"]:
        title, authors = work["title"], [author["name"] for author in work["authors"]]
        is_long = len(work["abstract"] or "") > _LEAST_ABSTRACT
        is_whole = title and authors and work["year"] and is_long
        if is_whole and title.casefold() not in seen:
            seen.add(title.casefold())
            doi = (work["externalIds"] or {}).get("DOI", "")
            yield {
                "title": title,
                "authors": authors,
                "year": work["year"],
                "doi": doi,
                "abstract": " ".join(work["abstract"].split()),
            }


def write_vault(file: Path, vault: Path) -> dict[str, str]:
    """Write the notes, each with links to the two that share most words; return path → title."""
    vault.mkdir(parents=True)
    works = {_citekey(work): work for _, work in zip(range(MOST), records(file), strict=False)}
    for key, work in works.items():
        others = sorted(
            (other for other in works if other != key),
            key=lambda other: (-len(_words(work) & _words(works[other])), other),
        )
        properties = {
            name: work[name] for name in ("title", "authors", "year", "doi") if work[name]
        }
        lines = [
            f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in properties.items()
        ]
        links = ", ".join(f"[[{other}]]" for other in others[:2])
        body = f"## Abstract\n\n{work['abstract']}\n\n## Related\n\n{links}\n"
        (vault / f"{key}.md").write_text("\n".join(["---", *lines, "---", body]))
    return {f"{key}.md": str(work["title"]) for key, work in works.items()}


def _citekey(work: dict[str, object]) -> str:
    authors = work["authors"]
    assert isinstance(authors, list)
    surname = re.sub(r"[^A-Za-z]", "", str(authors[0]).split()[-1]) or "Anon"
    mark = blake2b(str(work["title"]).encode(), digest_size=1).hexdigest()
    return f"{surname}{work['year']}-{mark}"


def _words(work: dict[str, object]) -> set[str]:
    return set(_WORD.findall(str(work["title"]).casefold()))
