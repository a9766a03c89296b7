"""llama.cpp's server as a process, which ends with stdin.

`llama_server.py MODEL PORT CONTEXT [SLOTS [THREADS]]`

CONTEXT counts tokens of one slot. Each slot keeps its last prompt, so that two roles that take
turns do not have their instructions read again.
"""

import sys

import xllamacpp


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    port, context, slots, threads = (*map(int, sys.argv[2:]), 1, 1)[:4]
    parameters.port, parameters.n_ctx, parameters.n_parallel = port, context * slots, slots
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(parameters)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
