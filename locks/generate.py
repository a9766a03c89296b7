"""Write the lock files: every package of the set-up with the hashes of all files of its version.

`base.txt` is installed everywhere, then `torch-cpu.txt` or, where that cannot be had, `torch.txt`,
and `cuda.txt` only with a torch that asks for it. Versions come from constraints.txt. Run it by
`make locks`; it asks PyPI.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
# What builds the editable install, which runs without build isolation.
BUILD = "hatchling>=1.27\neditables\n"
EXTRAS = ("offline", "light", "models", "pdf", "audio", "hub", "telemetry", "dev")
CUDA = re.compile(r"nvidia-|cuda-|triton==")
# The wheel of torch without CUDA is not on PyPI but on download.pytorch.org. It is taken where a
# folder or an index offers it: pip prefers the one of PyPI, which is larger by gigabytes.
CPU_TORCH = "torch=={version}+cpu \\\n    --hash=sha256:{sha256}\n"
CPU_SHA256 = "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"  # cp311, x86_64


def main() -> None:
    with TemporaryDirectory() as folder:
        build, found = Path(folder, "build.in"), Path(folder, "all.txt")
        build.write_text(BUILD)
        compile_all(build, found)
        entries = re.split(r"\n(?=\S)", found.read_text().strip())
    files: dict[str, list[str]] = {"base": [], "torch": [], "cuda": []}
    for entry in entries:
        name = entry.partition("==")[0]
        kind = "torch" if name == "torch" else "cuda" if CUDA.match(entry) else "base"
        files[kind].append(f"{entry}\n")
    version = files["torch"][0].partition("==")[2].split()[0]
    files["torch-cpu"] = [CPU_TORCH.format(version=version, sha256=CPU_SHA256)]
    for kind, lines in files.items():
        (HERE / f"{kind}.txt").write_text("".join(lines))


def compile_all(build: Path, target: Path) -> None:
    """Have uv resolve all extras for every platform."""
    extras = [word for name in EXTRAS for word in ("--extra", name)]
    subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", str(build), *extras),
            *("--constraint", "constraints.txt", "--generate-hashes", "--universal"),
            *("--python-version", "3.11", "--no-header", "--no-annotate", "--quiet"),
            *("--output-file", str(target)),
        ],
        cwd=HERE.parent,
        check=True,
    )


if __name__ == "__main__":
    main()
