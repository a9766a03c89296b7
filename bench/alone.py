"""One part of the measuring, in a process of its own: `python -m bench.alone PART ARGUMENT…`."""

import json
import sys
from importlib import import_module

if __name__ == "__main__":
    part, *arguments = sys.argv[1:]
    print(json.dumps(import_module(f"bench.{part}").measure(*arguments)))
