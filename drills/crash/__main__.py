"""Run the drill: python -m drills.crash [--rounds N] [--seed N] [--first N]."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from drills.crash.killing import rounds


def main() -> int:
    """The exit code: 0 if nothing was lost."""
    parser = argparse.ArgumentParser(prog="python -m drills.crash", description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the round to begin with")
    chosen = parser.parse_args()
    print(f"crash: {chosen.rounds} rounds, SEED={chosen.seed}", flush=True)
    acknowledged, bad = 0, 0
    moments: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        last = chosen.first + chosen.rounds
        for killed in rounds(chosen.seed, Path(folder), chosen.first, last):
            acknowledged += killed.acknowledged
            moments[f"{killed.moment}/{killed.face}"] += 1
            bad += bool(killed.faults)
            for fault in killed.faults[:10]:
                print(f"  {killed.name} ({killed.moment}, {killed.face}): {fault}", flush=True)
    told = ", ".join(f"{name} {times}" for name, times in sorted(moments.items()))
    print(f"crash: {acknowledged} answers told before the kills ({told}); {bad} rounds with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
