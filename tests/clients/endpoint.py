"""Start `singletable dynamodb`, and stop it as its users do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Stopping takes milliseconds; whoever needs this long hangs.
PATIENCE = 20.0


@dataclass(frozen=True)
class Endpoint:
    """Where the endpoint is."""

    url: str
    region: str = "eu-central-1"

    @property
    def environment(self) -> dict[str, str]:
        """What every SDK reads from its environment, and nothing of this machine's own settings."""
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ENDPOINT_URL_DYNAMODB": self.url,
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@contextmanager
def running_endpoint() -> Generator[Endpoint]:
    """An endpoint with no tables, which ends with status 0 when it is asked to stop."""
    command = Path(sys.executable).with_name("singletable")
    region = Endpoint.region
    process = subprocess.Popen(
        [command, "dynamodb", "--memory", "--port", "0", "--region", region],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if url := re.search(r"http://[\d.]+:\d+", line):
                break
        else:
            raise AssertionError(f"`{command} dynamodb` ended without saying where it is")
        yield Endpoint(url[0], region)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
