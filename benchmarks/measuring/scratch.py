"""Room on the disk for a measurement."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

HOME = Path(__file__).parents[2] / ".bench"


@contextmanager
def scratch() -> Generator[Path]:
    """A folder that goes again; beside the sources, for a temporary folder may be in memory."""
    HOME.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=HOME) as folder:
        yield Path(folder)
