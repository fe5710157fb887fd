"""The endpoint as its users have it: `singletable dynamodb`, a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients.program import running

REGION = "eu-central-1"


@dataclass(frozen=True)
class Endpoint:
    """Where the endpoint is."""

    url: str
    region: str = REGION

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
    program = Path(sys.executable).with_name("singletable")
    command: list[str | Path] = [program, "dynamodb", "--memory", "--port", "0", "--region", REGION]
    with running(command, ready=r"http://[\d.]+:\d+", status=0) as said:
        yield Endpoint(said[0])
