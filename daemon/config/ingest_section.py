"""Settings of taking documents in."""

from pydantic import Field

from daemon.config.section import Section
from daemon.config.vault_section import FolderPath


class IngestSettings(Section):
    """Documents that become literature notes."""

    folder: FolderPath = Field(
        default=None, description="A folder whose documents the daemon ingests; they stay there."
    )
