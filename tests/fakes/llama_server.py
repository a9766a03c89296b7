"""llama.cpp's server as a process: `python llama_server.py MODEL PORT CONTEXT`; ends with stdin."""

import sys

import xllamacpp


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.port, parameters.n_ctx, parameters.n_parallel = *map(int, sys.argv[2:4]), 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
