"""What research may send, fetch and spend, and how long its records are kept."""

from pydantic import Field

from daemon.config.section import Section


class SpendingSettings(Section):
    """What research may send, fetch and spend, and how long its records are kept."""

    fetch_timeout: float = Field(
        default=20.0, gt=0, le=600, description="Timeout per download (seconds)."
    )
    fetch_max_mb: float = Field(
        default=20.0, gt=0, le=1000, description="Maximum download size (MB)."
    )
    budget_run_requests: int = Field(
        default=2000, ge=0, description="Maximum requests per run; 0: no limit."
    )
    budget_run_mb: float = Field(
        default=500.0, ge=0, le=1e9, description="Maximum MB received per run; 0: no limit."
    )
    budget_run_money: float = Field(
        default=1.0,
        ge=0,
        le=1e6,
        description="Maximum US dollars per run, for paid sources; 0: no limit. max_findings limits"
        " the findings of a run.",
    )
    budget_day_requests: int = Field(
        default=10_000, ge=0, description="Maximum requests per day; 0: no limit."
    )
    budget_day_mb: float = Field(
        default=2000.0, ge=0, le=1e9, description="Maximum MB received per day; 0: no limit."
    )
    budget_day_money: float = Field(
        default=2.0, ge=0, le=1e6, description="Maximum US dollars per day; 0: no limit."
    )
    budget_day_findings: int = Field(
        default=50, ge=0, description="Maximum findings per day; 0: no limit."
    )
    budget_month_requests: int = Field(
        default=100_000, ge=0, description="Maximum requests per month; 0: no limit."
    )
    budget_month_mb: float = Field(
        default=20_000.0, ge=0, le=1e9, description="Maximum MB received per month; 0: no limit."
    )
    budget_month_money: float = Field(
        default=10.0, ge=0, le=1e6, description="Maximum US dollars per month; 0: no limit."
    )
    budget_month_findings: int = Field(
        default=500, ge=0, description="Maximum findings per month; 0: no limit."
    )
    keep_runs_days: int = Field(
        default=365,
        ge=0,
        le=36_500,
        description="Days to keep the records of runs, for replays; 0: forever. Records of"
        " undecided findings and unfinished runs always stay.",
    )
    keep_runs_mb: float = Field(
        default=2000.0,
        ge=0,
        le=1e9,
        description="Maximum size of the records of runs (MB); the oldest are deleted first; 0: no"
        " limit.",
    )
    keep_cache_mb: float = Field(
        default=500.0,
        ge=0,
        le=1e9,
        description="Maximum size of replays in the state folder (MB); 0: no limit.",
    )
    keep_ledger_days: int = Field(
        default=180,
        ge=0,
        le=36_500,
        description="Days to keep single requests for `lacuna privacy`; totals stay; 0: forever.",
    )
    keep_log_mb: float = Field(
        default=20.0,
        ge=0,
        le=1e6,
        description="Maximum size of a log file in the state folder (MB); then its older half is"
        " deleted; 0: no limit.",
    )
