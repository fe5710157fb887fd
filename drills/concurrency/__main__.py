"""Run the drill: python -m drills.concurrency [--rounds N] [--seed N]."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from drills.concurrency.contests import contests


def main() -> int:
    """The exit code: 0 if everything can be explained."""
    parser = argparse.ArgumentParser(prog="python -m drills.concurrency", description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(f"concurrency: {chosen.rounds} histories, SEED={chosen.seed}", flush=True)
    operations = bad = 0
    faces: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for contest in contests(chosen.seed, Path(folder), chosen.rounds):
            operations += contest.operations
            faces[contest.face] += 1
            bad += bool(contest.faults)
            for fault in contest.faults[:10]:
                print(f"  {contest.name} ({contest.face}): {fault}", flush=True)
    told = ", ".join(f"{name} {times}" for name, times in sorted(faces.items()))
    print(f"concurrency: {operations} operations judged ({told}); {bad} histories with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
