"""A reader's notes as Markdown, for whoever looks into the folder of a run."""

from collections.abc import Mapping, Sequence

from daemon.models.passages import Reading, SourcePassages


def reader_notes(shard: Sequence[SourcePassages], readings: Mapping[str, Reading | None]) -> str:
    """Return per source its contribution, abstract and methods, word for word."""
    parts = []
    for source in shard:
        reading, texts = readings.get(source.id), {line.id: line.text for line in source.lines}
        parts.append(f"# {source.title}\n\n<{source.url}>")
        if reading is None:
            parts.append("Omitted: it was not read.")
            continue
        parts.append(f"**Contribution:** {texts.get(reading.contribution, 'none')}")
        for head, ids in (("Abstract", reading.abstract), ("Methods", reading.methods)):
            lines = [f"- {texts[id_]} [{id_}]" for id_ in ids if id_ in texts]
            if lines:
                parts.append("\n".join([f"**{head}**", "", *lines]))
    return "\n\n".join(parts) + "\n"
