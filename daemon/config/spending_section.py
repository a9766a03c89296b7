"""Settings: budgets of research, and how long its records are kept."""

from pydantic import Field

from daemon.config.section import OnPage, Section


class BudgetSettings(Section):
    """Requests and money."""

    requests_per_run: int = Field(
        default=2000, ge=0, description="Maximum requests per run; 0: no limit."
    )
    requests_per_day: int = Field(
        default=10_000, ge=0, description="Maximum requests per day; 0: no limit."
    )
    requests_per_month: int = Field(
        default=100_000, ge=0, description="Maximum requests per month; 0: no limit."
    )
    usd_per_run: float = Field(
        default=1.0,
        ge=0,
        le=1e6,
        description="Maximum US dollars per run, for paid sources; 0: no limit.",
    )
    usd_per_day: float = Field(
        default=2.0, ge=0, le=1e6, description="Maximum US dollars per day; 0: no limit."
    )
    usd_per_month: float = Field(
        default=10.0, ge=0, le=1e6, description="Maximum US dollars per month; 0: no limit."
    )


class LimitSettings(Section):
    """Limits that are not budgets; `research.max_findings` limits the findings of a run."""

    mb_per_run: float = Field(
        default=500.0, ge=0, le=1e9, description="Maximum MB received per run; 0: no limit."
    )
    mb_per_day: float = Field(
        default=2000.0, ge=0, le=1e9, description="Maximum MB received per day; 0: no limit."
    )
    mb_per_month: float = Field(
        default=20_000.0, ge=0, le=1e9, description="Maximum MB received per month; 0: no limit."
    )
    findings_per_day: OnPage[int] = Field(
        default=50, ge=0, description="Maximum findings per day; 0: no limit."
    )
    findings_per_month: OnPage[int] = Field(
        default=500, ge=0, description="Maximum findings per month; 0: no limit."
    )


class RetentionSettings(Section):
    """How long records are kept."""

    runs_days: int = Field(
        default=365,
        ge=0,
        le=36_500,
        description="Days to keep the records of runs, for replays; 0: forever. Records of"
        " undecided findings and unfinished runs always stay.",
    )
    runs_mb: float = Field(
        default=2000.0,
        ge=0,
        le=1e9,
        description="Maximum size of the records of runs (MB); the oldest are deleted first; 0: no"
        " limit.",
    )
    replays_mb: float = Field(
        default=500.0,
        ge=0,
        le=1e9,
        description="Maximum size of replays in the state folder (MB); 0: no limit.",
    )
    requests_days: int = Field(
        default=180,
        ge=0,
        le=36_500,
        description="Days to keep single requests for `lacuna privacy`; totals stay; 0: forever.",
    )
