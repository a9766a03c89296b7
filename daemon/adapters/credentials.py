"""What the service manager hands to a service: files in $CREDENTIALS_DIRECTORY, by their names.

systemd decrypts what `systemd-creds encrypt` made into memory that is never swapped, readable for
this service alone (LoadCredentialEncrypted=, systemd.exec(5)).
"""

import re
from collections.abc import Mapping
from pathlib import Path

from daemon.model.errors import SecretError

DIRECTORY = "CREDENTIALS_DIRECTORY"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def credential(environ: Mapping[str, str], name: str) -> str | None:
    """Return what a credential holds, without the line's end, or None when there is none.

    Raises SecretError when there is one that cannot be read.
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
        raise SecretError(f"the credential {name} is no text") from None
