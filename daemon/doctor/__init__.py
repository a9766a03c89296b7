"""The self-check: each look says what is so, and what to type where it is not well."""

from daemon.doctor.check import Check, Verdict
from daemon.doctor.examine import examine, fix, not_opened

__all__ = ["Check", "Verdict", "examine", "fix", "not_opened"]
