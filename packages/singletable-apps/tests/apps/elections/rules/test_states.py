"""Which commands are allowed in which state, before, during and after the voting period."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timezone
from itertools import product

import pytest

from singletable_apps.elections.entities import Election, State, User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import ROLES, Role
from singletable_apps.elections.rules.elections import (
    check_close,
    check_delete,
    check_edit_settings,
    check_launch,
    check_lock,
    check_rename_election,
    check_set_candidates,
    check_set_voters,
    check_transfer,
    check_view_tally,
    check_window,
    describe_status,
    has_begun,
    has_ended,
    state_of,
)
from singletable_apps.elections.rules.voting import check_cast, check_withdraw
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.elections.rules.factories import HOUR, NOON, SWITCHES, TICK, election, user
from tools.testing.cases import every

ADA = user(Role.USER)
BEN = user(Role.USER, "ben")
OPENS, ENDS = NOON, NOON + HOUR
BEFORE = (OPENS - HOUR, OPENS - TICK)
DURING = (OPENS, OPENS + TICK, ENDS - TICK)
AFTER = (ENDS, ENDS + HOUR)

# One letter per column. No times / opening and closing time: before, during, after / opening time
# only: before, after / closing time only: before, after.
MOMENTS = [
    ((None, None), (*BEFORE, *DURING, *AFTER)),
    ((OPENS, ENDS), BEFORE),
    ((OPENS, ENDS), DURING),
    ((OPENS, ENDS), AFTER),
    ((OPENS, None), BEFORE),
    ((OPENS, None), (*DURING, *AFTER)),
    ((None, ENDS), (*BEFORE, *DURING)),
    ((None, ENDS), AFTER),
]
ALLOWED = """
                 setup        editable     fixed        closed
    settings     y/yyy/yy/yy  ./.../../..  ./.../../..  ./.../../..
    rename       y/yyy/yy/yy  y/yyy/yy/yy  ./.../../..  ./.../../..
    candidates   y/yyy/yy/yy  y/yyy/yy/yy  ./.../../..  ./.../../..
    voters       y/yyy/yy/yy  y/yyy/yy/yy  ./.../../..  ./.../../..
    secret_names y/yyy/yy/yy  ./.../../..  ./.../../..  ./.../../..
    launch       y/yy./yy/y.  ./.../../..  ./.../../..  ./.../../..
    lock         ./.../../..  y/yyy/yy/yy  ./.../../..  ./.../../..
    close        ./.../../..  y/..y/yy/.y  y/..y/yy/.y  ./.../../..
    end          ./.../../..  ./..y/../.y  ./..y/../.y  ./.../../..
    cast         ./.../../..  y/.y./.y/y.  y/.y./.y/y.  ./.../../..
    cast_again   ./.../../..  y/.y./.y/y.  ./.../../..  ./.../../..
    withdraw     ./.../../..  y/.y./.y/y.  ./.../../..  ./.../../..
    tally        ./.../../..  y/.yy/.y/yy  y/.yy/.y/yy  y/yyy/yy/yy
    secret_tally ./.../../..  ./.../../..  ./.../../..  y/yyy/yy/yy
    delete       y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy
    transfer     y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy
