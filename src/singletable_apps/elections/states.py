"""The states of an election, and how much of it is published."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """Where an election stands; two switches say it, and no other combination has a meaning."""

    SETUP = "setup"
    EDITABLE = "editable"
    FIXED = "fixed"
    CLOSED = "closed"


STATES: dict[tuple[bool, bool], State] = {
    # (allow_edit, allow_vote)
    (True, False): State.SETUP,
    (True, True): State.EDITABLE,
    (False, True): State.FIXED,
    (False, False): State.CLOSED,
}

STATUS: dict[State, str] = {
    State.SETUP: "Waiting for launch",
    State.EDITABLE: "Waiting for votes (editable)",
    State.FIXED: "Waiting for votes (fixed)",
    State.CLOSED: "Closed",
}


class Publication(StrEnum):
    """What is published of an election when it has ended; settled before it opens."""

    TOTALS = "totals"
    ANONYMOUS = "anonymous"
    CONFIRMATIONS = "confirmations"
