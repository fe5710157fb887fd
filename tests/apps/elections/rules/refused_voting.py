"""Ballots that are refused, and what is not shown, and the words."""

from __future__ import annotations

from singletable_apps.elections.entities import Election, Publication, State
from singletable_apps.elections.errors import InvalidInput, NotFound, NotPermitted, WrongState
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import check_view_ballot, check_view_tally
from singletable_apps.elections.rules.voting import (
    check_cast,
    check_voter,
    check_withdraw,
    parse_ranking,
)
from tests.apps.elections.rules.refusals import Refusal
from tests.apps.elections.rules.samples import HOUR, NOON, ballot, election, user

_BEN = user(Role.VOTER, "ben")
_SECRET = "its ballots are secret, and are counted when it has been finalized"


def _no_vote(it: Election, why: str) -> Refusal:
    return Refusal(
        lambda: check_cast(_BEN, it, listed=True, ballot=None, now=NOON), WrongState, why
    )


def _no_ballot(lines: list[tuple[str, int | None]], why: str, *, of: str = "Ada Ben") -> Refusal:
    return Refusal(lambda: parse_ranking(lines, of.split()), InvalidInput, why, "rankings")


def _no_tally(it: Election, why: str) -> Refusal:
    return Refusal(lambda: check_view_tally(_BEN, it, NOON), WrongState, f"Election 'Lunch' {why}")


_FINAL = (
    "'ben' has voted in election 'Lunch' (2026-03-02 12:00 UTC), which is fixed: the first ballot "
    "is final. Nothing needs to be done; it will be counted."
)

REFUSALS = [
    Refusal(
        lambda: check_voter(_BEN, "ada"),
        NotPermitted,
        "Cannot cast ballot as 'ada' when authenticated as 'ben'. Cast your own, or sign in as "
        "'ada'.",
    ),
    _no_vote(
        election(State.SETUP),
        "Election 'Lunch' is not accepting votes yet: it has not been launched. Wait until 'ada', "
        "its owner, launches it.",
    ),
    _no_vote(
        election(State.CLOSED),
        "Election 'Lunch' is no longer accepting votes: it has been finalized. See its result.",
    ),
    _no_vote(
        election(State.FIXED, (NOON + HOUR, None)),
        "Election 'Lunch' is not accepting votes yet: voting opens 2026-03-02 13:00 UTC. Vote "
        "then.",
    ),
    _no_vote(
        election(State.EDITABLE, (None, NOON)),
        "Election 'Lunch' is no longer accepting votes: voting ended 2026-03-02 12:00 UTC. Wait "
        "for its result.",
    ),
    Refusal(
        lambda: check_cast(
            user(Role.OBSERVER), election(State.SETUP), listed=True, ballot=None, now=NOON
        ),
        NotPermitted,
        "This needs the permission VOTE, which the role VOTER and every greater one have; the "
        "role of 'ada' is OBSERVER. Ask somebody who manages users (ADMIN or above) for it.",
    ),
    Refusal(
        lambda: check_cast(
            _BEN, election(State.FIXED, voters=1_500), listed=False, ballot=None, now=NOON
        ),
        NotPermitted,
        "'ben' is not among the 1,500 voters of election 'Lunch'. Ask its owner, 'ada', to be "
        "added.",
    ),
    Refusal(
        lambda: check_cast(
            _BEN, election(State.FIXED), listed=False, ballot=ballot("ben"), now=NOON
        ),
        WrongState,
        _FINAL,
    ),
    Refusal(
        lambda: check_withdraw(_BEN, election(State.FIXED), ballot=ballot("ben"), now=NOON),
        WrongState,
        _FINAL,
    ),
    Refusal(
        lambda: check_withdraw(_BEN, election(State.FIXED), ballot=None, now=NOON),
        NotFound,
        "'ben' has no ballot in election 'Lunch', so there is nothing to withdraw.",
    ),
    _no_ballot(
        [],
        "Rankings are empty. List at least one candidate; with no rank at all the ballot is a "
        "blank one.",
    ),
    _no_ballot(
        [("Cy", 1), ("Ada", 2), ("Zed\x1b[2J", None)],
        "Rankings contain unknown candidates: 'Cy' and 'Zed�[2J'. There are: 'Ada' and 'Ben'.",
    ),
    _no_ballot(
        [("Cy", 1)],
        "Rankings contain unknown candidates: 'Cy'. There are none yet.",
        of="",
    ),
    _no_ballot(
        [("Ada", 1), ("ADA", 2)],
        "'Ada' is ranked twice. Rank each candidate once, or not at all.",
    ),
    _no_ballot(
        [("ada", 0)],
        "The rank of 'Ada' is 0; a rank is 1, 2, 3 … or none for not ranked.",
    ),
    _no_tally(
        election(State.SETUP),
        "has not started yet: it waits for launch. Look again when it has been launched.",
    ),
    _no_tally(
        election(State.FIXED, (NOON + HOUR, None)),
        "has not started yet: voting opens 2026-03-02 13:00 UTC. Look again after that.",
    ),
    _no_tally(
        election(State.FIXED, secret=True),
        f"is still accepting votes: {_SECRET}. Wait until its owner finalizes it.",
    ),
    _no_tally(
        election(State.FIXED, (NOON, NOON + HOUR), secret=True),
        f"has not ended yet: {_SECRET}, after 2026-03-02 13:00 UTC. Look again after that.",
    ),
    _no_tally(
        election(State.FIXED, (None, NOON), secret=True),
        f"has not been finalized yet, though voting ended 2026-03-02 12:00 UTC: {_SECRET}. Look "
        "again soon.",
    ),
    Refusal(
        lambda: check_view_ballot(
            user(Role.AUDITOR, "ben"), "cy", election(State.CLOSED, secret=True), NOON
        ),
        NotPermitted,
        "The ballots of election 'Lunch' are secret, and that of 'cy' is seen by 'cy' alone; you "
        "are signed in as 'ben'. Look at the tally once the election has been finalized.",
    ),
    Refusal(
        lambda: check_view_ballot(
            _BEN, "cy", election(State.CLOSED, publication=Publication.ANONYMOUS), NOON
        ),
        NotPermitted,
        "Of election 'Lunch' only this is published: anonymous; the ballot of 'cy' is seen by "
        "'cy' alone. Look at the tally.",
    ),
]