"""


STATES, *ROWS = (line.split() for line in ALLOWED.strip().splitlines())
TABLE = {
    (command, State(state)): [letter == "y" for letter in letters.replace("/", "")]
    for command, *columns in ROWS
    for state, letters in zip(STATES, columns, strict=True)
}

COMMANDS: dict[str, Callable[[User, Election, datetime], None]] = {
    "settings": lambda actor, it, now: check_edit_settings(actor, it),
    "rename": lambda actor, it, now: check_rename_election(actor, it),
    "candidates": lambda actor, it, now: check_set_candidates(actor, it, count=2),
    "secret_names": lambda actor, it, now: check_set_candidates(actor, it, count=2),
    "voters": lambda actor, it, now: check_set_voters(actor, it),
    "launch": check_launch,
    "lock": lambda actor, it, now: check_lock(actor, it),
    "close": check_close,
    "end": lambda actor, it, now: check_close(None, it, now),
    "cast": lambda actor, it, now: check_cast(actor, it, listed=False, has_voted=False, now=now),
    "cast_again": lambda actor, it, now: check_cast(
        actor, it, listed=False, has_voted=True, now=now
    ),
    "withdraw": lambda actor, it, now: check_withdraw(actor, it, has_voted=True, now=now),
    "tally": check_view_tally,
    "secret_tally": check_view_tally,
    "delete": lambda actor, it, now: check_delete(actor, it),
    "transfer": lambda actor, it, now: check_transfer(actor, it, BEN),
}
MODERATED = {"delete", "transfer"}
OF_OWNERS = MODERATED | {"settings", "rename", "candidates", "voters", "launch", "lock", "close"}


def test_table_covers_every_command_and_state() -> None:
    assert set(TABLE) == set(product(COMMANDS, State))
    assert all(len(letters) == len(MOMENTS) for letters in TABLE.values())


@every(("command", "state"), TABLE)
def test_command_is_allowed_exactly_as_the_table_says(command: str, state: State) -> None:
    for allowed, (window, moments) in zip(TABLE[command, state], MOMENTS, strict=True):
        it = election(state, window, secret=command.startswith("secret_"))
        for now in moments:
            if allowed:
                COMMANDS[command](ADA, it, now)
            else:
                with pytest.raises(WrongState):
                    COMMANDS[command](ADA, it, now)


# Every command is allowed to the owner in some state, so an error there is about the actor.
@every(("command", "role"), [*product(sorted(OF_OWNERS), ROLES)])
def test_only_owner_may_manage_election(command: str, role: Role) -> None:
    state = next(state for state in State if TABLE[command, state][0])
    it = election(state)
    uses, manages = ROLES.index(role) >= 3, ROLES.index(role) >= 4
    assert _is_permitted(lambda: COMMANDS[command](user(role), it, NOON)) is uses
    assert _is_permitted(lambda: COMMANDS[command](user(role, "ADA"), it, NOON)) is uses
    moderates = manages and command in MODERATED
    assert _is_permitted(lambda: COMMANDS[command](user(role, "ben"), it, NOON)) is moderates


@every("role", ROLES)
def test_transfer_needs_owner_who_may_manage_elections(role: Role) -> None:
    it, ben = election(State.SETUP), user(role, "ben")
    assert _is_done(lambda: check_transfer(ADA, it, ben)) is (ROLES.index(role) >= 3)


# Someone who is not the owner does not learn the state from the error.
@every(("command", "state"), [*product(sorted(OF_OWNERS), State)])
def test_ownership_is_checked_before_state(command: str, state: State) -> None:
    with pytest.raises(NotPermitted):
        COMMANDS[command](BEN, election(state), NOON)


@every("state", State)
def test_switches_determine_state(state: State) -> None:
    assert state_of(election(state)) is state
    assert len(set(SWITCHES.values())) == len(State)


STATUS = [
    (State.SETUP, ["Being set up"] * 8),
    (State.CLOSED, ["Closed"] * 8),
    *(
        (
            state,
            [
                words,
                "Voting opens later",
                words,
                "Voting has ended",
                "Voting opens later",
                words,
                words,
                "Voting has ended",
            ],
        )
        for state, words in [
            (State.EDITABLE, "Open for votes"),
            (State.FIXED, "Open for votes, locked"),
        ]
    ),
]


@every(("state", "status"), STATUS)
def test_status_describes_state_and_times(state: State, status: list[str]) -> None:
    for words, (window, moments) in zip(status, MOMENTS, strict=True):
        assert {describe_status(election(state, window), now) for now in moments} == {words}


def test_opening_time_is_inclusive_and_closing_time_exclusive() -> None:
    it = election(State.FIXED, (OPENS, ENDS))
    moments = [OPENS - TICK, OPENS, ENDS - TICK, ENDS]
    assert [has_begun(it, now) for now in moments] == [False, True, True, True]
    assert [has_ended(it, now) for now in moments] == [False, False, False, True]


@every(
    ("before", "after"),
    [
        (None, None),
        (OPENS, None),
        (None, ENDS),
        (OPENS, OPENS + TICK),
        (ENDS.astimezone(timezone(-12 * HOUR)), ENDS.astimezone(timezone(12 * HOUR)) + TICK),
        (datetime(1970, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC)),
    ],
)
def test_opening_and_closing_times_are_optional(
    before: datetime | None, after: datetime | None
) -> None:
    check_window(before, after)


def _is_permitted(ask: Callable[[], None]) -> bool:
    try:
        ask()
    except NotPermitted:
        return False
    return True


def _is_done(ask: Callable[[], None]) -> bool:
    try:
        ask()
    except WrongState:
        return False
    return True
