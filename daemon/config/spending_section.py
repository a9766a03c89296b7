"""What research may send, fetch and spend, and how long its records are kept."""

from pydantic import Field

from daemon.config.section import Section


class SpendingSettings(Section):
    """What research may send, fetch and spend, and how long its records are kept."""

    fetch_timeout: float = Field(
        default=20.0, gt=0, le=600, description="Seconds one fetch may take."
    )
    fetch_max_mb: float = Field(
        default=20.0, gt=0, le=1000, description="Megabytes one fetch may bring."
    )
    budget_run_requests: int = Field(
        default=2000, ge=0, description="Requests one run may send over the network; 0 is no limit."
    )
    budget_run_mb: float = Field(
        default=500.0, ge=0, le=1e9, description="Megabytes one run may bring; 0 is no limit."
    )
    budget_run_money: float = Field(
        default=1.0,
        ge=0,
        le=1e6,
        description="US dollars one run may spend at sources that cost; 0 is no limit."
        " What a run may find at most is max_findings.",
    )
    budget_day_requests: int = Field(
        default=10_000, ge=0, description="Requests sent in a day at most; 0 is no limit."
    )
    budget_day_mb: float = Field(
        default=2000.0, ge=0, le=1e9, description="Megabytes brought in a day; 0 is no limit."
    )
    budget_day_money: float = Field(
        default=2.0, ge=0, le=1e6, description="US dollars spent in a day; 0 is no limit."
    )
    budget_day_findings: int = Field(
        default=50, ge=0, description="Findings written in a day at most; 0 is no limit."
    )
    budget_month_requests: int = Field(
        default=100_000, ge=0, description="Requests sent in a month at most; 0 is no limit."
    )
    budget_month_mb: float = Field(
        default=20_000.0, ge=0, le=1e9, description="Megabytes brought in a month; 0 is no limit."
    )
    budget_month_money: float = Field(
        default=10.0, ge=0, le=1e6, description="US dollars spent in a month; 0 is no limit."
    )
    budget_month_findings: int = Field(
        default=500, ge=0, description="Findings written in a month at most; 0 is no limit."
    )
    keep_runs_days: int = Field(
        default=365,
        ge=0,
        le=36_500,
        description="Days the record of a run is kept, for replays; 0 is for ever. What an"
        " undecided finding or an unfinished run needs is always kept.",
    )
    keep_runs_mb: float = Field(
        default=2000.0,
        ge=0,
        le=1e9,
        description="Megabytes the records of runs may take, before the oldest go; 0 is no limit.",
    )
    keep_cache_mb: float = Field(
        default=500.0,
        ge=0,
        le=1e9,
        description="Megabytes that replays may take in the state folder; 0 is no limit.",
    )
    keep_ledger_days: int = Field(
        default=180,
        ge=0,
        le=36_500,
        description="Days that each single request is kept for `lacuna privacy`, besides the sums;"
        " 0 is for ever.",
    )
    keep_log_mb: float = Field(
        default=20.0,
        ge=0,
        le=1e6,
        description="Megabytes a log file in the state folder may take before its older half goes;"
        " 0 is no limit.",
    )
