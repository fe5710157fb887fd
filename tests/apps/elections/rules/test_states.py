"""Every command in every state, at every moment: allowed where the table says, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timezone
from functools import partial
from itertools import product

import pytest

from singletable_apps.elections.entities import Election, State, User
from singletable_apps.elections.errors import NotPermitted, WrongState
from singletable_apps.elections.roles import ROLES, Role
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
    check_view_tally,
    check_window,
    describe_status,
    has_begun,
    has_ended,
    state_of,
)
from singletable_apps.elections.rules.voting import check_cast, check_withdraw
from tests.apps.elections.rules.samples import HOUR, NOON, SWITCHES, TICK, ballot, election, user

ADA = user(Role.USER)
BEN = user(Role.USER, "ben")
OPENS, ENDS = NOON, NOON + HOUR
BEFORE = (OPENS - HOUR, OPENS - TICK)
DURING = (OPENS, OPENS + TICK, ENDS - TICK)
AFTER = (ENDS, ENDS + HOUR)

# A letter for each window and moment. No window / a window: before it, in it, after it / only a
# beginning: before it, after it / only an end: before it, after it.
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
    launch       y/yy./yy/y.  ./.../../..  ./.../../..  ./.../../..
    fix          ./.../../..  y/yyy/yy/yy  ./.../../..  ./.../../..
    finalise     ./.../../..  y/..y/yy/.y  y/..y/yy/.y  ./.../../..
    end          ./.../../..  ./..y/../.y  ./..y/../.y  ./.../../..
    cast         ./.../../..  y/.y./.y/y.  y/.y./.y/y.  ./.../../..
    cast_again   ./.../../..  y/.y./.y/y.  ./.../../..  ./.../../..
    withdraw     ./.../../..  y/.y./.y/y.  ./.../../..  ./.../../..
    tally        ./.../../..  y/.yy/.y/yy  y/.yy/.y/yy  y/yyy/yy/yy
    secret_tally ./.../../..  ./.../../..  ./.../../..  y/yyy/yy/yy
    delete       y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy
    hand_over    y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy  y/yyy/yy/yy
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
    "voters": lambda actor, it, now: check_set_voters(actor, it),
    "launch": check_launch,
    "fix": lambda actor, it, now: check_lock(actor, it),
    "finalise": check_close,
    "end": lambda actor, it, now: check_close(None, it, now),
    "cast": lambda actor, it, now: check_cast(actor, it, listed=False, ballot=None, now=now),
    "cast_again": lambda actor, it, now: check_cast(
        actor, it, listed=False, ballot=ballot(), now=now
    ),
    "withdraw": lambda actor, it, now: check_withdraw(actor, it, ballot=ballot(), now=now),
    "tally": check_view_tally,
    "secret_tally": check_view_tally,
    "delete": lambda actor, it, now: check_delete(actor, it),
    "hand_over": lambda actor, it, now: check_transfer(actor, it, BEN),
}
MODERATED = {"delete", "hand_over"}
OF_OWNERS = MODERATED | {
    "settings",
    "rename",
    "candidates",
    "voters",
    "launch",
    "fix",
    "finalise",
}


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(product(COMMANDS, State))
    assert all(len(letters) == len(MOMENTS) for letters in TABLE.values())


@pytest.mark.parametrize(("command", "state"), TABLE)
def test_a_command_is_allowed_where_the_table_says(command: str, state: State) -> None:
    for allowed, (window, moments) in zip(TABLE[command, state], MOMENTS, strict=True):
        it = election(state, window, secret=command == "secret_tally")
        for now in moments:
            if allowed:
                COMMANDS[command](ADA, it, now)
            else:
                with pytest.raises(WrongState):
                    COMMANDS[command](ADA, it, now)


# Somewhere every command is allowed, so what is refused there is refused for who asks.
@pytest.mark.parametrize(("command", "role"), [*product(sorted(OF_OWNERS), ROLES)])
def test_an_election_is_its_owners(command: str, role: Role) -> None:
    state = next(state for state in State if TABLE[command, state][0])
    it = election(state)
    uses, manages = ROLES.index(role) >= 3, ROLES.index(role) >= 4
    assert _is_permitted(lambda: COMMANDS[command](user(role), it, NOON)) is uses
    assert _is_permitted(lambda: COMMANDS[command](user(role, "ADA"), it, NOON)) is uses
    moderates = manages and command in MODERATED
    assert _is_permitted(lambda: COMMANDS[command](user(role, "ben"), it, NOON)) is moderates


@pytest.mark.parametrize("role", ROLES)
def test_an_election_is_given_to_who_could_use_it(role: Role) -> None:
    it, ben = election(State.SETUP), user(role, "ben")
    assert _is_done(lambda: check_transfer(ADA, it, ben)) is (ROLES.index(role) >= 3)


# Who is refused for not being the owner learns nothing of the state by the refusal.
@pytest.mark.parametrize(("command", "state"), [*product(sorted(OF_OWNERS), State)])
def test_who_asks_is_judged_before_the_state(command: str, state: State) -> None:
    with pytest.raises(NotPermitted, match="is owned by 'ada'"):
        COMMANDS[command](BEN, election(state), NOON)


@pytest.mark.parametrize("count", [0, 1])
def test_there_are_two_to_choose_from_once_votes_are_accepted(count: int) -> None:
    with pytest.raises(WrongState, match=f"less than 2 candidates, has {count}"):
        check_launch(ADA, election(State.SETUP, candidates=count), NOON)
    check_set_candidates(ADA, election(State.SETUP), count=count)
    with pytest.raises(WrongState, match=f"less than 2 candidates, would have {count}"):
        check_set_candidates(ADA, election(State.EDITABLE), count=count)


# By the three commands that change it, an election only ever goes forward.
def test_an_election_only_goes_forward() -> None:
    steps = {
        "launch": [State.EDITABLE, State.FIXED],
        "fix": [State.FIXED],
        "finalise": [State.CLOSED],
    }
    found = {
        (state, after)
        for state, (command, reached) in product(State, steps.items())
        for after in reached
        if _is_done(partial(COMMANDS[command], ADA, election(state), NOON))
    }
    assert found == {
        (State.SETUP, State.EDITABLE),
        (State.SETUP, State.FIXED),
        (State.EDITABLE, State.FIXED),
        (State.EDITABLE, State.CLOSED),
        (State.FIXED, State.CLOSED),
    }


@pytest.mark.parametrize("state", State)
def test_the_switches_say_the_state(state: State) -> None:
    assert state_of(election(state)) is state
    assert len(set(SWITCHES.values())) == len(State)


STATUS = [
    (State.SETUP, ["Waiting for launch"] * 8),
    (State.CLOSED, ["Closed"] * 8),
    *(
        (
            state,
            [
                words,
                "Voting opens 2026-03-02 12:00 UTC",
                words,
                "Voting has ended, not yet finalised",
                "Voting opens 2026-03-02 12:00 UTC",
                words,
                words,
                "Voting has ended, not yet finalised",
            ],
        )
        for state, words in [
            (State.EDITABLE, "Waiting for votes (editable)"),
            (State.FIXED, "Waiting for votes (fixed)"),
        ]
    ),
]


@pytest.mark.parametrize(("state", "status"), STATUS)
def test_the_status_says_where_an_election_stands(state: State, status: list[str]) -> None:
    for words, (window, moments) in zip(status, MOMENTS, strict=True):
        assert {describe_status(election(state, window), now) for now in moments} == {words}


def test_a_window_begins_with_its_first_moment_and_is_over_with_its_last() -> None:
    it = election(State.FIXED, (OPENS, ENDS))
    moments = [OPENS - TICK, OPENS, ENDS - TICK, ENDS]
    assert [has_begun(it, now) for now in moments] == [False, True, True, True]
    assert [has_ended(it, now) for now in moments] == [False, False, False, True]


@pytest.mark.parametrize(
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
def test_a_window_may_be_open_on_either_side(
    before: datetime | None, after: datetime | None
) -> None:
    check_window(before, after)


def test_an_owner_is_known_whatever_the_case() -> None:
    check_owner(user(Role.USER, "Ada"), election(State.CLOSED))


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
