"""The command does not start where it could not serve, or should not, and says why."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from singletable.cli import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """The one paragraph in which the command says why it does not start."""
    with pytest.raises(SystemExit) as ended:
        main(["dynamodb", *options])
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert printed.err.startswith("singletable: ")
    assert len(printed.err.strip().splitlines()) == 1
    return printed.err


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = refusal(capsys, "--port", str(port))
    assert f"127.0.0.1:{port}" in told
    assert "--port" in told


# Nothing is made where nothing is served.
def test_other_machines_are_not_served_without_credentials(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "--credentials" in refusal(capsys, "--host", "0.0.0.0", "--file", "votes.db")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options",
    [
        ["--memory", "--file", "votes.db"],
        ["--file", "."],
        ["--file", "votes.db", "--access-log", "./votes.db"],
        ["--access-log", "nowhere/access.log"],
        ["--durability", "normal"],
    ],
    ids=["two places", "a folder", "one file for both", "a log that cannot be", "lasting memory"],
)
def test_options_that_make_no_sense_are_told(
    capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    refusal(capsys, "--port", "0", *options)
