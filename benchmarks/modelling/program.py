"""Libraries in environments of their own, each measured by a small program there."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring.missing import Missing
from benchmarks.measuring.scale import Scale

_ROOT = Path(__file__).parents[2]
_PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Program:
    """A library, and the package by which it is installed."""

    name: str
    package: str

    def rates(self, seconds: float) -> tuple[float, float]:
        """How often a second it reads the item, and writes it; Missing if it cannot be had."""
        python = _ROOT / ".peers" / self.package / "bin" / "python"
        if not python.is_file():
            raise Missing(f"{self.package} is not installed: it is not in .peers")
        ran = subprocess.run(
            [python, _PROGRAMS / f"with_{self.package}.py", str(seconds)],
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            said = ran.stderr.strip().splitlines()[-1:]
            raise Missing(f"{self.package} does not run: {''.join(said)}")
        read, write = json.loads(ran.stdout)
        return read, write


PROGRAMS = (Program("PynamoDB", "pynamodb"), Program("dyntastic", "dyntastic"))


def programs(scale: Scale) -> list[Program]:
    """The libraries of others that a run measures in environments of their own."""
    return [one for one in PROGRAMS if scale.peers is None or one.name in scale.peers]
