"""Settings from the settings file, the environment and options, read into one typed object."""

from daemon.config.error_text import unknown_setting, unknown_variables
from daemon.config.file import parse_file, read_text
from daemon.config.load import (
    check_settings,
    explain_settings,
    load_settings,
    table_place,
    vault_names,
    vault_paths,
    vaults_of,
)
from daemon.config.origins import origin_text
from daemon.config.paths import (
    config_path,
    credibility_path,
    own_folder,
    packaged,
    sources_path,
    state_folder,
    state_root,
)
from daemon.config.renamed import (
    RENAMED,
    RENAMED_OF_SCHEDULE,
    Renamed,
    current,
    settings_in,
)
from daemon.config.section import is_on_page
from daemon.config.setting_names import (
    ENVIRONMENT_PREFIX,
    KEYS,
    SECTIONS,
    settings_from,
    value_of,
    with_values,
)
from daemon.config.table import UNTIL_RESTART, Settings
from daemon.config.vault_section import DEFAULT_MODEL
from daemon.config.vaults import PATH, VAULTS, new_name, same, split_key
from daemon.config.written_keys import without_keys

__all__ = [
    "DEFAULT_MODEL",
    "ENVIRONMENT_PREFIX",
    "KEYS",
    "PATH",
    "RENAMED",
    "RENAMED_OF_SCHEDULE",
    "SECTIONS",
    "UNTIL_RESTART",
    "VAULTS",
    "Renamed",
    "Settings",
    "check_settings",
    "config_path",
    "credibility_path",
    "current",
    "explain_settings",
    "is_on_page",
    "load_settings",
    "new_name",
    "origin_text",
    "own_folder",
    "packaged",
    "parse_file",
    "read_text",
    "same",
    "settings_from",
    "settings_in",
    "sources_path",
    "split_key",
    "state_folder",
    "state_root",
    "table_place",
    "unknown_setting",
    "unknown_variables",
    "value_of",
    "vault_names",
    "vault_paths",
    "vaults_of",
    "with_values",
    "without_keys",
]
