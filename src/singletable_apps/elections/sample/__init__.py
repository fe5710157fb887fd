"""People and elections to look at: a cycle, a tie, secret ballots, one that is yet to come."""

from __future__ import annotations

from singletable_apps.elections.sample.accounts import sample_accounts
from singletable_apps.elections.sample.filling import fill
from singletable_apps.elections.sample.people import PASSWORD, PEOPLE, Person
from singletable_apps.elections.sample.polls import POLLS, Poll

__all__ = ["PASSWORD", "PEOPLE", "POLLS", "Person", "Poll", "fill", "sample_accounts"]
