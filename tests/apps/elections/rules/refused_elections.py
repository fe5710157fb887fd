"""What is refused for the state of an election, and the words."""

from __future__ import annotations

from singletable_apps.elections.entities import State
from singletable_apps.elections.errors import NotPermitted, WrongState
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import (
    check_close,
    check_delete,
    check_edit_settings,
    check_launch,
    check_lock,
    check_owner,
    check_rename_election,
    check_set_candidates,
    check_set_voters,
    check_transfer,
)
from tests.apps.elections.rules.refusals import Refusal
from tests.apps.elections.rules.samples import HOUR, NOON, election, user

_ADA = user(Role.USER)
_NOT_YOURS = (
    "Election 'Lunch' is owned by 'ada', and only its owner may do this; you are signed in as "
    "'ben'. Ask the owner."
)
_FINALIZED = (
    "Election 'Lunch' can not be edited once it has been finalized. Create another election "
    "instead."
)

REFUSALS = [
    Refusal(
        lambda: check_owner(user(Role.OWNER, "ben"), election(State.SETUP)),
        NotPermitted,
        _NOT_YOURS,
    ),
    Refusal(
        lambda: check_delete(user(Role.USER, "ben"), election(State.SETUP)),
        NotPermitted,
        _NOT_YOURS,
    ),
    Refusal(
        lambda: check_owner(user(Role.VOTER), election(State.SETUP)),
        NotPermitted,
        "This needs the permission USE_APPLICATION, which the role USER and every greater one "
        "have; the role of 'ada' is VOTER. Ask somebody who manages users (ADMIN or above) for it.",
    ),
    Refusal(
        lambda: check_edit_settings(_ADA, election(State.EDITABLE)),
        WrongState,
        "Election 'Lunch' is closed for edits once launched, so that nobody votes under rules "
        "that change. Create another election for other settings.",
    ),
    Refusal(lambda: check_edit_settings(_ADA, election(State.CLOSED)), WrongState, _FINALIZED),
    Refusal(lambda: check_rename_election(_ADA, election(State.CLOSED)), WrongState, _FINALIZED),
    Refusal(lambda: check_launch(_ADA, election(State.CLOSED), NOON), WrongState, _FINALIZED),
    Refusal(lambda: check_lock(_ADA, election(State.CLOSED)), WrongState, _FINALIZED),
    Refusal(
        lambda: check_rename_election(_ADA, election(State.FIXED)),
        WrongState,
        "Election 'Lunch' is closed for edits once launched as fixed: its name can not change any "
        "more. Create another election instead.",
    ),
    Refusal(
        lambda: check_set_voters(_ADA, election(State.FIXED)),
        WrongState,
        "Election 'Lunch' is closed for edits once launched as fixed: its voters can not change "
        "any more. Create another election instead.",
    ),
    Refusal(
        lambda: check_set_candidates(_ADA, election(State.FIXED), count=1),
        WrongState,
        "Election 'Lunch' is closed for edits once launched as fixed: its candidates can not "
        "change any more. Create another election instead.",
    ),
    Refusal(
        lambda: check_set_candidates(_ADA, election(State.EDITABLE), count=1),
        WrongState,
        "Election 'Lunch' is launched, and can not go on with less than 2 candidates, would have "
        "1. Keep more of them, or delete the election.",
    ),
    Refusal(
        lambda: check_launch(_ADA, election(State.EDITABLE), NOON),
        WrongState,
        "Election 'Lunch' is launched already. It is now: Waiting for votes (editable).",
    ),
    Refusal(
        lambda: check_launch(_ADA, election(State.SETUP, candidates=1), NOON),
        WrongState,
        "Election can not be launched with less than 2 candidates, has 1. Add candidates to "
        "'Lunch' first.",
    ),
    Refusal(
        lambda: check_launch(_ADA, election(State.SETUP, (None, NOON)), NOON),
        WrongState,
        "Election 'Lunch' can not be launched: its voting ended 2026-03-02 12:00 UTC. Choose a "
        "later end, or none.",
    ),
    Refusal(
        lambda: check_lock(_ADA, election(State.SETUP)),
        WrongState,
        "Election 'Lunch' has not been launched yet. Launch it without edits instead.",
    ),
    Refusal(
        lambda: check_lock(_ADA, election(State.FIXED)),
        WrongState,
        "Election 'Lunch' is fixed already; nothing needs to be done.",
    ),
    Refusal(
        lambda: check_close(_ADA, election(State.CLOSED), NOON),
        WrongState,
        "Election 'Lunch' is finalized already; nothing needs to be done.",
    ),
    Refusal(
        lambda: check_close(_ADA, election(State.SETUP), NOON),
        WrongState,
        "Election 'Lunch' can not be finalized: it has not been launched yet. Launch it, or "
        "delete it.",
    ),
    Refusal(
        lambda: check_close(None, election(State.FIXED), NOON),
        WrongState,
        "Election 'Lunch' has no end date, so only its owner, 'ada', can finalize it.",
    ),
    Refusal(
        lambda: check_close(_ADA, election(State.FIXED, (None, NOON + HOUR)), NOON),
        WrongState,
        "Election 'Lunch' accepts votes until 2026-03-02 13:00 UTC. Only elections with no end "
        "date can be manually finalized before; wait until then.",
    ),
    Refusal(
        lambda: check_transfer(_ADA, election(State.SETUP), user(Role.VOTER, "ben")),
        WrongState,
        "'ben' can not own an election: this needs the permission USE_APPLICATION, and their role "
        "is VOTER. Choose another, or have their role changed first.",
        "owner",
    ),
]
