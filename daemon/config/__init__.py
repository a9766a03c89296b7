"""The one table of settings: file, environment and flags, read into one typed object."""

from daemon.config.addresses import origin_text
from daemon.config.load import (
    check_settings,
    explain_settings,
    load_settings,
    table_place,
    vault_names,
    vault_paths,
    vaults_of,
)
from daemon.config.places import (
    config_path,
    credibility_path,
    own_folder,
    packaged,
    sources_path,
    state_folder,
    state_root,
)
from daemon.config.table import UNTIL_RESTART, Settings
from daemon.config.vault_section import DEFAULT_MODEL
from daemon.config.vaults import PATH, VAULTS, new_name, same, split_key
from daemon.config.wording import ENVIRONMENT_PREFIX, odd_variables, unknown_setting
from daemon.config.written_keys import without_keys

__all__ = [
    "DEFAULT_MODEL",
    "ENVIRONMENT_PREFIX",
    "PATH",
    "UNTIL_RESTART",
    "VAULTS",
    "Settings",
    "check_settings",
    "config_path",
    "credibility_path",
    "explain_settings",
    "load_settings",
    "new_name",
    "odd_variables",
    "origin_text",
    "own_folder",
    "packaged",
    "same",
    "sources_path",
    "split_key",
    "state_folder",
    "state_root",
    "table_place",
    "unknown_setting",
    "vault_names",
    "vault_paths",
    "vaults_of",
    "without_keys",
]
