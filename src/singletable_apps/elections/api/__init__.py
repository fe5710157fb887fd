"""The HTTP API of elections: one router per topic. Handlers only translate.

`make_elections_app(elections, settings=ApiSettings(…))` is the whole app under `/api/elections`.
An app with another prefix includes `ROUTERS`, `PROBLEM_TYPES` and `ERRORS`, and calls `attach`.
"""

from __future__ import annotations

from singletable_apps.elections.api.app import PREFIX, ROUTERS, attach, make_elections_app
from singletable_apps.elections.api.dependencies import ApiSettings, Limits
from singletable_apps.elections.api.problems import ERRORS, PROBLEM_TYPES

__all__ = [
    "ERRORS",
    "PREFIX",
    "PROBLEM_TYPES",
    "ROUTERS",
    "ApiSettings",
    "Limits",
    "attach",
    "make_elections_app",
]
