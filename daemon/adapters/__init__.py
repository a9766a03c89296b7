"""Everything outside the process: network, files to read, models, secrets."""

import sys

# httpx would load its command line with rich and pygments: 6 MB that the daemon does not use.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
