"""What the fork server of `killable` imports: a scene is played once before any process is forked.

Late imports, patterns and models of data are then ready in each of hundreds of processes, which
halves their time. Nothing is left of the scene but what a daemon keeps of another vault.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import faiss

from tests.fakes import killable
from tests.fakes.kill_scenes import research_scene

faiss.omp_set_num_threads(1)  # a pool of threads does not survive a fork
with TemporaryDirectory() as folder:
    killable.play(research_scene(Path(folder)))
