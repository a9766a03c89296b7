"""Read credentials that the service manager passes to a service: files in $CREDENTIALS_DIRECTORY.

systemd decrypts the output of `systemd-creds encrypt` into memory that is never swapped and
readable by this service alone (LoadCredentialEncrypted=, systemd.exec(5)).
"""

import re
from collections.abc import Mapping
from pathlib import Path

from daemon.model.errors import SecretError

DIRECTORY = "CREDENTIALS_DIRECTORY"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def credential(environ: Mapping[str, str], name: str) -> str | None:
    """Return the value of a credential without the trailing newline, or None if there is none.

    Raises SecretError for one that cannot be read.
    """
    folder = environ.get(DIRECTORY)
    if not folder or not _NAME.fullmatch(name):
        return None
    path = Path(folder) / name
    try:
        return path.read_text("utf-8").strip() or None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SecretError(f"the credential {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SecretError(f"the credential {name} is not text") from None
