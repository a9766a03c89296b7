"""numpy, loaded on first use: that takes a twentieth of a second of CPU and 11 MB.

Import `np` from here in a module that a start loads, but that a start does not compute with. Put
annotations that name numpy in quotation marks.
"""

from typing import TYPE_CHECKING

from daemon.model.late import LateModule

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

__all__ = ["np"]
