"""What is being measured, for whoever waits."""

from __future__ import annotations

import sys


def progress(doing: str) -> None:
    """Say what is being done, on the stream that is not kept."""
    print(f"… {doing}", file=sys.stderr, flush=True)
