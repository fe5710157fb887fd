"""Programs that run beside a test: started, listened to until they are ready, and asked to stop."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

# Starting and stopping take a second, on a busy machine some; whoever needs this long hangs.
PATIENCE = 60.0


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    ready: str,
    status: int,
    environment: Mapping[str, str] | None = None,
) -> Generator[re.Match[str]]:
    """What a program says when it is ready; it runs until the block ends, with that status."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if found := re.search(ready, line):
                break
        else:
            raise AssertionError(f"{command[0]} ended without being ready:\n{said}")
        # What it says later is of no interest, but must be read, or it would wait for that.
        Thread(target=process.stdout.read, daemon=True).start()
        yield found
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE)
    assert process.returncode == status
