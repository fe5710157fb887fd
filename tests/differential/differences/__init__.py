"""Every difference from a peer where the peer is wrong, with AWS's behavior and its source.

Rule 1: a difference stands here only with evidence of what AWS does; without it, in `unsettled`.
Rule 2: each has an example, and a test that the peer still differs on it, so that none outlives its
cause.
"""

from tests.differential.differences.both import BOTH
from tests.differential.differences.difference import Difference, Example, Habit
from tests.differential.differences.dynalite import DYNALITE
from tests.differential.differences.habits import HABITS
from tests.differential.differences.moto import MOTO
from tests.differential.differences.unsettled import UNSETTLED

DIFFERENCES: list[Difference] = [*BOTH, *MOTO, *DYNALITE, *UNSETTLED]

__all__ = ["DIFFERENCES", "HABITS", "Difference", "Example", "Habit"]
