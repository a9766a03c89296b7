"""The instructions of docs/architecture.md, followed on a copy of the code."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTION = '''

class GardenSettings(Section):
    """The garden."""

    beds: int = Field(default=3, ge=1, description="Number of beds.")
'''
PROGRAM = """
from pathlib import Path
from daemon.config import KEYS, load_settings
found = load_settings(Path("config.toml"), environ={"LACUNA_GARDEN_BEDS": "7"})
print(found.research.patience, found.garden.beds, KEYS["garden.beds"].description)
"""


def test_a_setting_is_one_field_and_a_section_one_class_and_one_field(tmp_path: Path) -> None:
    for package in ("config", "model"):
        shutil.copytree(ROOT / "daemon" / package, tmp_path / "daemon" / package)
    for package in ("scheduler", "vault_adapters"):
        shutil.copytree(ROOT / package, tmp_path / package)
    shutil.copy(ROOT / "daemon" / "__init__.py", tmp_path / "daemon")
    config = tmp_path / "daemon" / "config"
    section, table = config / "research_section.py", config / "table.py"
    field = '    patience: int = Field(default=1, description="Patience.")\n'
    at = '    """What is researched, and how far."""\n\n'
    assert at in section.read_text()
    section.write_text(section.read_text().replace(at, at + field) + SECTION)
    added = "    garden: GardenSettings = Field(default_factory=GardenSettings)\n"
    text = table.read_text().replace("    @field_validator", f"{added}\n    @field_validator", 1)
    text = text.replace("    AgendaSettings,\n", "    AgendaSettings,\n    GardenSettings,\n", 1)
    table.write_text(text)
    (tmp_path / "config.toml").write_text("[research]\npatience = 5\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "5 7 Number of beds.\n", done.stderr
