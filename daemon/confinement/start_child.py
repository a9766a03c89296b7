"""The first code of a confined child: `python -I -S start_child.py TOLD MODULE ARGUMENT...`.

`TOLD` is JSON of `daemon.confinement.child.command`. It runs as a script, before the site is set
up: no `sitecustomize`, no `.pth` file and no package has run when the process is confined.
"""

import json
import runpy
import site  # which sets nothing up in a process that was started with -S
import sys


def main() -> None:
    orders, module, arguments = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3:]
    sys.path[:] = orders["path"]
    sys.dont_write_bytecode = not orders.get("has_files")

    from daemon.confinement.child import confine_child  # noqa: PLC0415 found by that path

    confine_child(orders)

    site.main()  # what it runs is confined
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
