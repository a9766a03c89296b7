"""Decode gzip and deflate with a limit on the output, so that a bomb stays small."""

import zlib

from daemon.model.errors import FetchError, TooLargeError

ACCEPT_ENCODING = "gzip, deflate"
_GZIP = 16 + zlib.MAX_WBITS
_MEMBERS = 1000  # gzip members may follow each other; this many are never needed


class Inflater:
    """Takes an answer's bytes as they arrive, and returns them decoded, at most `cap` in total."""

    def __init__(self, encoding: str, cap: int) -> None:
        """Raises FetchError for an `encoding` that was not requested."""
        self._encoding = encoding.strip().lower()
        if self._encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise FetchError(
                f"the answer has the encoding {self._encoding[:40]!r}, which was not requested"
            )
        self._cap = cap
        self._decoder: zlib._Decompress | None = None
        self._members = 0
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> None:
        """Decode one piece. Raises TooLargeError past the cap, FetchError for broken data."""
        if self._encoding in ("", "identity"):
            self._keep(data)
            return
        try:
            self._inflate(data)
        except zlib.error:
            raise FetchError("the answer's compression is broken") from None

    def finish(self) -> bytes:
        """Return everything decoded. Raises FetchError if the compressed data was truncated."""
        if self._decoder is not None and not self._decoder.eof:
            raise FetchError("the answer was truncated")
        return b"".join(self._parts)

    def _inflate(self, data: bytes) -> None:
        while data:
            decoder = self._decoder_for(data)
            if decoder is None:
                return
            self._keep(decoder.decompress(data, self._cap - self._size + 1))
            data = decoder.unused_data or decoder.unconsumed_tail

    def _decoder_for(self, data: bytes) -> "zlib._Decompress | None":
        """Return the decoder of the stream that `data` belongs to, or None after its end."""
        if self._decoder is None:
            self._decoder = zlib.decompressobj(self._window(data))
        elif self._decoder.eof:
            self._members += 1
            follows = self._encoding != "deflate" and data[:1] == b"\x1f"
            if not follows or self._members >= _MEMBERS:
                return None
            self._decoder = zlib.decompressobj(_GZIP)
        return self._decoder

    def _window(self, data: bytes) -> int:
        """Some servers send raw deflate data without the zlib header."""
        if self._encoding != "deflate":
            return _GZIP
        has_header = len(data) < 2 or (data[0] & 0x0F == 8 and (data[0] * 256 + data[1]) % 31 == 0)
        return zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._cap:
            raise TooLargeError(f"the answer is larger than {self._cap / 1e6:g} MB")
        self._parts.append(data)
