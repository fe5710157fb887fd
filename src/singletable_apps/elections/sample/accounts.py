"""Who of the sample can still be signed in as."""

from __future__ import annotations

from singletable_apps.elections.sample.people import PEOPLE, Person
from singletable_apps.elections.service import Elections


def sample_accounts(elections: Elections) -> list[Person]:
    """Those of the sample who are there as they were made, with the password they were given.

    The number of a user is that of the event that made them, and the sample fills an empty log:
    who is called Ada in another store is not ours.
    """
    found = elections.office.view.search_users([person.name for person in PEOPLE])
    return [
        Person(user.name, user.role)
        for number, (person, user) in enumerate(zip(PEOPLE, found, strict=True), 1)
        if user is not None
        and user.user_id == user.credentials == number
        and user.email == person.email
    ]
