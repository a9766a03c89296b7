"""The one table of settings: file, environment and flags, read into one typed object."""

from daemon.config.load import check_settings, explain_settings, load_settings
from daemon.config.places import config_path, packaged, state_root
from daemon.config.table import DEFAULT_MODEL, Settings
from daemon.config.wording import ENVIRONMENT_PREFIX, odd_variables, unknown_setting

__all__ = [
    "DEFAULT_MODEL",
    "ENVIRONMENT_PREFIX",
    "Settings",
    "check_settings",
    "config_path",
    "explain_settings",
    "load_settings",
    "odd_variables",
    "packaged",
    "state_root",
    "unknown_setting",
]
