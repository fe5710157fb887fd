"""The service of elections in a process of its own: python -m benchmarks.electing.server FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from singletable import connect
from singletable_apps.elections.api import ApiSettings, make_elections_app
from singletable_apps.elections.api.settings import Limits
from singletable_apps.elections.keys import load_keys
from singletable_apps.elections.service import open_elections


def serve(folder: Path, port: int) -> None:
    """Serve what lies in a folder until it is stopped."""
    elections = open_elections(connect(f"file:{folder / 'votes.db'}"), load_keys(folder / "keys"))
    app = make_elections_app(elections, settings=ApiSettings(limits=Limits.off()))
    uvicorn.run(app, port=port, log_level="warning", access_log=False)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
