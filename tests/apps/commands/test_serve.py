"""`singletable serve`: what stands in its way is said in words, before anything is made."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from singletable.cli import main


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
    "an address of tables": (("--at", "votes.db"), "Did you mean 'file:votes.db'?"),
    "a mail server": (("--smtp", "mail"), "Elections could not start. --smtp 'mail' is not valid"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_before_anything_is_made(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, case: str
) -> None:
    arguments, why = REFUSED[case]
    place = ("--folder", tmp_path / "data", "--port", "0", "--sample")
    assert why in _refused(capsys, *place, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_refused_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        err = _refused(capsys, "--folder", tmp_path / "data", "--port", port)
    assert "Cannot listen on 127.0.0.1" in err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "data").touch()
    err = _refused(capsys, "--folder", tmp_path / "data", "--port", "0", "--sample")
    assert "Elections could not start." in err
    assert f"Cannot use '{tmp_path}/data/elections.new': Not a directory." in err


def test_what_is_not_installed_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("home.serve", "shared.serve"):
        monkeypatch.delitem(sys.modules, f"singletable_apps.{module}", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    err = _refused(capsys, "--folder", tmp_path / "data", "--port", "0")
    assert err == "singletable: The apps need uvicorn. Run: pip install 'singletable[apps]'\n"
