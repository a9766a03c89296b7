"""The peer of embedding: the bare library in its own process, which encodes on request.

`python -m bench.bare`: on stdin one line of JSON with the model's folder, the threads and the
texts, then an empty line for each time they are to be encoded, answered by the time it took.
"""

import json
import os
import sys
import time

_NICE = 10  # as the daemon's embedding process


def main() -> None:
    """Serve until stdin ends."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.nice(_NICE)
    asked = json.loads(sys.stdin.readline())
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(asked["threads"])
    model = SentenceTransformer(asked["model"], device="cpu", local_files_only=True)
    model.encode(asked["texts"][:1], show_progress_bar=False)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        model.encode(asked["texts"], show_progress_bar=False)
        took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        sys.stdout.write(json.dumps(took) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
