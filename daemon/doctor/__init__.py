"""The self-check: each check reports a state and, for a problem, the command that fixes it."""

from daemon.doctor.check import Check
from daemon.doctor.examine import examine, fix, not_opened
from daemon.model.check_verdict import Verdict

__all__ = ["Check", "Verdict", "examine", "fix", "not_opened"]
