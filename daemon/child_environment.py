"""What a child process of ours gets to see of the environment: this very package, and no keys.

A child that embeds, parses or looks at the vault asks nobody anything, and needs none.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

# Keys and what opens them, by the names under which `daemon.adapters.secrets`, its neighbours and
# OpenTelemetry look for them.
_SECRET = re.compile(
    r"LACUNA_.*_API_KEY|LACUNA_SECRETS_PASSPHRASE(?:_FD)?|CREDENTIALS_DIRECTORY"
    r"|OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS"
)


def child_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return `environ` without keys, in which PYTHONPATH leads to this package first."""
    open_ = {name: text for name, text in environ.items() if not _SECRET.fullmatch(name)}
    package_root = str(Path(__file__).resolve().parents[1])
    path = environ.get("PYTHONPATH")
    return {
        **open_,
        "PYTHONPATH": os.pathsep.join([package_root, path] if path else [package_root]),
    }
