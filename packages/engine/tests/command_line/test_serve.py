"""The command line of the engine: options, version, and what `serve` prints."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from dynamodb_engine.cli.endpoint import EndpointConfig, print_usage
from tools.testing.commands import Run


def test_python_runs_the_package() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "dynamodb_engine", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == f"dynamodb-engine {version('dynamodb-engine')}\n"


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--region", "nonsense", "such as eu-west-1"),
        ("--durability", "maybe", "full or normal"),
        ("--allow-host", "http://db.test:8000", "Expected a host name"),
    ],
)
def test_endpoint_rejects_invalid_options(run: Run, option: str, value: str, expected: str) -> None:
    err = run.rejected("serve", option, value)
    assert expected in " ".join(err.split())
    assert f"'{value}'" in err


def test_endpoint_needs_certificate_and_key_together(run: Run) -> None:
    assert "--tls-key" in run.rejected("serve", "--tls-cert", "cert.pem")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("10.0.0.7", "http://10.0.0.7:8000"),
    ],
)
def test_endpoint_prints_a_url_that_can_be_opened(
    host: str, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = EndpointConfig(
        address="memory:",
        durable=True,
        feed_records=10_000,
        kinesis_folder=None,
        host=host,
        port=8000,
        region="us-east-1",
        allowed_hosts=(),
        tls_cert=None,
        tls_key=None,
        credentials=None,
        faults=None,
        metrics=False,
        access_log=None,
    )
    print_usage(config, host, 8000)
    out = capsys.readouterr().out
    assert f"Serving DynamoDB at {url}" in out
    assert "0.0.0.0" not in out


@pytest.mark.parametrize("command", [["check"], ["backup", "copy.db"]])
def test_commands_for_files_reject_other_addresses(run: Run, command: list[str]) -> None:
    error = run.rejected(command[0], "postgresql://votes:secret@db/votes", *command[1:])
    assert error == (
        "dynamodb-engine: Expected the path of a file, such as votes.db, but got 'postgresql:'."
    )


@pytest.mark.parametrize("command", [["check"], ["backup", "copy.db"]])
def test_missing_file_is_reported_and_not_created(
    run: Run, folder: Path, command: list[str]
) -> None:
    assert "typo.db" in run.rejected(command[0], "typo.db", *command[1:])
    assert list(folder.iterdir()) == []
