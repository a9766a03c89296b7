"""An embedding process without a model: the text to embed determines how it behaves.

`die` ends it, `die once FILE` only while FILE is not there, `hang` keeps it busy for ever, `fail`
is answered with an error; the vector of any other text is its length and its first letter. A
passage's score is how often it holds the query.
"""

import os
import select
import sys
from pathlib import Path

import numpy as np

from daemon.adapters.embed_protocol import Kind, Start, receive_json, send, send_json


def main() -> None:
    requests, answers = os.fdopen(0, "rb", buffering=0), os.fdopen(1, "wb")
    start = Start(**receive_json(requests))
    if start.model == "missing":
        send_json(answers, {"error": "missing: not on this machine"})
        return
    if start.model == "remote":
        send_json(answers, {"download": start.model})
        sys.stderr.write("  50%|#####     |\n")
        sys.stderr.flush()
    sys.stderr.write(f"threads {os.environ['OMP_NUM_THREADS']}\n")
    send_json(answers, {"ready": True})
    while select.select([requests], [], [], start.idle_seconds)[0]:
        texts = receive_json(requests)
        if start.kind == Kind.RERANK:
            query, passages = texts
            scores = np.array([[passage.count(query)] for passage in passages], dtype="<f4")
            send_json(answers, {"rows": len(passages), "columns": 1})
            send(answers, scores.tobytes())
            continue
        for text in texts:
            misbehave(text)
        if "fail" in texts:
            send_json(answers, {"error": "out of memory"})
            continue
        rows = [[len(text), ord(text[0]), os.getpid()] for text in texts]
        send_json(answers, {"rows": len(rows), "columns": 3})
        send(answers, np.array(rows, dtype="<f4").tobytes())


def misbehave(text: str) -> None:
    if text.startswith("die once "):
        mark = Path(text.removeprefix("die once "))
        if not mark.exists():
            mark.touch()
            os._exit(3)
    elif text == "hang":
        sys.stderr.write("hanging\n")
        sys.stderr.flush()
        select.select([], [], [])
    elif text == "die":
        sys.stderr.write("a library said why\n")
        sys.stderr.flush()
        os._exit(3)


if __name__ == "__main__":
    try:
        main()
    except EOFError:
        sys.exit(0)
