"""The people of the sample whom one can look around as."""

from __future__ import annotations

from collections.abc import Iterable

from singletable_apps.elections.pages.role_words import ROLE_NAMES, ROLE_WORDS
from singletable_apps.elections.pages.site import SIGN_IN
from singletable_apps.elections.roles import ROLES, Role
from singletable_apps.elections.sample import PASSWORD, Person, sample_accounts
from singletable_apps.elections.service import Elections
from singletable_apps.shared.doors import Entrance, Sample


def sample_of(elections: Elections) -> Sample | None:
    """One of each role, as long as they are as the sample made them."""
    people = one_of_each_role(sample_accounts(elections))
    if not people:
        return None
    return Sample("Look around as somebody", tuple(map(_entrance, people)), PASSWORD)


def one_of_each_role(people: Iterable[Person]) -> list[Person]:
    """The first of each role, the greatest first: enough to see everything from every side."""
    firsts: dict[Role, Person] = {}
    for person in people:
        firsts.setdefault(person.role, person)
    return [firsts[role] for role in reversed(ROLES) if role in firsts]


def _entrance(person: Person) -> Entrance:
    return Entrance(
        f"{person.name}, {ROLE_NAMES[person.role].lower()}",
        ROLE_WORDS[person.role],
        SIGN_IN,
        {"who": person.name, "password": PASSWORD},
        before="Sign in as",
    )
