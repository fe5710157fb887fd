"""The frame of an app: its declaration, from which the web app and the commands follow.

`AppSpec` declares an app. Handlers of the API depend on `current_service` and `signed_in_user`,
those of pages on `PageContext.visited` and `UserPageContext.signed_in`. `app_commands` is in
`shared.app_commands`, which does not load the web framework.
"""

from __future__ import annotations

from singletable_apps.shared.frame.jobs import Job
from singletable_apps.shared.frame.page import PageContext, UserPageContext, find_visitor
from singletable_apps.shared.frame.problems import AppProblems
from singletable_apps.shared.frame.spec import AppSpec, Opening
from singletable_apps.shared.frame.state import (
    AppState,
    Limits,
    Recent,
    count_request,
    count_user_request,
    current_service,
    current_state,
    limited,
    signed_in_user,
    state_of,
)
from singletable_apps.shared.urls import Urls

__all__ = [
    "AppProblems",
    "AppSpec",
    "AppState",
    "Job",
    "Limits",
    "Opening",
    "PageContext",
    "Recent",
    "Urls",
    "UserPageContext",
    "count_request",
    "count_user_request",
    "current_service",
    "current_state",
    "find_visitor",
    "limited",
    "signed_in_user",
    "state_of",
]
