"""What is visible of ballots, to whom and when."""

from __future__ import annotations

from itertools import product

import pytest

from singletable_apps.elections.entities import Publication, State
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import ROLES, Role
from singletable_apps.elections.rules.elections import (
    check_view_ballot,
    check_view_tally,
    default_publication,
    visible_details,
)
from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.elections.rules.factories import HOUR, NOON, Window, election, user
from tools.testing.cases import every

EVERYTHING = [*product(State, Publication, [(None, None), (NOON + HOUR, None), (None, NOON)])]

# What each level shows of an open ballot, and of a secret one.
SHOWN = {
    Publication.TOTALS: ("totals", "totals"),
    Publication.ANONYMOUS: ("totals rankings", "totals rankings"),
    Publication.CONFIRMATIONS: (
        "totals rankings confirmations voters-with-ballots",
        "totals rankings confirmations",
    ),
}


@every(("state", "publication", "window"), EVERYTHING)
@every("secret", [False, True])
def test_visible_details_follow_the_publication(
    state: State, publication: Publication, window: Window, secret: bool
) -> None:
    it = election(state, window, secret=secret, publication=publication)
    try:
        check_view_tally(user(Role.OBSERVER), it, NOON)
    except WrongState:
        expected = ""
    else:
        expected = SHOWN[publication][secret]
    assert {shown.replace(" ", "-") for shown in visible_details(it, NOON)} == set(expected.split())


@every("role", ROLES)
def test_observers_can_see_the_tally(role: Role) -> None:
    if role is Role.NO_ACCESS:
        with pytest.raises(NotPermitted):
            check_view_tally(user(role), election(State.CLOSED), NOON)
    else:
        check_view_tally(user(role), election(State.CLOSED), NOON)


@every(("state", "publication", "window"), EVERYTHING)
def test_own_ballot_is_always_visible(
    state: State, publication: Publication, window: Window
) -> None:
    for secret, role in product((False, True), ROLES):
        it = election(state, window, secret=secret, publication=publication)
        check_view_ballot(user(role, "Ben"), "ben", it, NOON)


@every(("state", "publication", "window"), EVERYTHING)
def test_secret_ballots_of_others_are_never_visible(
    state: State, publication: Publication, window: Window
) -> None:
    it = election(state, window, secret=True, publication=publication)
    for role in ROLES:
        with pytest.raises(NotPermitted):
            check_view_ballot(user(role), "ben", it, NOON)


# By asking for one voter after the other nobody learns more than is listed.
@every(("state", "publication", "window"), EVERYTHING)
@every("role", ROLES)
def test_open_ballots_of_others_are_visible_with_names(
    role: Role, state: State, publication: Publication, window: Window
) -> None:
    it = election(state, window, publication=publication)
    listed = "voters with ballots" in visible_details(it, NOON) and role is not Role.NO_ACCESS
    try:
        check_view_ballot(user(role), "ben", it, NOON)
    except RequestRejected:
        assert not listed
    else:
        assert listed


def test_default_publication_reveals_less_of_secret_ballots() -> None:
    assert default_publication(True) is Publication.TOTALS
    assert default_publication(False) is Publication.CONFIRMATIONS
