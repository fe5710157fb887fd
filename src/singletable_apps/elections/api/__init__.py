"""Elections over HTTP: handlers that only translate, one file a topic.

`make_elections_app(elections, settings=ApiSettings(…))` is the whole app under `/api/elections`.
An app that has them under another prefix takes `ROUTERS` and `KINDS`, and calls `attach`.
"""

from __future__ import annotations

from singletable_apps.elections.api.app import PREFIX, ROUTERS, attach, make_elections_app
from singletable_apps.elections.api.dependencies import ApiSettings, Limits
from singletable_apps.elections.api.problems import PROBLEM_TYPES

__all__ = [
    "PREFIX",
    "PROBLEM_TYPES",
    "ROUTERS",
    "ApiSettings",
    "Limits",
    "attach",
    "make_elections_app",
]
