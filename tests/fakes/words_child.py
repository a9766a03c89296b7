"""An embedding process with the deterministic embedder for the model: it starts in no time."""

import os
import select
import sys

from daemon.adapters.embed_protocol import Start, receive_json, send, send_json
from tests.fakes.embedder import FakeEmbedder


def main() -> None:
    """Serve the parent until it hangs up, or asks nothing for long."""
    requests, answers = os.fdopen(0, "rb", buffering=0), os.fdopen(1, "wb")
    start, model = Start(**receive_json(requests)), FakeEmbedder()
    send_json(answers, {"ready": True})
    while select.select([requests], [], [], start.idle_seconds)[0]:
        vectors = model.embed(receive_json(requests))
        rows, columns = vectors.shape
        send_json(answers, {"rows": rows, "columns": columns})
        send(answers, vectors.astype("<f4").tobytes())


if __name__ == "__main__":
    try:
        main()
    except (EOFError, BrokenPipeError):
        sys.exit(0)
