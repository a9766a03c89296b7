"""Compressed answers: whole, cut short, broken, and made to explode."""

import gzip
import tracemalloc
import zlib

import pytest

from daemon.adapters.inflate import Inflater
from daemon.model.errors import FetchError, TooLargeError

TEXT = b"a gap in a manuscript " * 400


def inflate(encoding: str, data: bytes, *, cap: int = 1_000_000, step: int = 50) -> bytes:
    inflater = Inflater(encoding, cap)
    for start in range(0, len(data), step):
        inflater.feed(data[start : start + step])
    return inflater.finish()


def raw_deflate(data: bytes) -> bytes:
    squeezer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return squeezer.compress(data) + squeezer.flush()


@pytest.mark.parametrize("step", [2, 7, 50, 100_000])
def test_every_encoding_gives_the_same_bytes_however_they_arrive(step: int) -> None:
    assert inflate("", TEXT, step=step) == TEXT
    assert inflate("identity", TEXT, step=step) == TEXT
    assert inflate("gzip", gzip.compress(TEXT), step=step) == TEXT
    assert inflate("X-Gzip", gzip.compress(TEXT), step=step) == TEXT
    assert inflate("deflate", zlib.compress(TEXT), step=step) == TEXT
    assert inflate("deflate", raw_deflate(TEXT), step=step) == TEXT


def test_two_gzip_members_are_one_body_and_what_follows_is_ignored() -> None:
    assert inflate("gzip", gzip.compress(TEXT) + gzip.compress(b"more")) == TEXT + b"more"
    assert inflate("gzip", gzip.compress(TEXT) + b"\x00\x00 padding") == TEXT


def test_an_empty_body_is_empty_whatever_it_claims_to_be() -> None:
    assert inflate("gzip", b"") == b""
    assert inflate("deflate", b"") == b""


@pytest.mark.parametrize("kept", [1, 9, 15, 60])
def test_compressed_data_that_is_cut_short_is_an_error(kept: int) -> None:
    with pytest.raises(FetchError, match="truncated"):
        inflate("gzip", gzip.compress(TEXT)[:kept])


def test_broken_compression_is_an_error() -> None:
    with pytest.raises(FetchError, match="broken"):
        inflate("gzip", b"<html>not compressed at all</html>")


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
def test_an_encoding_that_was_not_asked_for_is_an_error(encoding: str) -> None:
    with pytest.raises(FetchError, match="has the encoding"):
        Inflater(encoding, 10)


def test_the_cap_counts_what_comes_out() -> None:
    assert inflate("gzip", gzip.compress(b"x" * 1000), cap=1000) == b"x" * 1000
    with pytest.raises(TooLargeError):
        inflate("gzip", gzip.compress(b"x" * 1001), cap=1000)
    with pytest.raises(TooLargeError):
        inflate("", b"x" * 1001, cap=1000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_never_takes_more_memory_than_the_cap(encoding: str) -> None:
    payload = b"\x00" * 50_000_000
    bomb = gzip.compress(payload) if encoding == "gzip" else zlib.compress(payload)
    del payload
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        inflate(encoding, bomb, cap=1_000_000, step=100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000
