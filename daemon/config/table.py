"""All settings: every section, with the type, default and meaning of each key."""

from typing import Self

from pydantic import Field, field_validator, model_validator

from daemon.config.asking_section import AskingSettings
from daemon.config.audio_section import AudioSettings
from daemon.config.hub_section import HubSettings
from daemon.config.ingest_section import IngestSettings
from daemon.config.models_section import ModelSettings
from daemon.config.own_schedules import Schedule, check_name
from daemon.config.research_section import (
    AgendaSettings,
    ConditionSettings,
    NightlySettings,
    QuietHoursSettings,
    ResearchSettings,
    WeeklySettings,
)
from daemon.config.section import Section
from daemon.config.sign_in_section import SignInSettings
from daemon.config.spending_section import BudgetSettings, LimitSettings, RetentionSettings
from daemon.config.system_section import (
    ConfinementSettings,
    HookSettings,
    LogSettings,
    NetworkSettings,
    NotificationSettings,
    SecretSettings,
    TelemetrySettings,
)
from daemon.config.tasks_section import TaskSettings
from daemon.config.vault_section import (
    AnalysisSettings,
    EmbeddingSettings,
    FolderPath,
    InboxSettings,
    IndexSettings,
    LibrarySettings,
    MachineSettings,
    NotesSettings,
)
from daemon.config.web_section import WebSettings

# The lock, the watcher's rules and the folders that systemd makes writable depend on these.
UNTIL_RESTART = (
    "vault",
    "state",
    "inbox.folder",
    "confinement.enabled",
    "confinement.allow_write",
)


class Settings(Section):
    """Every setting, by section."""

    vault: FolderPath = Field(default=None, description="The folder of notes.")
    state: FolderPath = Field(default=None, description="The folder for the index and all runs.")
    inbox: InboxSettings = Field(default_factory=InboxSettings)
    notes: NotesSettings = Field(default_factory=NotesSettings)
    index: IndexSettings = Field(default_factory=IndexSettings)
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    analysis: AnalysisSettings = Field(default_factory=AnalysisSettings)
    library: LibrarySettings = Field(default_factory=LibrarySettings)
    ingest: IngestSettings = Field(default_factory=IngestSettings)
    tasks: TaskSettings = Field(default_factory=TaskSettings)
    asking: AskingSettings = Field(default_factory=AskingSettings)
    audio: AudioSettings = Field(default_factory=AudioSettings)
    machines: MachineSettings = Field(default_factory=MachineSettings)
    hub: HubSettings = Field(default_factory=HubSettings)
    sign_in: SignInSettings = Field(default_factory=SignInSettings)
    web: WebSettings = Field(default_factory=WebSettings)
    agenda: AgendaSettings = Field(default_factory=AgendaSettings)
    research: ResearchSettings = Field(default_factory=ResearchSettings)
    weekly: WeeklySettings = Field(default_factory=WeeklySettings)
    nightly: NightlySettings = Field(default_factory=NightlySettings)
    schedules: dict[str, Schedule] = Field(
        default={},
        description="Your own schedules, each a table [schedules.NAME]; see below.",
    )
    quiet_hours: QuietHoursSettings = Field(default_factory=QuietHoursSettings)
    conditions: ConditionSettings = Field(default_factory=ConditionSettings)
    network: NetworkSettings = Field(default_factory=NetworkSettings)
    budget: BudgetSettings = Field(default_factory=BudgetSettings)
    limits: LimitSettings = Field(default_factory=LimitSettings)
    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    models: ModelSettings = Field(default_factory=ModelSettings)
    hooks: HookSettings = Field(default_factory=HookSettings)
    notifications: NotificationSettings = Field(default_factory=NotificationSettings)
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings)
    secrets: SecretSettings = Field(default_factory=SecretSettings)
    log: LogSettings = Field(default_factory=LogSettings)
    confinement: ConfinementSettings = Field(default_factory=ConfinementSettings)

    @field_validator("schedules")
    @classmethod
    def _have_valid_names(cls, value: dict[str, Schedule]) -> dict[str, Schedule]:
        for name in value:
            check_name(name)
        return value

    @model_validator(mode="after")
    def _night_is_not_quiet(self) -> Self:
        quiet, night = self.quiet_hours, self.nightly
        if night.enabled and quiet.include(night.start):
            raise ValueError(
                f"quiet hours from {quiet.start} to {quiet.end} include nightly.start"
                f" ({night.start})"
            )
        return self
