"""numpy, loaded on first use: loading takes a twentieth of a second of CPU and 11 MB.

Import `np` from here in modules that are loaded at start but do not compute anything then. Put
annotations that name numpy in quotation marks.
"""

from typing import TYPE_CHECKING

from daemon.model.late import LateModule

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

__all__ = ["np"]
