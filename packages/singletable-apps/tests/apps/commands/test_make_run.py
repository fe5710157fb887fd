"""`make run` serves the site with sample data, stops on Ctrl-C, and keeps its data."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from singletable import Engine
from singletable_apps.elections.keys import load_or_create_keys
from singletable_apps.elections.sample import PASSWORD
from singletable_apps.elections.service import open_elections
from singletable_apps.home.apps import find_apps
from tools.testing.sources import ROOT


def _ask(url: str, body: dict[str, str]) -> str:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(json.load(answer)["access_token"])


@contextmanager
def _running(folder: Path) -> Generator[tuple[str, list[str]]]:
    """Run `make run`; yield its URL and everything it prints."""
    command = ["make", "-f", str(ROOT / "Makefile"), "run", "PORT=0", f"BIN={ROOT}/.venv/bin"]
    with subprocess.Popen(
        [*command, "RUNNABLE=installed"],
        cwd=folder,
        # Without the flags of a make that runs the tests.
        env={name: value for name, value in os.environ.items() if name != "MAKEFLAGS"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # As in a terminal, also if the tests run in the background, where SIGINT is ignored.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        printed: list[str] = []
        for line in process.stdout:
            printed.append(line)
            if found := re.match(r"singletable is running at (\S+) ", line):
                break
        else:
            raise AssertionError("".join(printed))
        try:
            yield found[1], printed
        finally:
            # As a terminal does it: everybody in the foreground gets the signal.
            os.killpg(process.pid, signal.SIGINT)
            printed += process.stdout


def test_make_run_serves_sample_data_stops_and_keeps_changes(tmp_path: Path) -> None:
    (tmp_path / "constraints").mkdir()
    for name in ("pyproject.toml", "constraints/dev.txt", "installed"):
        (tmp_path / name).touch()
    apps = find_apps()
    with _running(tmp_path) as (url, printed):
        for path in ("/", *(app.prefix for app in apps)):
            with urllib.request.urlopen(url + path, timeout=30) as answer:
                assert "</html>" in answer.read().decode()
        api = f"{url}/api/elections"
        assert _ask(f"{api}/sign-in", {"name_or_email": "Ada", "password": PASSWORD})
        newcomer = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD}
        assert _ask(f"{api}/register", newcomer)
    output = "".join(printed)
    for words in (PASSWORD, "Grace", "/api/elections/docs", "Ctrl-C", "Back up", "Stopped."):
        assert words in output
    assert "Traceback" not in output
    # The next start finds all this, and creates nothing again.
    kept = tmp_path / ".run" / "elections"
    assert {one.name for one in (tmp_path / ".run").iterdir()} == {app.name for app in apps}
    assert {one.name for one in kept.iterdir()} == {"keys", "elections.db"}
    with Engine.on_file(kept / "elections.db") as engine:
        elections = open_elections(engine, load_or_create_keys(kept / "keys"))
        assert elections.auth.sign_in("zoe", PASSWORD).user.name == "Zoe"
