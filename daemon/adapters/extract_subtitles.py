"""Subtitles (SRT, WebVTT) as a text whose places are the times of its captions.

Runs in the process that reads hostile documents.
"""

import re
from typing import Any

import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

from daemon.adapters.extract_plain import decoded
from daemon.model.errors import ExtractError

_MAX_CAPTIONS = 50_000
_PAUSE = 4.0  # seconds between two captions from which a paragraph ends
_MARKUP = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,200}\}")
_SOUND = re.compile(r"^\W*(?:\[[^\[\]]*\]|\([^()]*\)|♪.*)\W*$")
_END = re.compile(r"[.!?…。！？][\"'”’)]*$")


def extract_subtitles(body: bytes) -> dict[str, Any]:
    """Return the fields of an Extracted: captions joined, repeated lines once.

    Raises ExtractError.
    """
    text = decoded(body).lstrip("\ufeff \t\r\n")
    kind = "vtt" if text.startswith("WEBVTT") else "srt"
    try:
        captions = webvtt.from_string(text) if kind == "vtt" else _srt(text)
    except (MalformedCaptionError, MalformedFileError, ValueError, IndexError) as error:
        raise ExtractError("its subtitles are damaged") from error
    return {"extracted_by": "subtitles", **_joined(captions.captions[:_MAX_CAPTIONS])}


def _srt(text: str) -> webvtt.WebVTT:
    lines = text.replace("\r\n", "\n").split("\n")
    return webvtt.from_buffer([f"{line}\n" for line in lines], format="srt")


def _joined(captions: list[webvtt.Caption]) -> dict[str, Any]:
    """Return the text, and the time at which each of its captions begins."""
    text, places, before, ended = "", [], "", 0.0
    for each in captions:
        said = _said(each, before)
        if not said:
            continue
        pause = each.start_in_seconds - ended
        if text:
            text += "\n\n" if pause >= _PAUSE and _END.search(text) else " "
        places.append((len(text), each.start.partition(".")[0]))
        text, before, ended = text + said, said, float(each.end_in_seconds)
    if not text:
        raise ExtractError("it has no captions")
    return {"text": text, "places": places}


def _said(caption: webvtt.Caption, before: str) -> str:
    """Return the lines of a caption that the one before does not end with, without sounds."""
    lines = (" ".join(_MARKUP.sub("", line).split()) for line in caption.text.split("\n"))
    said = [line for line in lines if line and not _SOUND.match(line)]
    while said and before.endswith(said[0]):  # captions that roll up repeat the line before
        said = said[1:]
    return " ".join(said)
