"""An endpoint that enforces a generated policy."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from dynamodb_engine.server.guard import Guard
from dynamodb_engine.testing import endpoint
from singletable import Driver, Engine, Store, Table, connect

CREDENTIALS = """
[[credential]]
name = "operator"
access_key_id = "OPERATOR"
secret_access_key = "may do everything"

[[credential]]
name = "app"
access_key_id = "APP"
secret_access_key = "restricted by its policy"
policy_file = "policy.json"
context = {"aws:PrincipalTag/user" = "alice"}
"""
# The same credentials, in the format of the AWS clients.
PROFILES = """
[operator]
aws_access_key_id = OPERATOR
aws_secret_access_key = may do everything

[app]
aws_access_key_id = APP
aws_secret_access_key = restricted by its policy
"""


@dataclass(frozen=True, slots=True)
class EnforcedPolicy:
    """Two drivers of one endpoint: the operator may do everything, the app has the policy."""

    operator: Driver
    app: Driver


@contextmanager
def enforce(
    policy: Mapping[str, object], folder: Path, tables: Sequence[Table]
) -> Generator[EnforcedPolicy]:
    """Start an endpoint with the policy and the tables, empty."""
    for name, text in (
        ("policy.json", json.dumps(policy)),
        ("credentials.toml", CREDENTIALS),
        ("profiles", PROFILES),
    ):
        (folder / name).touch(0o600)
        (folder / name).write_text(text)
    guard = Guard.from_file(folder / "credentials.toml")
    with (
        Engine.in_memory() as engine,
        endpoint(engine, guard=guard) as url,
        pytest.MonkeyPatch.context() as environment,
    ):
        environment.setenv("AWS_SHARED_CREDENTIALS_FILE", str(folder / "profiles"))
        address = f"dynamodb+{url}?region=us-east-1&profile="
        with connect(f"{address}operator") as operator, connect(f"{address}app") as app:
            for table in tables:
                Store(operator).admin.create_table(table)
            yield EnforcedPolicy(operator, app)
