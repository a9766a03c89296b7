"""Results of a check."""

from enum import StrEnum


class Verdict(StrEnum):
    """The result of a check; `off` means an optional part that is not in use."""

    OK = "ok"
    OFF = "off"
    WARN = "warn"
    FAIL = "fail"
