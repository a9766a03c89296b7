"""Small answers that are large when unpacked: about 100 MB each, in every encoding of the web."""

import gzip
import zlib
from base64 import b85decode
from collections.abc import Callable
from functools import cache

SIZE = 100_000_000
# 100,000,000 zero bytes as the reference encoder of Brotli packs them.
_BROTLI = b85decode(
    b"&;S2__$L73u|OdA{-6K<|L{)$#9;w|?)^Xi|Nr5i0EojP0Nwk4{{R2OKLHSj1pvDD|NQ^|hkpVf4hsNu"
    b"@Bi~3ydM7qKpYkT=wjCc"
)


@cache
def _gzip() -> bytes:
    return gzip.compress(bytes(SIZE), compresslevel=9)


def _deflate(*, wbits: int) -> bytes:
    squeezer = zlib.compressobj(9, wbits=wbits)
    return squeezer.compress(bytes(SIZE)) + squeezer.flush()


def _zstd() -> bytes:
    """A Zstandard frame of blocks that each say: this byte, 131,072 times over."""
    block = 1 << 17
    count = SIZE // block
    frame = bytearray(b"\x28\xb5\x2f\xfd\x00\x38")  # magic, no flags, a window of 128 KiB
    for number in range(count):
        is_last = number == count - 1
        frame += (block << 3 | 0b10 | is_last).to_bytes(3, "little") + b"\x00"
    return bytes(frame)


# (Content-Encoding, what packs the body) by name.
BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip": ("gzip", _gzip),
    "gzip in many members": ("gzip", lambda: gzip.compress(bytes(1_000_000)) * 100),
    "gzip in gzip": ("gzip, gzip", lambda: gzip.compress(_gzip())),
    "deflate": ("deflate", lambda: _deflate(wbits=zlib.MAX_WBITS)),
    "deflate without a header": ("deflate", lambda: _deflate(wbits=-zlib.MAX_WBITS)),
    "br": ("br", lambda: _BROTLI),
    "zstd": ("zstd", _zstd),
    "br called gzip": ("gzip", lambda: _BROTLI),
    "in capitals": ("GZIP", _gzip),
}
