"""The API of polls, under `/api/polls`."""

from __future__ import annotations

from singletable_apps.polls.api.routes import ROUTERS

__all__ = ["ABOUT", "ROUTERS"]

ABOUT = (
    "Polls: create one, share its link, let people rank or pick the options, or find a date, and "
    "read the results; rankings by instant runoff and three other methods.\n\n"
    "There are no accounts. Creating a poll returns an `adminKey`; send it as `Authorization: "
    "Bearer …` to edit, close or delete the poll. A cookie identifies a browser that votes or "
    "creates polls. Polls have an ETag; send it as If-Match when you edit one."
)
