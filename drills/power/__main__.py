"""Run the drill: python -m drills.power [--cuts N] [--seed N]."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from drills.power.cuts import DURABLE, RELAXED, cuts

CUTS_A_ROUND = 50
# The disk is a model, so its files may as well be in memory.
_MEMORY = Path("/dev/shm")


def main() -> int:
    """The exit code: 0 if every promise was kept."""
    parser = argparse.ArgumentParser(prog="python -m drills.power", description=__doc__)
    parser.add_argument("--cuts", type=int, default=1000, help="of each of the two promises")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    bad = 0
    for name, promise in (("durable", DURABLE), ("not durable", RELAXED)):
        print(f"power: {chosen.cuts} cuts, {name}, SEED={chosen.seed}", flush=True)
        rounds, done = -(-chosen.cuts // CUTS_A_ROUND), 0
        place = _MEMORY if _MEMORY.is_dir() else None
        with tempfile.TemporaryDirectory(dir=place) as folder:
            for cut in cuts(chosen.seed, Path(folder), promise, rounds, CUTS_A_ROUND):
                done += 1
                bad += bool(cut.faults)
                for fault in cut.faults[:10]:
                    print(f"  {cut.name}: {fault}", flush=True)
        print(f"power: {done} cuts checked, {name}; {bad} with faults so far", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
