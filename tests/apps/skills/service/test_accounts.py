"""Register and sign in."""

from __future__ import annotations

import pytest

from singletable_apps.skills.entities import Role
from singletable_apps.skills.errors import AlreadyExists, InvalidInput, NotSignedIn
from tests.apps.skills.support.world import PASSWORD, World


def test_first_account_is_the_administrator(world: World) -> None:
    accounts = world.service.accounts
    assert accounts.register("Ada", "Ada Lovelace", PASSWORD).role is Role.ADMIN
    assert accounts.register("bob", "Bob", PASSWORD).role is Role.USER
    with pytest.raises(AlreadyExists, match="username"):
        accounts.register("ADA", "Another", PASSWORD)
    assert accounts.sign_in("aDa", PASSWORD).user.username == "Ada"
    with pytest.raises(NotSignedIn, match="Invalid credentials"):
        accounts.sign_in("nobody", PASSWORD)


@pytest.mark.parametrize("username", ["", "ab", "a" * 51, "a b", "a#b", "-ab", "ädá"])
def test_invalid_usernames_are_rejected(memory: World, username: str) -> None:
    with pytest.raises(InvalidInput):
        memory.service.accounts.register(username, "Ada", PASSWORD)
