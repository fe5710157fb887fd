"""Run the drill: python -m drills.elections [--rounds N] [--clients N] [--commands N]."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from drills.elections.rounds import rounds


def main() -> int:
    """The exit code: 0 if nothing was lost, doubled or torn."""
    parser = argparse.ArgumentParser(prog="python -m drills.elections", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--commands", type=int, default=60)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(f"elections: {chosen.rounds} rounds, SEED={chosen.seed}", flush=True)
    acknowledged, killed, bad = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for one in rounds(
            chosen.seed,
            Path(folder),
            count=chosen.rounds,
            clients=chosen.clients,
            commands=chosen.commands,
            kills=chosen.kills,
        ):
            acknowledged += one.acknowledged
            killed += one.killed
            bad += bool(one.faults)
            for fault in one.faults[:10]:
                print(f"  {one.name} of seed {chosen.seed}: {fault}", flush=True)
    print(
        f"elections: {acknowledged:,} commands acknowledged by {chosen.clients} processes at once, "
        f"{killed} of which were killed; {bad} rounds with faults"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
