"""Many processes that conduct elections on one store, some of which are killed while they do."""

from __future__ import annotations

from drills.elections.judging import faults_in
from drills.elections.rounds import Round, rounds

__all__ = ["Round", "faults_in", "rounds"]
