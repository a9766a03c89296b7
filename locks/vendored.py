"""Copy the files of npm packages that the page contains, as `vendored.toml` lists them.

Checks the package and each file against its hash. Run it by `make vendored`; it asks the npm
registry.
"""

import io
import subprocess
import sys
import tarfile
import tomllib
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256, sha512
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LISTED = Path(__file__).with_name("vendored.toml")
FOLDER = Path(__file__).parents[1] / "daemon/faces/web/static/vendored"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, package in tomllib.loads(LISTED.read_text()).items():
        for file, body in checked(package, packed(name, package["version"])).items():
            (FOLDER / file).write_bytes(body)


def packed(name: str, version: str) -> bytes:
    """Return the archive of a package."""
    with TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", f"{name}@{version}"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        [archive] = Path(folder).iterdir()
        return archive.read_bytes()


def checked(package: Mapping[str, Any], archive: bytes) -> dict[str, bytes]:
    """Return the listed files of an archive by their names here."""
    found = f"sha512-{b64encode(sha512(archive).digest()).decode()}"
    if found != package["integrity"]:
        sys.exit(f"the archive has the hash {found}")
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for name, (place, digest) in package["files"].items():
            member = members.extractfile(place)
            files[name] = member.read() if member is not None else b""
            if sha256(files[name]).hexdigest() != digest:
                sys.exit(f"{name} has another hash")
    return files


if __name__ == "__main__":
    main()
