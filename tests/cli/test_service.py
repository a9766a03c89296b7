"""The service: its files, whether systemd and launchd accept them, and which commands they get."""

import os
import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from daemon.config import packaged, state_folder
from daemon.confinement.guard import RENEW
from daemon.cycle.retention import LOG
from daemon.service import Place, ServiceError, service_of
from daemon.service.launchd import Launchd, agent
from daemon.service.systemd import UNIT, Systemd, drop_in_text, quoted
from tests.fakes.cli import Cli, lay_out

# Every key of launchd.plist(5) that is not about sockets, Mach or the machine's own boot.
DOCUMENTED = {
    "Label",
    "Disabled",
    "UserName",
    "GroupName",
    "inetdCompatibility",
    "LimitLoadToHosts",
    "LimitLoadFromHosts",
    "LimitLoadToSessionType",
    "Program",
    "ProgramArguments",
    "EnableGlobbing",
    "EnableTransactions",
    "KeepAlive",
    "RunAtLoad",
    "RootDirectory",
    "WorkingDirectory",
    "EnvironmentVariables",
    "Umask",
    "TimeOut",
    "ExitTimeOut",
    "ThrottleInterval",
    "InitGroups",
    "WatchPaths",
    "QueueDirectories",
    "StartOnMount",
    "StartInterval",
    "StartCalendarInterval",
    "StandardInPath",
    "StandardOutPath",
    "StandardErrorPath",
    "Debug",
    "WaitForDebugger",
    "SoftResourceLimits",
    "HardResourceLimits",
    "Nice",
    "ProcessType",
    "AbandonProcessGroup",
    "LowPriorityIO",
    "LowPriorityBackgroundIO",
    "LaunchOnlyOnce",
    "SessionCreate",
    "LegacyTimers",
}

MOST_EXPOSED = 2.5
OLD, NEW = "systemd 252 (252.38-1~deb12u1)", "systemd 257 (257.4)"
SYSTEMCTL = """#!/bin/sh
if [ "$1" = --version ]; then cat "$HOME/version"; exit; fi
echo "$@" >> "$HOME/systemctl.log"
case "$*" in
  *is-active*) cat "$HOME/active"; exit 3 ;;
esac
if [ -f "$HOME/no-bus" ]; then echo "Failed to connect to bus: No medium found" >&2; exit 1; fi
"""


@pytest.fixture
def units(home: Path) -> Path:
    return home / ".config" / "systemd" / "user"


