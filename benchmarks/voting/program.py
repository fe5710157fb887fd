"""Libraries in environments of their own, each of which counts the ballots of a file."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring.missing import Missing
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.scratch import scratch
from benchmarks.voting.rows import CANDIDATES

_ROOT = Path(__file__).parents[2]
_PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Counted:
    """How long a count took from raw rows, and whom it elected, by number."""

    seconds: float
    winner: int


@dataclass(frozen=True, slots=True)
class Program:
    """A library, the package by which it is installed, and how many ballots it is given."""

    name: str
    package: str
    ballots: int

    def counts(self, rows: NDArray[np.int8]) -> dict[str, Counted]:
        """What it says of these ballots, by method; Missing if it cannot be had."""
        python = _ROOT / ".peers" / self.package / "bin" / "python"
        if not python.is_file():
            raise Missing(f"{self.package} is not installed: it is not in .peers")
        with scratch() as folder:
            file = folder / "rows"
            file.write_bytes(rows.tobytes())
            ran = subprocess.run(
                [python, _PROGRAMS / f"with_{self.package}.py", file, str(CANDIDATES)],
                env={**os.environ, "PYTHONPATH": str(_ROOT)},
                capture_output=True,
                text=True,
                check=False,
            )
        if ran.returncode:
            said = ran.stderr.strip().splitlines()[-1:]
            raise Missing(f"{self.package} does not run: {''.join(said)}")
        found: dict[str, tuple[float, int]] = json.loads(ran.stdout.splitlines()[-1])
        return {method: Counted(*each) for method, each in found.items()}


def programs(scale: Scale) -> list[Program]:
    """The libraries of others that a run measures, each with as many ballots as it can bear."""
    found = [
        Program("pref_voting", "pref_voting", scale.stored),
        Program("pyrankvote", "pyrankvote", scale.stored),
        Program("VoteKit", "votekit", scale.counted),
    ]
    return [one for one in found if scale.peers is None or one.name in scale.peers]
