"""The one table of settings: every key, its type, its default and its meaning."""

from daemon.config.outside_section import OutsideSettings
from daemon.config.research_section import ResearchSettings
from daemon.config.spending_section import SpendingSettings
from daemon.config.vault_section import VaultSettings

# The lock, the watcher's rules and what systemd lets be written to all hang on these.
UNTIL_RESTART = ("vault", "state", "inbox", "confine", "confine_except")


# The keys of the last base come first.
class Settings(OutsideSettings, SpendingSettings, ResearchSettings, VaultSettings):
    """Every setting, its type, its default and its meaning in one line."""