@pytest.fixture
def systemctl(ready: Cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `systemctl` that only records its arguments; returns the file."""
    tool = ready.home / "bin" / "systemctl"
    tool.parent.mkdir()
    tool.write_text(SYSTEMCTL)
    tool.chmod(0o755)
    (ready.home / "active").write_text("inactive\n")
    (ready.home / "version").write_text(f"{OLD}\n+PAM +AUDIT\n")
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    return ready.home / "systemctl.log"


@pytest.fixture
def unit(vault: Path) -> str:
    """The name of the vault's own unit."""
    return f"lacuna@{state_folder(vault).name}.service"


def calls(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def writable(drop_in: Path) -> str:
    lines = drop_in.read_text().splitlines()
    return next(line for line in lines if line.startswith("ReadWritePaths="))


def analyze(*arguments: str | Path, runtime: Path) -> subprocess.CompletedProcess[str]:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("systemd-analyze is not here")
    runtime.mkdir(exist_ok=True)
    return subprocess.run(
        [tool, *map(str, arguments)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_systemd_accepts_the_units_of_the_page(units: Path, tmp_path: Path) -> None:
    units.mkdir(parents=True, exist_ok=True)
    (tmp_path / "lacuna").write_text("#!/bin/sh\n")
    (tmp_path / "lacuna").chmod(0o755)
    for name in ("lacuna-web.socket", "lacuna-web.service"):
        text = (packaged("systemd") / name).read_text("utf-8")
        (units / name).write_text(text.replace("%h/.local/bin", str(tmp_path)), "utf-8")
    done = analyze("--user", "verify", units / "lacuna-web.socket", runtime=tmp_path / "runtime")
    assert (done.returncode, done.stderr) == (0, "")


def test_install_writes_the_unit_makes_the_inbox_and_starts_it(
    ready: Cli, systemctl: Path, units: Path, vault: Path, unit: str
) -> None:
    done = ready("service", "install")
    assert done.code == 0, done.err
    assert (vault / "Inbox" / "Research").is_dir()
    assert (units / unit).read_bytes() == (packaged("systemd") / UNIT).read_bytes()
    assert calls(systemctl) == [
        "--user daemon-reload",
        "--user daemon-reload",
        f"--user enable {unit}",
        f"--user restart --no-block {unit}",
    ]
    assert done.out.splitlines()[0] == str(units / unit)


def test_the_daemon_may_write_to_the_inbox_and_to_its_state_and_to_nothing_else(
    ready: Cli, systemctl: Path, units: Path, vault: Path, unit: str
) -> None:
    written = ready("service", "install", "--json").json["written"]
    drop_in = units / f"{unit}.d" / "vault.conf"
    assert written == [str(units / unit), str(drop_in)]
    state = ready("status", "--json").json["state"]
    assert writable(drop_in) == f'ReadWritePaths="-{vault}/Inbox/Research" "{state}"'
    text = (units / unit).read_text()
    assert "ProtectSystem=strict" in text
    assert "ProtectHome=read-only" in text
    for further in ("ReadWritePaths", "StateDirectory", "ConfigurationDirectory"):
        assert further not in text


def test_the_service_runs_the_given_vault_with_the_given_settings(
    ready: Cli, systemctl: Path, units: Path, vault: Path, unit: str
) -> None:
    ready("service", "install")
    (start,) = [
        line
        for line in (units / f"{unit}.d" / "vault.conf").read_text().splitlines()
        if line.startswith("ExecStart=") and line != "ExecStart="
    ]
    state = ready("status", "--json").json["state"]
    assert start.endswith(
        f'"run" "--vault" "{vault}" "--state" "{state}" "--config" "{ready.config}"'
    )


def test_folders_allowed_in_the_settings_are_writable_too(
    ready: Cli, systemctl: Path, units: Path, unit: str, vault: Path
) -> None:
    cache = ready.home / "cache"
    cache.mkdir()
    ready.config.write_text(f"{ready.config.read_text()}\nconfinement.allow_write = ['{cache}']\n")
    ready("service", "install")
    assert f'"-{cache}"' in writable(units / f"{unit}.d" / "vault.conf")
    ready.config.write_text(ready.config.read_text().replace(str(cache), str(vault)))
    reported = ready("service", "install").complaint
    assert reported == f"confinement.allow_write: {vault} is in the vault"
    for folder, what in ((vault.parent, "the vault"), (state(ready), "the state")):
        ready.config.write_text(_excepting(ready.config, folder))
        reported = ready("service", "install").complaint
        assert reported.startswith(f"confinement.allow_write: {folder} contains {what}")


def test_the_home_folder_may_not_be_written_to(
    ready: Cli, systemctl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "somebody" / "home"
    home.mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: home)
    for folder in (home, home.parent):
        ready.config.write_text(_excepting(ready.config, folder))
        reported = ready("service", "install").complaint
        assert reported.startswith(f"confinement.allow_write: {folder} contains the home folder")


def _excepting(config: Path, folder: Path) -> str:
    rest = [line for line in config.read_text().splitlines() if "allow_write" not in line]
    return "\n".join([*rest, f"confinement.allow_write = ['{folder}']", ""])


def state(lacuna: Cli) -> Path:
    return Path(lacuna("status", "--json").json["state"])


def test_writable_folders_are_created_before_the_sandbox_starts(
    ready: Cli, systemctl: Path, units: Path, unit: str, vault: Path
) -> None:
    ready("service", "install")
    lines = (units / f"{unit}.d" / "vault.conf").read_text().splitlines()
    (before,) = (line.removeprefix("ExecStartPre=+") for line in lines if "ExecStartPre" in line)
    shutil.rmtree(vault / "Inbox")
    state = Path(ready("status", "--json").json["state"])
    shutil.rmtree(state)
    assert ready(*shlex.split(before)[1:]).code == 0
    assert (vault / "Inbox" / "Research").is_dir()
    assert state.is_dir()


def test_no_inbox_is_created_on_an_unmounted_disk(
    ready: Cli, systemctl: Path, vault: Path, tmp_path: Path
) -> None:
    shutil.rmtree(vault)
    vault.mkdir()  # where it would be mounted
    assert ready("run", "--prepare").code == 0
    assert list(vault.iterdir()) == []


def test_the_unit_contains_only_options_supported_by_the_systemd_version(
    ready: Cli, systemctl: Path, units: Path, unit: str
) -> None:
    drop_in = units / f"{unit}.d" / "vault.conf"
    ready("service", "install")
    assert "notify-reload" not in drop_in.read_text()
    assert "RestartSteps" not in drop_in.read_text()
    (ready.home / "version").write_text(f"{NEW}\n")
    ready("service", "install")
    assert {"Type=notify-reload", "ExecReload=", "RestartSteps=8", "RestartMaxDelaySec=5min"} <= {
        *drop_in.read_text().splitlines()
    }


def test_the_unit_has_the_notify_watchdog_and_reload_options_of_the_daemon() -> None:
    lines = (packaged("systemd") / UNIT).read_text().splitlines()
    assert {"Type=notify", "NotifyAccess=main", "WatchdogSec=15min"} <= {*lines}
    assert "ExecReload=/bin/kill -HUP $MAINPID" in lines
    assert f"RestartForceExitStatus={RENEW}" in lines
    assert "StartLimitIntervalSec=0" in lines  # it never gives up for good


def test_systemd_accepts_the_unit_as_shipped_and_as_installed(
    ready: Cli, systemctl: Path, units: Path, unit: str, tmp_path: Path
) -> None:
    assert ready("service", "install").code == 0
    done = analyze("--user", "verify", units / unit, runtime=tmp_path / "runtime")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["plain", "with space", "100%h", "ü$HOME", "it's", 'a"b', "c\\d"])
def test_systemd_accepts_any_path(tmp_path: Path, name: str) -> None:
    """Verifying fails when the program that the drop-in names cannot be found."""
    units, folder = tmp_path / "units", tmp_path / name
    (units / f"{UNIT}.d").mkdir(parents=True)
    folder.mkdir()
    program = folder / "lacuna"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    shutil.copy(packaged("systemd") / UNIT, units / UNIT)
    place = Place(folder, folder / "Inbox", folder / "state", folder / "config.toml")
    (units / f"{UNIT}.d" / "vault.conf").write_text(drop_in_text(place, program))
    done = analyze("--user", "verify", units / UNIT, runtime=tmp_path / "runtime")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_arguments_are_quoted_for_systemd() -> None:
    assert quoted("/a b/100%/$x") == '"/a b/100%%/$x"'
    assert quoted('/q"\\') == '"/q\\"\\\\"'


def test_the_service_has_a_low_exposure_score(tmp_path: Path) -> None:
    unit = packaged("systemd") / UNIT
    done = analyze("security", "--offline=yes", unit, runtime=tmp_path / "runtime")
    verdict = done.stdout.strip().splitlines()[-1]
    assert "Overall exposure level" in verdict
    assert float(verdict.split(":")[1].split()[0]) <= MOST_EXPOSED


def test_uninstall_removes_both_files_and_nothing_else(
    ready: Cli, systemctl: Path, units: Path, vault: Path, unit: str
) -> None:
    assert ready("service", "uninstall").out == "It was not installed.\n"
    ready("service", "install")
    (units / "other.service").write_text("mine")
    assert ready("service", "uninstall", "--json").json == {"removed": True}
    assert sorted(path.name for path in units.rglob("*")) == ["other.service"]
    assert calls(systemctl)[-2:] == [f"--user disable --now {unit}", "--user daemon-reload"]
    assert (vault / "Inbox" / "Research").is_dir()


def test_reload_asks_the_service_manager_to(ready: Cli, systemctl: Path, unit: str) -> None:
    ready("service", "install")
    assert ready("service", "reload").out.startswith("Reload requested.")
    assert calls(systemctl)[-1] == f"--user reload --no-block {unit}"


def test_service_status_is_one_word(ready: Cli, systemctl: Path) -> None:
    assert ready("service").out == "not installed\n"
    ready("service", "install")
    (ready.home / "active").write_text("active\n")
    assert ready("service", "status").out == "active\n"
    assert ready("service", "--json").json == {"installed": True, "status": "active"}


def test_without_a_session_nothing_is_written(
    ready: Cli, systemctl: Path, units: Path, vault: Path
) -> None:
    (ready.home / "no-bus").touch()
    reported = ready("service", "install").complaint
    assert reported.startswith("systemd does not serve this session: it has no user bus,")
    assert "loginctl enable-linger" in reported
    assert "lacuna run" in reported
    assert not units.exists()
    assert not (vault / "Inbox").exists()


def test_without_systemd_the_command_names_the_alternative(
    ready: Cli, units: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(ready.home))
    for command in ("install", "status"):
        reported = ready("service", command).complaint
        assert reported.startswith(
            "systemctl not found: start `lacuna run` from another service manager"
        )
    assert not units.exists()


def test_an_inbox_that_is_a_link_is_refused_before_anything_is_installed(
    ready: Cli, systemctl: Path, units: Path, vault: Path, tmp_path: Path
) -> None:
    (vault / "Inbox").symlink_to(tmp_path)
    reported = ready("service", "install").complaint
    assert reported == "Inbox/Research leads through a link or a file: left unchanged"
    assert not units.exists()


def test_each_vault_has_a_service_of_its_own(
    ready: Cli, systemctl: Path, units: Path, tmp_path: Path, unit: str
) -> None:
    other = lay_out(tmp_path / "other", {"One.md": "# One\n"})
    ready("service", "install")
    ready("service", "install", "--vault", other)
    assert len(list(units.glob("lacuna@*.service"))) == 2
    assert ready("service", "uninstall", "--vault", other).code == 0
    assert [path.name for path in units.glob("lacuna@*.service")] == [unit]


def test_the_service_of_a_vault_that_is_gone_can_be_uninstalled(
    ready: Cli, systemctl: Path, units: Path, vault: Path
) -> None:
    ready("service", "install")
    shutil.rmtree(vault)
    assert ready("service", "uninstall").code == 0
    assert not list(units.iterdir())


def tool(home: Path, name: str, script: str) -> None:
    """Put a program where it is found first."""
    path = home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_logs_are_read_from_the_journal(ready: Cli, systemctl: Path, unit: str) -> None:
    log = ready.home / "journalctl.log"
    tool(ready.home, "journalctl", f'echo "$@" >> "{log}"')
    assert ready("service", "logs", "-n", "7").code == 0
    assert ready("service", "logs", "--follow").code == 0
    assert calls(log) == [
        f"--user --unit {unit} --lines 7 --no-pager",
        f"--user --unit {unit} --lines 50 --follow",
    ]


@pytest.fixture
def launchd(ready: Cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    """macOS, as far as the service is concerned; returns the calls of `launchctl`."""
    log = ready.home / "launchctl.log"
    script = f'echo "$@" >> "{log}"\ncase $1 in print) printf "\\tstate = running\\n";; esac'
    tool(ready.home, "launchctl", script)
    monkeypatch.setenv("PATH", f"{ready.home / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr("daemon.usecases.service.service_of", Launchd)
    return log


def test_on_macos_an_agent_is_written_and_loaded(
    ready: Cli, launchd: Path, vault: Path, home: Path
) -> None:
    name = state_folder(vault).name
    path = home / "Library" / "LaunchAgents" / f"lacuna.{name}.plist"
    assert ready("service", "status").out == "not installed\n"
    assert ready("service", "install", "--json").json == {"written": [str(path)]}
    state = ready("status", "--json").json["state"]
    agent = plistlib.loads(path.read_bytes())
    assert agent["ProgramArguments"][1:] == [
        *("run", "--vault", str(vault), "--state", state, "--config", str(ready.config))
    ]
    assert agent["StandardErrorPath"] == f"{state}/daemon.log"
    domain = f"gui/{os.getuid()}"
    assert calls(launchd) == [f"bootout {domain}/lacuna.{name}", f"bootstrap {domain} {path}"]
    assert ready("service", "status").out == "running\n"
    assert ready("service", "uninstall").code == 0
    assert not path.exists()


def test_on_macos_the_log_is_a_file(ready: Cli, launchd: Path, vault: Path) -> None:
    service = Launchd(state_folder(vault).name)
    with pytest.raises(ServiceError, match="not installed"):
        service.logs(2, follow=False)
    ready("service", "install")
    log = Path(ready("status", "--json").json["state"]) / "daemon.log"
    log.write_text("one\ntwo\nthree\n")
    command = service.logs(2, follow=False)
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"two\nthree\n"
    assert service.logs(2, follow=True) == [*command[:3], "-F", str(log)]


def test_the_launch_agent_contains_only_documented_keys_of_the_right_type(tmp_path: Path) -> None:
    place = Place(tmp_path, tmp_path / "Inbox", tmp_path / "state", None)
    written = agent("lacuna.notes", place, tmp_path / "lacuna")
    assert plistlib.loads(plistlib.dumps(written)) == written
    assert {*written} <= DOCUMENTED
    assert Path(written["StandardErrorPath"]).name == LOG  # which the daemon keeps short
    assert {key: type(value) for key, value in written.items()} == {
        "Label": str,
        "ProgramArguments": list,
        "RunAtLoad": bool,
        "KeepAlive": dict,
        "ThrottleInterval": int,
        "ExitTimeOut": int,
        "ProcessType": str,
        "LowPriorityIO": bool,
        "Nice": int,
        "Umask": int,
        "StandardOutPath": str,
        "StandardErrorPath": str,
        "WorkingDirectory": str,
    }
    assert written["ProcessType"] in ("Background", "Standard", "Adaptive", "Interactive")


def test_the_service_manager_is_the_platform_s_own() -> None:
    assert isinstance(service_of("notes", platform="darwin"), Launchd)
    assert isinstance(service_of("notes", platform="linux"), Systemd)


@pytest.mark.parametrize("name", ["lacuna-hub.service", "lacuna-worker@.service"])
def test_systemd_accepts_the_units_of_a_hub(name: str, units: Path, tmp_path: Path) -> None:
    units.mkdir(parents=True, exist_ok=True)
    (tmp_path / "lacuna").write_text("#!/bin/sh\n")
    (tmp_path / "lacuna").chmod(0o755)
    text = (packaged("systemd") / name).read_text("utf-8")
    unit = units / name.replace("@", "@1")
    unit.write_text(text.replace("%h/.local/bin", str(tmp_path)), "utf-8")
    done = analyze("--user", "verify", unit, runtime=tmp_path / "runtime")
    assert (done.returncode, done.stderr) == (0, "")
