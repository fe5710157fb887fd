"""The service of polls in a process of its own: python -m benchmarks.polling.server FOLDER PORT."""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from singletable import connect
from singletable_apps.polls.api import ApiSettings, Limits, make_polls_app
from singletable_apps.polls.secret import Secret
from singletable_apps.polls.service import open_polls

SECRET = Secret(b"a secret for the benchmark alone")


def serve(folder: Path, port: int) -> None:
    """Serve what lies in a folder until it is stopped."""
    polls = open_polls(connect(f"file:{folder / 'polls.db'}"), SECRET)
    app = make_polls_app(polls, settings=ApiSettings(limits=Limits.off()))
    uvicorn.run(app, port=port, log_level="warning", access_log=False)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
