"""`singletable serve` rejects wrong options with a reason, before it creates files."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from singletable.cli import main
from singletable_apps.shared.apps import (
    AppInfo,
    RunningApp,
    SampleData,
    SampleEntry,
    check_sample,
)
from singletable_apps.shared.serve import ListenError, PublicUrl


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *map(str, arguments)])
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert printed.err.startswith("singletable: ")
    return printed.err


REFUSED = {
    "a proxy": (("--proxy", "everybody"), "--proxy expects a network"),
    "an address of people": (("--public", "example.org"), "--public expects a URL"),
    "an address of tables": (("--address", "votes.db"), "Did you mean 'file:votes.db'?"),
    "half of TLS": (("--tls-cert", "cert.pem"), "Use --tls-cert and --tls-key together."),
    "no certificate": (("--tls-cert", "none.pem", "--tls-key", "none"), "Cannot read none.pem"),
    "plain links over TLS": (
        ("--tls-cert", "a", "--tls-key", "b", "--public", "http://a.example"),
        "--public expects a URL with https://",
    ),
    "a mail server": (("--smtp", "mail"), "--smtp 'mail' is not valid"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_options_are_rejected_before_files_are_created(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, case: str
) -> None:
    arguments, why = REFUSED[case]
    place = ("--folder", tmp_path / "data", "--port", "0", "--sample")
    assert why in _refused(capsys, *place, *arguments)
    assert list(tmp_path.iterdir()) == []


PUBLIC = (("--host", "0.0.0.0"), ("--public", "https://vote.example.org"))


# The sample's passwords are in the documentation, and logs of public servers have many readers.
@pytest.mark.parametrize("reachable", PUBLIC)
@pytest.mark.parametrize("app", ["", "polls"])
@pytest.mark.parametrize("option", ["--sample", "--print-emails"])
def test_options_for_local_servers_are_refused_on_public_ones(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    app: str,
    option: str,
    reachable: tuple[str, str],
) -> None:
    names = [app] if app else []
    place = ("--folder", tmp_path / "data", "--port", "0")
    err = _refused(capsys, *names, *place, option, *reachable)
    assert f"Leave out {option}, or listen on 127.0.0.1 without --public." in err
    assert list(tmp_path.iterdir()) == []


# Nobody signs in to polls, and games have no accounts.
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("polls", "--oidc", "https://a@login.example"), "nobody signs in to polls"),
        (("chess",), "There is no app 'chess'. The apps are: elections, games, polls"),
    ],
)
def test_apps_that_cannot_be_served_so_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    assert why in _refused(capsys, *arguments, "--folder", tmp_path / "data", "--port", "0")
    assert list(tmp_path.iterdir()) == []


def test_existing_sample_is_not_served_to_other_machines() -> None:
    entry = SampleEntry("Ada, administrator", "", "/sign-in")
    info = AppInfo("Notes", "Take notes.", "/notes", "", "")
    empty = RunningApp(info, _app, ("/notes",), "/api/notes")
    served = replace(empty, sample=lambda: SampleData((entry,)))
    check_sample(served, PublicUrl("http://127.0.0.1:8000", is_local=True))
    check_sample(empty, PublicUrl("https://example.org"))
    with pytest.raises(ListenError, match="Notes has sample data"):
        check_sample(served, PublicUrl("https://example.org"))


async def _app(scope: object, receive: object, send: object) -> None:
    """Stand in for an app that is not called."""


def test_port_in_use_is_rejected_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        err = _refused(capsys, "--folder", tmp_path / "data", "--port", port)
    assert "Cannot listen on 127.0.0.1" in err
    assert list(tmp_path.iterdir()) == []


def test_file_as_a_folder_is_rejected(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    err = _refused(capsys, "--folder", tmp_path / "data", "--port", "0", "--sample")
    assert "Elections could not start." in err
    assert f"Cannot use '{tmp_path}/data/elections.new': Not a directory." in err
