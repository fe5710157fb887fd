"""Run the endpoint as its users do: `dynamodb-engine serve`, as a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.testing.programs import running

REGION = "eu-central-1"
CREDENTIALS = """
[[credential]]
name = "ada"
access_key_id = "AKIAADA"
secret_access_key = "an/engine+that=weaves"
"""


@dataclass(frozen=True)
class Endpoint:
    """The URL of the endpoint, and the credential of its clients."""

    url: str
    region: str = REGION
    access_key_id: str = "AKIAADA"
    secret_access_key: str = "an/engine+that=weaves"

    @property
    def for_boto3(self) -> dict[str, str]:
        """The arguments for boto3."""
        return {
            "endpoint_url": self.url,
            "region_name": self.region,
            "aws_access_key_id": self.access_key_id,
            "aws_secret_access_key": self.secret_access_key,
        }

    @property
    def environment(self) -> dict[str, str]:
        """The environment for an SDK, without the settings of this machine."""
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "AWS_ACCESS_KEY_ID": self.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.secret_access_key,
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ENDPOINT_URL_DYNAMODB": self.url,
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@contextmanager
def running_endpoint(folder: Path) -> Generator[Endpoint]:
    """Yield an endpoint without tables that verifies signatures."""
    credentials = folder / "credentials.toml"
    credentials.touch(0o600)
    credentials.write_text(CREDENTIALS)
    program = Path(sys.executable).with_name("dynamodb-engine")
    command: list[str | Path] = [program, "serve", "--port", "0"]
    command += ["--region", REGION, "--credentials", credentials]
    with running(command, ready=r"http://[\d.]+:\d+", status=0) as ready:
        yield Endpoint(ready[0])
