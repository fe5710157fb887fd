"""Serve an app in a process: python -m benchmarks.http_load.app_server APP FOLDER PORT."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from singletable import connect
from singletable_apps.shared.serve import ListenOptions, PublicUrl, open_listener, serve

if TYPE_CHECKING:
    from fastapi import FastAPI


def polls_app(folder: Path) -> FastAPI:
    """Return the polls app without rate limits."""
    from benchmarks.polls import SECRET
    from singletable_apps.polls.app import APP
    from singletable_apps.polls.service import open_polls

    polls = open_polls(connect(f"file:{folder / 'polls.db'}"), SECRET)
    return APP.make_app(polls, limited=False)


def elections_app(folder: Path) -> FastAPI:
    """Return the elections app without rate limits."""
    from singletable_apps.elections.app import APP
    from singletable_apps.elections.keys import load_or_create_keys
    from singletable_apps.elections.service import open_elections

    elections = open_elections(
        connect(f"file:{folder / 'votes.db'}"), load_or_create_keys(folder / "keys")
    )
    return APP.make_app(elections, limited=False)


def portfolio_app(folder: Path) -> FastAPI:
    """Return the portfolio at the root, with API and pages, without rate limits."""
    from benchmarks.portfolio import SECRET
    from singletable_apps.portfolio.app import APP
    from singletable_apps.portfolio.service import open_portfolio
    from singletable_apps.portfolio.urls import Urls
    from singletable_apps.shared.objects import MemoryBucket

    driver = connect(f"file:{folder / 'portfolio.db'}")
    service = open_portfolio(driver, SECRET, bucket=MemoryBucket(), urls=Urls(prefix=""))
    return APP.make_app(service, limited=False)


def sqlite_blog(folder: Path) -> FastAPI:
    """Return the minimal blog."""
    from benchmarks.http_load.sqlite_blog import make_blog

    return make_blog(folder / "blog.db")


def skills_app(folder: Path) -> FastAPI:
    """Return the skills directory, with API and pages, without rate limits."""
    from benchmarks.skills_matrix import SECRET
    from singletable_apps.shared.web import Settings
    from singletable_apps.skills.app import APP
    from singletable_apps.skills.service import open_skills

    service = open_skills(connect(f"file:{folder / 'skills.db'}"), SECRET)
    return APP.make_app(service, Settings(secure_cookies=False), limited=False)


def sqlite_matrix(folder: Path) -> FastAPI:
    """Return the minimal matrix."""
    from benchmarks.http_load.sqlite_matrix import make_matrix

    return make_matrix(folder / "matrix.db")


APPS = {
    "polls": polls_app,
    "elections": elections_app,
    "portfolio": portfolio_app,
    "sqlite-blog": sqlite_blog,
    "skills": skills_app,
    "sqlite-matrix": sqlite_matrix,
}

if __name__ == "__main__":
    app = APPS[sys.argv[1]](Path(sys.argv[2]))
    with open_listener(ListenOptions("127.0.0.1", int(sys.argv[3]))) as listener:
        serve(app, listener, PublicUrl(f"http://127.0.0.1:{sys.argv[3]}", is_local=True))
