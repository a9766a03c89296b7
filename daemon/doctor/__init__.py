"""The self-check: each check reports a state and, for a problem, the command that fixes it."""

from daemon.doctor.check import Check, Verdict
from daemon.doctor.examine import examine, fix, not_opened

__all__ = ["Check", "Verdict", "examine", "fix", "not_opened"]
