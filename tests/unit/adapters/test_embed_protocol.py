"""Frames over pipes."""

import io

import pytest

from daemon.adapters.embed_protocol import receive, receive_json, send, send_json


class Trickle(io.RawIOBase):
    """A pipe that gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        byte = self._data.read(1)
        buffer[: len(byte)] = byte
        return len(byte)


def test_frames_come_out_as_they_went_in_however_they_are_cut() -> None:
    pipe = io.BytesIO()
    send_json(pipe, {"text": "é\x00\ud800"})
    send(pipe, b"\x00\x01")
    trickle = Trickle(pipe.getvalue())
    assert receive_json(trickle) == {"text": "é\x00\ud800"}  # type: ignore[arg-type]
    assert receive(trickle) == b"\x00\x01"  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [b"", b"\x00\x00", b"\x00\x00\x00\x05ab", b"\xff\xff\xff\xff"])
def test_a_pipe_that_ends_early_is_an_end_of_file(data: bytes) -> None:
    with pytest.raises(EOFError):
        receive(io.BytesIO(data))
