"""Polls over HTTP: handlers that only translate, one file a topic.

`make_polls_app(polls, settings=ApiSettings(…))` is the whole app under `/api/polls`.
"""

from __future__ import annotations

from singletable_apps.polls.api.app import PREFIX, make_polls_app
from singletable_apps.polls.api.dependencies import ApiSettings, Limits

__all__ = ["PREFIX", "ApiSettings", "Limits", "make_polls_app"]
